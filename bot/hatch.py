"""Where calls of other programs come in: what a task token shows, and the one transaction that opens a call or refuses it."""

from collections.abc import Collection
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any

from bot.asker import Asker
from bot.caller import Caller, Outcome, effect_text
from bot.clock import new_id
from bot.domain.persona import Persona
from bot.domain.run import SILENT_EXIT, Call, CallState, Run
from bot.domain.task_token import TaskToken
from bot.llm.port import Asked
from bot.store import audit, calls, channels, conversations, entries, names, outside, personas, runs, task_tokens
from bot.store.database import Tx
from bot.store.entries import Entry
from bot.toolbox import Fit, Toolbox, Unfit
from bot.tools.spec import ToolFailure
from bot.tools.tool import Tool
from channels.events import Conversation

MOST_OPEN = 16
"""Calls with one token at the same time: more is a fault of the program, and each may ask a person."""

WARY = "what another program sent"
"""To go on after "has read"."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a token's calls belong, and are asked about."""

    conversation: str
    channel: str
    user_name: str
    private: bool


class Hatch:
    def __init__(self, toolbox: Toolbox, asker: Asker, caller: Caller) -> None:
        self._toolbox = toolbox
        self._asker = asker
        self._caller = caller

    def admit(self, tx: Tx, secret: str, now: float) -> TaskToken | None:
        return task_tokens.use(tx, secret, now)

    def offered(self, tx: Tx, token_id: str, names: Collection[str], now: float) -> tuple[Tool, ...]:
        """What of these tools is granted now and allowed by the token, in the toolbox's order."""
        token = task_tokens.alive(tx, token_id, now)
        persona = None if token is None else personas.find(tx, token.persona_id)
        if token is None or persona is None:
            return ()
        usable = (use.tool for use in self._toolbox.usable(tx, persona, now))
        return tuple(tool for tool in usable if tool.name in names and token.allows(tool.capability.id))

    def open(
        self, tx: Tx, token_id: str, names: Collection[str], name: str, arguments: dict[str, Any], now: float
    ) -> Run | Outcome | None:
        """The run of a call that may be made or must ask first (its card is shown by this commit), or why there is none.
        None: there is no such tool for this token."""
        token = _held(tx, token_id, now)
        persona = None if token is None else personas.find(tx, token.persona_id)
        if token is None or persona is None:
            return Outcome(_("This token is not valid any more. Nothing was done."), "not_authorized")
        if all(tool.name != name for tool in self.offered(tx, token_id, names, now)):
            about = {"token": token.id, "persona": token.persona_id, "run": token.run_id}
            audit.record(tx, now, token.user, "outside_call_refused", name[:200], about)
            return None
        refusal = _refused(tx, token, name)
        if refusal is not None:
            return refusal
        run = _opened(tx, token, now)
        asked = Asked(new_id("asked"), name, arguments)
        fit = self._toolbox.check(tx, persona, None, run.id, name, asked, now)
        self._enter(tx, token, persona, run, asked, self._again(tx, token, fit), now)
        return run

    def silence(self, tx: Tx, run: Run) -> None:
        """The run within which the program works ends without a reply."""
        parent = outside.parent_of(tx, run.id)
        if parent is not None:
            runs.silence(tx, parent)

    def _again(self, tx: Tx, token: TaskToken, fit: Fit | Unfit) -> Fit | Unfit:
        """What was refused is not asked again."""
        if isinstance(fit, Unfit):
            return fit
        before = outside.refused_before(tx, token.id, token.run_id, fit.digest)
        if before == "rejected":
            words = _("This very call was rejected before. It was not executed and is not asked again.")
            return Unfit("rejected", words)
        if before == "expired":
            words = _("This very call found no decision before. It was not executed and is not asked again.")
            return Unfit("expired", words)
        return fit

    def _enter(
        self, tx: Tx, token: TaskToken, persona: Persona, run: Run, asked: Asked, fit: Fit | Unfit, now: float
    ) -> None:
        """The call in its first state: answered, ready, or waiting with its card."""
        begun = {"token": token.id, "within": token.run_id, "persona": persona.id}
        entries.add(tx, Entry(run.id, "started", None, now, begun))
        if isinstance(fit, Fit) and fit.confirms:
            try:
                effect = effect_text(tx, fit, self._caller.context(run, now))
            except ToolFailure as failure:
                fit = Unfit(failure.code, failure.message)
            else:
                call = _add(tx, run, asked, fit, "waiting")
                self._asker.show(tx, [self._asker.ask(tx, run, call, effect, now)], now)
                return
        _add(tx, run, asked, fit, "done" if isinstance(fit, Unfit) else "ready")


def _held(tx: Tx, token_id: str, now: float) -> TaskToken | None:
    """The token, if it is alive and what it ends with cannot end unseen before the commit."""
    token = task_tokens.alive(tx, token_id, now)
    if token is None:
        return None
    if token.run_id is not None:
        runs.hold(tx, token.run_id)
    if token.conversation is not None:
        where = Conversation.parse(token.conversation)
        conversations.meet(tx, where)  # what ends with a chat or a channel is found by it
        if channels.is_off(tx, where.channel):
            return None
    return task_tokens.alive(tx, token_id, now)


def _refused(tx: Tx, token: TaskToken, name: str) -> Outcome | None:
    if name == SILENT_EXIT and token.run_id is None:
        return Outcome(_("This token belongs to no run, so there is none to end. Nothing was done."), "unavailable")
    if outside.count_by(tx, token.id) >= MOST_OPEN:
        words = _("{count} calls with this token are under way, so this one was not taken. Wait for one to end.")
        return Outcome(words.format(count=MOST_OPEN), "unavailable")
    return None


def _opened(tx: Tx, token: TaskToken, now: float) -> Run:
    place = _place(tx, token)
    return outside.add(
        tx,
        outside.Opened(
            new_id("run"),
            token.id,
            token.run_id,
            place.conversation,
            place.channel,
            token.persona_id,
            token.user,
            place.user_name,
            place.private,
            WARY,
            now,
        ),
    )


def _place(tx: Tx, token: TaskToken) -> _Place:
    """The conversation of the run as it is now, or the private chat of the token's user."""
    if token.run_id is not None:
        parent = runs.find(tx, token.run_id)
        assert parent is not None, "a token goes with its run"
        return _Place(parent.conversation, parent.channel, parent.user_name, parent.private)
    assert token.conversation is not None, "a token without a run has a private chat"
    where = Conversation.parse(token.conversation)
    return _Place(where.key, where.channel, names.of(tx, token.user), True)


def _add(tx: Tx, run: Run, asked: Asked, fit: Fit | Unfit, state: CallState) -> Call:
    unfit = fit if isinstance(fit, Unfit) else None
    fits = fit if isinstance(fit, Fit) else None
    call = Call(
        id=new_id("call"),
        run_id=run.id,
        frame=None,
        turn=1,
        place=0,
        asked_id=asked.id,
        tool=asked.name[:200],
        capability_id=fits.tool.capability.id if fits else "",
        arguments=fits.arguments if fits else "{}",
        digest=fits.digest if fits else "",
        repeatable=fits.tool.repeatable if fits else True,
        state=state,
        result=unfit.message if unfit else None,
        failure=unfit.failure if unfit else None,
    )
    calls.add(tx, call)
    return call
