"""What follows from an answer, within the transaction that stores it: checked calls, cards, the reply, the end."""

import json
from collections.abc import Callable, Sequence
from gettext import gettext as _

from bot.approver import Approver
from bot.caller import Caller, effect_text
from bot.clock import new_id
from bot.closer import STATUS_AFTER_S, Closer, status_key
from bot.domain.approval import Approval
from bot.domain.digest import canonical
from bot.domain.persona import Persona
from bot.domain.run import SUPERVISED_PREFIX, Call, CallState, Run
from bot.llm.port import Answer, Asked
from bot.progress import Progress
from bot.store import approvals, calls, entries, outbox, runs
from bot.store.database import Tx
from bot.store.entries import Entry
from bot.toolbox import TASK_SCHEMA, Fit, Toolbox, Unfit, offers
from bot.tools.spec import FailureCode, ToolFailure
from channels.adapter import Limits
from channels.events import Conversation
from channels.outgoing import Block, Outgoing, Paragraph, Span, outgoing_json, plain
from channels.text.parse import blocks
from channels.text.split import split

MOST_CALLS = 16
"""Calls of one answer that are looked at; a model that wants more is told so."""

EDITED_IN_WITHIN_S = 30.0
"""An answer that comes this soon replaces the status line; a later one is a new message, so that phones notify."""

REPORTED: dict[FailureCode, str] = {
    "not_connected": "not connected",
    "not_authorized": "not authorized",
    "unavailable": "unavailable",
    "timeout": "timeout",
    "unknown_outcome": "unknown outcome: it may or may not have happened, please check",
}
"""Failures that the reader of a reply is told of in any case, whatever the model makes of them."""


def written(answer: Answer) -> tuple[Block, ...]:
    """An answer as a document; one that was cut says so."""
    note = "\n\n" + _("(The model stopped here: its answer reached the length limit.)") if answer.cut else ""
    return blocks(answer.text + note)


