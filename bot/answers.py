"""What follows from an answer, within the transaction that stores it: checked calls, cards, the reply, the end."""

import json
from dataclasses import replace
from gettext import gettext as _

from bot.approver import Approver
from bot.asker import Asker
from bot.caller import Caller, effect_text
from bot.clock import new_id
from bot.closer import SERVICE, Closer
from bot.domain.approval import Approval
from bot.domain.digest import canonical
from bot.domain.persona import Persona
from bot.domain.run import SUPERVISED_PREFIX, Call, CallState, Run
from bot.llm.port import Answer, Asked
from bot.progress import Progress
from bot.replier import Parts, Replier
from bot.skillset import Skillset
from bot.store import approvals, calls, entries, runs
from bot.store.database import Tx
from bot.store.entries import Entry
from bot.toolbox import TASK_SCHEMA, Fit, Toolbox, Unfit, offers
from bot.tools.spec import ToolFailure

MOST_CALLS = 16
"""Calls of one answer that are looked at; a model that wants more is told so."""


class Answers:
    def __init__(
        self, toolbox: Toolbox, asker: Asker, approver: Approver, caller: Caller, closer: Closer, replier: Replier
    ) -> None:
        self._toolbox = toolbox
        self._asker = asker
        self._approver = approver
        self._caller = caller
        self._closer = closer
        self._replier = replier

    def take_calls(
        self,
        tx: Tx,
        run: Run,
        persona: Persona,
        skillset: Skillset,
        progress: Progress,
        answer: Answer,
        said: Parts,
        now: float,
    ) -> None:
        """Store each call as ready, waiting or already answered; what waits gets its card in the same commit."""
        asked: list[Approval] = []
        for place, wanted in enumerate(answer.calls):
            approval = self._take_call(tx, run, persona, skillset, progress, place, wanted, now)
            if approval is not None:
                asked.append(approval)
        if not asked:
            return
        if answer.text.strip() and progress.frame is None:
            self._replier.aside(tx, run, said, now)
        self._asker.show(tx, asked, now)

    def rest(self, tx: Tx, run: Run) -> None:
        """Nothing is done until a person decides: no line says otherwise meanwhile."""
        self._closer.clear_status(tx, run.id)

    def complete(self, tx: Tx, run: Run, said: Parts | None, now: float) -> None:
        """What follows from the run's end, which the caller has written. None, or another program of this run said so: it
        ends without a word."""
        said = None if runs.silent(tx, run.id) else said
        entries.add(tx, Entry(run.id, "completed", None, now, {"silent": said is None}))
        tx.tell("ended", f"completed {run.id}")
        self._closer.cancel_within(tx, run.id, SERVICE, _("the run it belonged to has ended"), now)
        if said is None:
            self._closer.clear_status(tx, run.id)
            return
        self._replier.reply(tx, run, said, now)

    def fail(self, tx: Tx, run: Run, code: str, message: str, now: float) -> None:
        """End the run in words: cards closed, calls of unknown outcome named."""
        where = runs.guard(tx, run, state="failed", ended_at=now, error_code=code, error_message=message)
        run = replace(run, conversation=where)
        for approval in approvals.pending_of_run(tx, run.id):
            self._approver.cancel(tx, approval, _("the run failed"), now)
        self._closer.cancel_questions(tx, run.id, _("the run failed"), now)
        entries.add(tx, Entry(run.id, "failed", None, now, {"code": code, "message": message}))
        tx.tell("ended", f"failed {run.id}")
        self._closer.cancel_within(tx, run.id, SERVICE, _("the run it belonged to has failed"), now)
        self._replier.sentence(tx, run, message, now)

    def _take_call(
        self,
        tx: Tx,
        run: Run,
        persona: Persona,
        skillset: Skillset,
        progress: Progress,
        place: int,
        wanted: Asked,
        now: float,
    ) -> Approval | None:
        fit = self._checked(tx, run, persona, skillset, progress, place, wanted, now)
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
        return self._asker.ask(tx, run, call, effect, now)

    def _checked(
        self,
        tx: Tx,
        run: Run,
        persona: Persona,
        skillset: Skillset,
        progress: Progress,
        place: int,
        wanted: Asked,
        now: float,
    ) -> Fit | Unfit | str:
        """A call that fits, one that does not, or the specialist that a task is handed to."""
        if place >= MOST_CALLS:
            return Unfit(
                "unavailable", _("Too many calls in one answer: only the first {n} are made.").format(n=MOST_CALLS)
            )
        if persona.mode == "supervisor" and progress.frame is None:
            return self._delegation(tx, persona, skillset, wanted, now)
        tool = self._toolbox.find(wanted.name)
        if not skillset.allows(wanted.name, *(tool.also if tool is not None else ())):
            words = _("{name} is not among the tools of the skill that is in use. Nothing was done.")
            return Unfit("not_authorized", words.format(name=wanted.name[:64]))
        fit = self._toolbox.check(tx, persona, progress.specialist, run.id, wanted.name, wanted, now)
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

    def _delegation(self, tx: Tx, persona: Persona, skillset: Skillset, wanted: Asked, now: float) -> Unfit | str:
        usable = [
            use for use in self._toolbox.usable(tx, persona, now) if skillset.offers(use.tool.name, *use.tool.also)
        ]
        shown = offers(persona, usable, None)
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


def _canonical(wanted: Asked) -> str:
    try:
        return canonical(wanted.arguments or {})
    except ValueError:
        return json.dumps({"unreadable": True})
