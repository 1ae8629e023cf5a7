"""Where a run stands is read off its log, whatever state a crash left it in."""

from dataclasses import replace
from typing import Any

import pytest

from bot.domain.run import Call, CallState
from bot.llm.port import Answered, Asked, Result, Said
from bot.progress import NOT_EXECUTED, STOPPED_IN_CALL, STOPPED_IN_REPEATABLE, STOPPED_IN_TASK, read
from bot.store.entries import Entry, EntryKind
from bot.tools.spec import FailureCode


def entry(kind: EntryKind, body: dict[str, Any], run: str = "r2", frame: str | None = None) -> Entry:
    return Entry(run, kind, frame, 0.0, body)


def said(words: str, run: str = "r2") -> Entry:
    return entry("queued", {"prompt": words, "quoted": None}, run)


USAGE = {"input": 90, "output": 10, "estimated": False}


def answered(turn: int, text: str, *asked: tuple[str, str], run: str = "r2", frame: str | None = None) -> Entry:
    calls = [{"id": each, "name": name, "arguments": {}, "raw": "{}"} for each, name in asked]
    return entry(
        "model_called", {"turn": turn, "text": text, "calls": calls, "native": None, "usage": USAGE}, run, frame
    )


def call(
    asked: str,
    tool: str,
    state: CallState,
    result: str | None = None,
    failure: FailureCode | None = None,
    *,
    turn: int = 1,
    run: str = "r2",
    frame: str | None = None,
    arguments: str = "{}",
) -> Call:
    return Call(
        f"{run}-{asked}", run, frame, turn, 0, asked, tool, "builtin/x", arguments, "d", True, state, result, failure
    )


def test_a_fresh_run_has_words_and_nothing_open() -> None:
    progress = read("r2", [], [said("hello")], [])
    assert (progress.frame, progress.open_calls, progress.turns) == (None, (), (Said("hello"),))


def test_earlier_runs_come_first_each_call_with_its_result() -> None:
    log = [said("one", "r1"), answered(1, "", ("a", "look"), run="r1"), answered(2, "done", run="r1"), said("two")]
    progress = read("r2", ["r1"], log, [call("a", "look", "sent", "seen", run="r1")])
    assert progress.turns == (
        Said("one"),
        Answered("", (Asked("a", "look", {}, "{}"),)),
        Result("a", "look", "seen"),
        Answered("done"),
        Said("two"),
    )


def test_a_call_that_an_earlier_run_never_made_still_has_an_answer() -> None:
    """A stopped run leaves a call without result; a provider refuses a history like that."""
    log = [said("one", "r1"), answered(1, "", ("a", "look"), run="r1"), said("two")]
    progress = read("r2", ["r1"], log, [call("a", "look", "waiting", run="r1")])
    assert progress.turns[2] == Result("a", "look", NOT_EXECUTED, failed=True)
    assert progress.open_calls == (), "another run's call is not ours to make"


@pytest.mark.parametrize(
    ("tool", "state", "repeatable", "told"),
    [
        ("add_note", "started", False, STOPPED_IN_CALL),
        ("add_note", "waiting", False, NOT_EXECUTED),
        ("add_note", "ready", False, NOT_EXECUTED),
        ("update_persona_memory", "started", True, STOPPED_IN_REPEATABLE),
        ("update_persona_memory", "ready", True, NOT_EXECUTED),
        ("delegate_to_notes_worker", "started", True, STOPPED_IN_TASK),
        ("delegate_to_notes_worker", "ready", True, NOT_EXECUTED),
    ],
)
def test_what_a_stopped_run_left_behind_is_told_as_far_as_it_is_known(
    tool: str, state: CallState, repeatable: bool, told: str
) -> None:
    log = [said("one", "r1"), answered(1, "", ("a", tool), run="r1"), said("two")]
    left = replace(call("a", tool, state, run="r1"), repeatable=repeatable)
    assert read("r2", ["r1"], log, [left]).turns[2] == Result("a", tool, told, failed=True)


def test_results_stand_in_the_order_of_the_calls_and_failures_are_marked() -> None:
    calls = [call("b", "add", "denied", "rejected", "rejected"), call("a", "look", "done", "seen")]
    progress = read("r2", [], [said("x"), answered(1, "", ("a", "look"), ("b", "add"))], calls)
    assert progress.turns[2:] == (Result("a", "look", "seen"), Result("b", "add", "rejected", failed=True))
    assert len(progress.open_calls) == 2


def test_the_same_id_in_two_answers_is_two_calls() -> None:
    calls = [call("a", "look", "sent", "first", turn=1), call("a", "look", "done", "second", turn=2)]
    progress = read("r2", [], [said("x"), answered(1, "", ("a", "look")), answered(2, "", ("a", "look"))], calls)
    assert [turn.content for turn in progress.turns if isinstance(turn, Result)] == ["first", "second"]


def test_within_a_worker_its_task_is_all_that_is_seen() -> None:
    frame = call("h", "delegate_to_notes_worker", "started", arguments='{"task": "note milk"}')
    inner = call("a", "add_note", "waiting", frame=frame.id, turn=2)
    log = [
        said("secret words"),
        answered(1, "", ("h", "delegate_to_notes_worker")),
        answered(2, "", ("a", "add_note"), frame=frame.id),
    ]
    progress = read("r2", [], log, [frame, inner])
    assert progress.frame == frame
    assert progress.specialist == "notes_worker"
    assert progress.open_calls == (inner,)
    assert progress.turns[0] == Said("note milk")
    assert "secret" not in str(progress.turns)


def test_when_the_worker_is_done_the_persona_goes_on() -> None:
    frame = call("h", "delegate_to_notes_worker", "done", "it is noted", arguments='{"task": "note milk"}')
    progress = read("r2", [], [said("x"), answered(1, "", ("h", "delegate_to_notes_worker"))], [frame])
    assert progress.frame is None
    assert progress.turns[-1] == Result("h", "delegate_to_notes_worker", "it is noted")
