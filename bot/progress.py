"""Where a run stands: read off its log, never kept beside it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.run import LOAD_SKILL, SUPERVISED_PREFIX, Call
from bot.llm.budget import Measured
from bot.llm.port import Answered, Asked, Result, Said, Turn
from bot.store.entries import Entry


@dataclass(frozen=True, slots=True)
class Progress:
    """`frame`: the call that opened the worker at work, None for the persona itself.

    `open_calls`: calls of the frame's latest answer whose results the model has not been told.
    `turns`: the conversation as the frame sees it, with every result that is there. `measured`: what the provider
    counted of them last. `loaded`: names of the skills that this run has loaded, in that order; their text is nowhere in
    the log.
    """

    frame: Call | None
    open_calls: tuple[Call, ...]
    turns: tuple[Turn, ...]
    measured: Measured | None
    loaded: tuple[str, ...] = ()

    @property
    def specialist(self) -> str | None:
        return None if self.frame is None else self.frame.tool.removeprefix(SUPERVISED_PREFIX)

    @property
    def frame_id(self) -> str | None:
        return None if self.frame is None else self.frame.id


NOT_EXECUTED = "Not executed: the run was stopped before this call."
STOPPED_IN_CALL = (
    "Unknown outcome: the run was stopped during this call. It may or may not have happened. Do not repeat it unasked."
)
STOPPED_IN_REPEATABLE = (
    "Unknown outcome: the run was stopped during this call. It may or may not have happened. To repeat it does no harm."
)
STOPPED_IN_TASK = "Stopped midway: part of this task may have been done. Look before any of it is done again."


def read(run_id: str, earlier: Sequence[str], entries: Sequence[Entry], calls: Sequence[Call]) -> Progress:
    """Fold the log of a run, after the logs of the session's `earlier` runs."""
    mine = [call for call in calls if call.run_id == run_id]
    loaded = _loaded(mine)
    frame = next((call for call in mine if call.delegates and call.state == "started"), None)
    frame_id = None if frame is None else frame.id
    open_calls = tuple(call for call in mine if call.frame == frame_id and call.state != "sent")
    if frame is not None:
        own = [entry for entry in entries if entry.run_id == run_id and entry.frame == frame_id]
        task = Said(json.loads(frame.arguments)["task"])
        turns, measured = _turns([task], own, calls)
        return Progress(frame, open_calls, turns, measured, loaded)
    own = [entry for each in (*earlier, run_id) for entry in entries if entry.run_id == each and entry.frame is None]
    turns, measured = _turns([], own, calls)
    return Progress(None, open_calls, turns, measured, loaded)


def _loaded(mine: Sequence[Call]) -> tuple[str, ...]:
    done = [call for call in mine if call.tool == LOAD_SKILL and call.result is not None and call.failure is None]
    return tuple(dict.fromkeys(json.loads(call.arguments)["skill"] for call in done))


def _turns(
    turns: list[Turn], entries: Sequence[Entry], calls: Sequence[Call]
) -> tuple[tuple[Turn, ...], Measured | None]:
    measured: Measured | None = None
    for entry in entries:
        if entry.kind == "queued":
            turns.append(Said(entry.body["prompt"]))
        if entry.kind == "model_called":
            usage = entry.body["usage"]
            if not usage["estimated"]:
                measured = Measured(usage["input"] + usage["output"], len(turns) + 1)
            turns += _answer(entry, calls)
    return tuple(turns), measured


def _answer(entry: Entry, calls: Sequence[Call]) -> list[Turn]:
    asked = tuple(Asked(**call) for call in entry.body["calls"])
    turn = entry.body["turn"]
    known = {call.asked_id: call for call in calls if call.run_id == entry.run_id and call.turn == turn}
    results = [_result(call, known.get(call.id)) for call in asked]
    return [Answered(entry.body["text"], asked, entry.body["native"]), *results]


def _result(asked: Asked, call: Call | None) -> Result:
    if call is None or call.result is None:
        return Result(asked.id, asked.name, _without_result(call), failed=True)
    return Result(asked.id, asked.name, call.result, failed=call.failure is not None)


def _without_result(call: Call | None) -> str:
    """What is known of a call that its run left behind."""
    if call is None or call.state != "started":
        return NOT_EXECUTED
    if call.delegates:
        return STOPPED_IN_TASK
    return STOPPED_IN_REPEATABLE if call.repeatable else STOPPED_IN_CALL
