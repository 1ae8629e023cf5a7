"""Makes one call of a tool: the intent is committed before the act, the result after it, and never twice."""

import asyncio
import json
from dataclasses import dataclass, replace
from gettext import gettext as _
from typing import Any

from bot.asker import Asker
from bot.clock import Clock
from bot.domain.capability import server_of
from bot.domain.run import Call, Run
from bot.elicitor import Elicitor
from bot.handover import hand_over, told
from bot.llm.port import Asked
from bot.log import logger
from bot.questioner import Questioner
from bot.skillset import Skillsets
from bot.store import approvals, audit, calls, entries, personas, questions, runs
from bot.store.database import Store, Tx
from bot.store.entries import Entry
from bot.supervisor import Crash, attempt
from bot.toolbox import Fit, Toolbox, Unfit
from bot.tools.spec import FailureCode, ToolContext, ToolFailure
from bot.tools.tool import Tool
from channels.files import File

log = logger("askfirst.caller")

GRACE_S = 5.0
"""How long a call that was begun may still take when its run is stopped, so that its outcome is known."""

UNKNOWN_RESTART = (
    "Unknown outcome: the service restarted during this call. It may or may not have happened. It is not repeated."
)
UNKNOWN_TIMEOUT = "Unknown outcome: the call was begun and did not answer in time. It may or may not have happened."
CHANGED = "What this call would do has changed since it was approved, so it was not executed. Ask again to see it as it is now."
EDITED = "Before it ran, {who} changed the arguments to {arguments}."
UNKNOWN_CRASH = "Unknown outcome: the tool broke off. It may or may not have happened."


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the model is told. `failure` is None for success; `whole` is all that there was, where `text` is a part of it.
    `files` go to the chat; `left_out` names those that do not."""

    text: str
    failure: FailureCode | None = None
    whole: str | None = None
    files: tuple[File, ...] = ()
    left_out: tuple[str, ...] = ()


class Caller:
    def __init__(
        self,
        store: Store,
        toolbox: Toolbox,
        skillsets: Skillsets,
        asker: Asker,
        questioner: Questioner,
        elicitor: Elicitor,
        clock: Clock,
    ) -> None:
        self._store = store
        self._skillsets = skillsets
        self._toolbox = toolbox
        self._asker = asker
        self._questioner = questioner
        self._elicitor = elicitor
        self._clock = clock

    async def make(self, run: Run, call: Call) -> None:
        """Take a `ready` call to its result, or a `started` one that a crash left behind. Raises Fenced.

        One that is under way when we are to stop is given a moment to end: cut off, its outcome would be unknown.
        """
        work = asyncio.create_task(self._make(run, call), name=f"make {call.id}")
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            await asyncio.wait([work], timeout=GRACE_S)
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            raise

    async def _make(self, run: Run, call: Call) -> None:
        fit = await self._store.tx(self._begin, run, call)
        if fit is None:
            return
        outcome = await self._act(run, call, fit)
        await self._store.tx(self._record, run, call, outcome, fit)

    def context(self, run: Run, now: float) -> ToolContext:
        where = (run.conversation, run.channel)
        return ToolContext(self._store, run.persona_id, run.scope, run.user, run.id, *where, self._skillsets, now)

    def _begin(self, tx: Tx, run: Run, call: Call) -> Fit | None:
        """The last check and the intent, in one commit: may this run, exactly as it was shown? None: it may not."""
        now = self._clock()
        runs.guard(tx, run)
        if call.state == "started":
            self._questioner.cancel_of_call(tx, call.id, _("the service restarted"), now)
        if call.state == "started" and not call.repeatable:
            self._finish(tx, run, call, Outcome(UNKNOWN_RESTART, "unknown_outcome"), now)
            return None
        fit = self._recheck(tx, run, call, now)
        if isinstance(fit, Unfit):
            calls.step(tx, call.id, "ready", "started")
            self._finish(tx, run, call, Outcome(fit.message, fit.failure), now)
            return None
        agreed = approvals.agreed_to(tx, call.id, call.digest)
        if fit.confirms and agreed is None:
            self._ask_after_all(tx, run, call, fit, now)
            return None
        if agreed is not None and self._changed_since(tx, run, fit, agreed.effect_text, now):
            calls.step(tx, call.id, "ready", "started")
            self._finish(tx, run, call, Outcome(_(CHANGED), "not_authorized"), now)
            return None
        if fit.tool.question is not None:
            self._inquire(tx, run, call, fit, now)
            return None
        if call.state == "ready" and not calls.step(tx, call.id, "ready", "started"):
            return None
        entries.add(tx, Entry(run.id, "tool_started", call.frame, now, {"call": call.id, "tool": call.tool}))
        return fit

    def _recheck(self, tx: Tx, run: Run, call: Call, now: float) -> Fit | Unfit:
        persona = personas.find(tx, run.persona_id)
        if persona is None:
            return Unfit("not_authorized", _("This persona does not exist any more. Nothing was done."))
        server = server_of(call.capability_id)
        if server is not None and self._toolbox.find(call.tool) is None:
            return Unfit(
                "not_connected", _("The MCP server {name} is not connected. Nothing was done.").format(name=server)
            )
        given = Asked(call.asked_id, call.tool, json.loads(call.arguments))
        fit = self._toolbox.check(tx, persona, None, run.id, call.tool, given, now)
        if isinstance(fit, Fit) and fit.digest != call.digest:
            return Unfit("not_authorized", _("The tool has changed since this call was shown. Nothing was done."))
        return fit

    def _changed_since(self, tx: Tx, run: Run, fit: Fit, agreed: str, now: float) -> bool:
        """Would the call do something else by now than what the card said (the thing it names was changed, say)?"""
        try:
            return effect_text(tx, fit, self.context(run, now)) != agreed
        except ToolFailure:
            return False  # it cannot be done any more: the tool says so itself

    def _inquire(self, tx: Tx, run: Run, call: Call, fit: Fit, now: float) -> None:
        """The call is a question: from here on it waits for its answer."""
        assert fit.tool.question is not None
        if questions.refused_before(tx, run.id, call.digest):
            calls.step(tx, call.id, "ready", "started")
            words = _("This very question was not answered before. It is not asked again.")
            self._finish(tx, run, call, Outcome(words, "rejected"), now)
        elif calls.step(tx, call.id, "ready", "waiting"):
            self._questioner.ask(tx, run, call, fit.tool.question(fit.given), now)

    def _ask_after_all(self, tx: Tx, run: Run, call: Call, fit: Fit, now: float) -> None:
        """The grants changed in between: what would have run unasked must ask now."""
        try:
            effect = effect_text(tx, fit, self.context(run, now))
        except ToolFailure as failure:
            calls.step(tx, call.id, "ready", "started")
            self._finish(tx, run, call, Outcome(failure.message, failure.code), now)
            return
        if calls.step(tx, call.id, call.state, "waiting"):
            self._asker.show(tx, [self._asker.ask(tx, run, call, effect, now)], now)

    async def _act(self, run: Run, call: Call, fit: Fit) -> Outcome:
        done = await attempt(f"tool {call.tool}", self._handle(run, call, fit.tool, fit.given))
        if not isinstance(done, Crash):
            return done
        if fit.tool.mutates_data:
            return Outcome(_(UNKNOWN_CRASH), "unknown_outcome")
        return Outcome(_("The tool broke off. Nothing was changed."), "unavailable")

    async def _handle(self, run: Run, call: Call, tool: Tool, given: Any) -> Outcome:
        try:
            async with asyncio.timeout(tool.limit_s):
                output = await tool.handle(self._in_touch(run, call, tool), given)
                return Outcome(output.text, None, output.whole, output.files, output.left_out)
        except ToolFailure as failure:
            return Outcome(failure.message, failure.code, failure.whole, failure.files, failure.left_out)
        except TimeoutError:
            if tool.mutates_data:
                return Outcome(_(UNKNOWN_TIMEOUT), "unknown_outcome")
            return Outcome(_("The tool did not answer in time. Nothing was changed."), "timeout")

    def _in_touch(self, run: Run, call: Call, tool: Tool) -> ToolContext:
        """The context of a call that is being made: from here it reaches the conversation."""
        context = self.context(run, self._clock())
        if server_of(tool.capability.id) is None:
            return context
        progress = self._elicitor.progress(run, call, tool.short)
        return replace(context, progress=progress, ask=self._elicitor.asking(run, call, tool.server))

    def _record(self, tx: Tx, run: Run, call: Call, outcome: Outcome, fit: Fit) -> None:
        runs.guard(tx, run)
        if fit.tool.untrusted:
            runs.taint(tx, run.id, f"what {call.tool} found")
        agreed = approvals.agreed_to(tx, call.id, call.digest) if fit.confirms else None
        if agreed is not None and agreed.editor_name is not None:
            words = EDITED.format(who=agreed.editor_name, arguments=agreed.arguments)
            outcome = replace(outcome, text=f"{words}\n{outcome.text}")
        self._finish(tx, run, call, outcome, self._clock())

    def _finish(self, tx: Tx, run: Run, call: Call, outcome: Outcome, now: float) -> None:
        self._questioner.cancel_of_call(tx, call.id, _("the call has ended"), now)
        text = told(outcome.text, outcome.files, outcome.left_out)
        if not calls.answer(tx, call.id, "started", "done", text, outcome.failure, outcome.whole):
            log.warning("a result came for a call that was answered before", run=run.id, call=call.id)
            return
        if outcome.files or outcome.left_out:
            hand_over(tx, run, call, runs.guard(tx, run), outcome.files, outcome.left_out, now)
        body = {"call": call.id, "tool": call.tool, "failure": outcome.failure}
        entries.add(tx, Entry(run.id, "tool_finished", call.frame, now, body))
        detail = {"digest": call.digest, "run": run.id, "failure": outcome.failure}
        audit.record(tx, now, run.user, "tool_called", call.capability_id, detail)


def effect_text(tx: Tx, fit: Fit, context: ToolContext) -> str:
    """What the call will do, in a sentence for the person who decides. Raises ToolFailure if it cannot be done at all."""
    return fit.tool.effect(tx, context, fit.given)