class Answers:
    def __init__(
        self, toolbox: Toolbox, approver: Approver, caller: Caller, closer: Closer, limits: Callable[[str], Limits]
    ) -> None:
        self._toolbox = toolbox
        self._approver = approver
        self._caller = caller
        self._closer = closer
        self._limits = limits

    def take_calls(
        self,
        tx: Tx,
        run: Run,
        persona: Persona,
        progress: Progress,
        answer: Answer,
        said: tuple[Block, ...],
        now: float,
    ) -> None:
        """Store each call as ready, waiting or already answered; what waits gets its card in the same commit."""
        asked: list[Approval] = []
        for place, wanted in enumerate(answer.calls):
            approval = self._take_call(tx, run, persona, progress, place, wanted, now)
            if approval is not None:
                asked.append(approval)
        if not asked:
            return
        if answer.text.strip() and progress.frame is None:
            self._say(tx, run, f"said:{run.id}:{run.steps}", said, now)
        self._approver.show(tx, asked, now)

    def rest(self, tx: Tx, run: Run) -> None:
        """Nothing is done until a person decides: no line says otherwise meanwhile."""
        self._closer.clear_status(tx, run.id)

    def complete(self, tx: Tx, run: Run, said: tuple[Block, ...] | None, now: float) -> None:
        """What follows from the run's end, which the caller has written. None: it ends without a word."""
        entries.add(tx, Entry(run.id, "completed", None, now, {"silent": said is None}))
        tx.tell("ended", f"completed {run.id}")
        if said is None:
            self._closer.clear_status(tx, run.id)
            return
        self._reply(tx, run, (*said, *self._footer(tx, run, said)), now)

    def fail(self, tx: Tx, run: Run, code: str, message: str, now: float) -> None:
        """End the run in words: cards closed, calls of unknown outcome named."""
        runs.guard(tx, run, state="failed", ended_at=now, error_code=code, error_message=message)
        for approval in approvals.pending_of_run(tx, run.id):
            self._approver.cancel(tx, approval, _("the run failed"), now)
        entries.add(tx, Entry(run.id, "failed", None, now, {"code": code, "message": message}))
        tx.tell("ended", f"failed {run.id}")
        said = plain(message)
        self._reply(tx, run, (*said, *self._footer(tx, run, said)), now)

    def _take_call(
        self, tx: Tx, run: Run, persona: Persona, progress: Progress, place: int, wanted: Asked, now: float
    ) -> Approval | None:
        fit = self._checked(tx, run, persona, progress, place, wanted, now)
        if isinstance(fit, Unfit):
            self._add(tx, run, progress, place, wanted, None, "done", fit)
            return None
        if isinstance(fit, str):
            self._add(tx, run, progress, place, wanted, None, "ready", None)
            return None
        if not fit.confirms:
            self._add(tx, run, progress, place, wanted, fit, "ready", None)
            return None
        try:
            effect = effect_text(tx, fit, self._caller.context(run, now))
        except ToolFailure as failure:
            self._add(tx, run, progress, place, wanted, fit, "done", Unfit(failure.code, failure.message))
            return None
        call = self._add(tx, run, progress, place, wanted, fit, "waiting", None)
        return self._approver.ask(tx, run, call, effect, now)

    def _checked(
        self, tx: Tx, run: Run, persona: Persona, progress: Progress, place: int, wanted: Asked, now: float
    ) -> Fit | Unfit | str:
        """A call that fits, one that does not, or the specialist that a task is handed to."""
        if place >= MOST_CALLS:
            return Unfit(
                "unavailable", _("Too many calls in one answer: only the first {n} are made.").format(n=MOST_CALLS)
            )
        if persona.mode == "supervisor" and progress.frame is None:
            return self._delegation(tx, persona, wanted, now)
        fit = self._toolbox.check(tx, persona, progress.specialist, wanted.name, wanted, now)
        if isinstance(fit, Unfit):
            return fit
        before = approvals.refused_before(tx, run.id, fit.digest)
        if before == "rejected":
            return Unfit(
                "rejected", _("This very call was rejected before. It was not executed and is not asked again.")
            )
        if before == "expired":
            return Unfit(
                "expired", _("This very call found no decision before. It was not executed and is not asked again.")
            )
        return fit

    def _delegation(self, tx: Tx, persona: Persona, wanted: Asked, now: float) -> Unfit | str:
        shown = offers(persona, self._toolbox.usable(tx, persona, now), None)
        if wanted.name not in {offer.name for offer in shown}:
            return Unfit("not_authorized", _("There is no such hand-off here. Nothing was done."))
        task = (wanted.arguments or {}).get("task")
        most = TASK_SCHEMA["properties"]["task"]["maxLength"]
        if not isinstance(task, str) or not task.strip() or len(task) > most or set(wanted.arguments or {}) != {"task"}:
            return Unfit(
                "invalid_arguments", _("A hand-off takes one argument: task, a text of at most 8,000 characters.")
            )
        return wanted.name.removeprefix(SUPERVISED_PREFIX)

    def _add(
        self,
        tx: Tx,
        run: Run,
        progress: Progress,
        place: int,
        wanted: Asked,
        fit: Fit | None,
        state: CallState,
        unfit: Unfit | None,
    ) -> Call:
        call = Call(
            id=new_id("call"),
            run_id=run.id,
            frame=progress.frame_id,
            turn=run.steps,
            place=place,
            asked_id=wanted.id,
            tool=wanted.name[:200],
            capability_id=fit.tool.capability.id if fit else "",
            arguments=fit.arguments if fit else _canonical(wanted),
            digest=fit.digest if fit else "",
            repeatable=fit.tool.repeatable if fit else True,
            state=state,
            result=unfit.message if unfit else None,
            failure=unfit.failure if unfit else None,
        )
        calls.add(tx, call)
        return call

    def _reply(self, tx: Tx, run: Run, said: Sequence[Block], now: float) -> None:
        """The answer: put into the status line if that is the last thing in the chat and still young, else posted."""
        message = Outgoing(tuple(said), (), None if run.private else run.message_ref)
        parts = split(message, self._limits(run.channel))
        to = Conversation.parse(run.conversation)
        status = outbox.find(tx, status_key(run.id)) if now - run.created_at >= STATUS_AFTER_S else None
        first = 0
        if status is not None:
            fresh = (
                now - status.created_at <= EDITED_IN_WITHIN_S and outbox.newest_in(tx, run.conversation) == status.id
            )
            outbox.amend(tx, status, parts[0] if fresh else None)
            first = 1 if fresh else 0
        for number in range(first, len(parts)):
            outbox.post(tx, f"answer:{run.id}:{number}", to, parts[number], now, subject=run.id)

    def _say(self, tx: Tx, run: Run, key: str, said: Sequence[Block], now: float) -> None:
        """Words beside the answer, such as what leads to a card."""
        message = Outgoing(tuple(said), (), None if run.private else run.message_ref)
        to = Conversation.parse(run.conversation)
        for number, part in enumerate(split(message, self._limits(run.channel))):
            outbox.post(tx, f"{key}:{number}", to, part, now, subject=run.id)

    def _footer(self, tx: Tx, run: Run, said: tuple[Block, ...]) -> tuple[Block, ...]:
        """What failed in this run and must not be taken for done, unless the text says it in the same words."""
        if run.steps == 0:
            return ()
        mine = calls.of_runs(tx, [run.id])
        if not mine:
            return ()
        text = outgoing_json.dump_json(Outgoing(said)).decode()
        done = {call.digest for call in mine if call.failure is None and call.result is not None}
        lines: dict[str, None] = {}
        for call in mine:
            open_write = call.state == "started" and not call.repeatable
            failure: str | None = "unknown_outcome" if open_write else call.failure
            words = next((words for code, words in REPORTED.items() if code == failure), None)
            if words is None or call.digest in done or words.split(":")[0] in text.casefold():
                continue
            lines[f"{call.tool[:64]}: {_(words)}"] = None
        italic = frozenset({"italic"})
        return tuple(Paragraph((Span("⚠ " + line, italic),)) for line in lines)  # type: ignore[arg-type]  # literal set


def _canonical(wanted: Asked) -> str:
    try:
        return canonical(wanted.arguments or {})
    except ValueError:
        return json.dumps({"unreadable": True})
