"""What an operator can do: the same functions behind commands, HTTP API and console. Each checks nothing about who asks."""

from collections.abc import Sequence
from dataclasses import dataclass
from gettext import gettext as _

from bot.approver import Approver
from bot.closer import Closer
from bot.domain.capability import AUTO_AT_MOST_S, EVERYONE, Capability, Decision, Effect, Grant, decide
from bot.domain.persona import Persona
from bot.errors import AskfirstError
from bot.store import approvals, audit, channels, conversations, grants, personas, sessions
from bot.store.database import Tx
from bot.store.sessions import Session
from bot.toolbox import Tool, Toolbox


class Impossible(AskfirstError):
    """What was asked for cannot be done; the text says why and what to do instead."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A grant that someone wants. `persona_id` may be `*`, `until` None for no end."""

    persona_id: str
    capability: str
    effect: Effect
    until: float | None
    reason: str
    by: str

    def row(self, now: float) -> Grant:
        return Grant(self.persona_id, self.capability, self.effect, self.until, self.reason, self.by, now)


@dataclass(frozen=True, slots=True)
class Line:
    """One capability as one persona has it."""

    tool: Tool
    decision: Decision


class Admin:
    def __init__(self, toolbox: Toolbox, approver: Approver, closer: Closer, configured: Sequence[str]) -> None:
        """`configured`: names of the channels in the configuration."""
        self._toolbox = toolbox
        self._approver = approver
        self._closer = closer
        self._configured = tuple(configured)

    @property
    def channel_names(self) -> tuple[str, ...]:
        return self._configured

    def effective(self, tx: Tx, persona: Persona, now: float) -> list[Line]:
        """Every capability and what this persona may do with it."""
        rows = grants.of(tx, persona.id)
        return [
            Line(tool, decide(persona.id, persona.default_builtin, tool.capability, rows, now))
            for tool in self._toolbox.tools
        ]

    def widens_a_write(self, tx: Tx, wish: Wish, now: float) -> bool:
        """Would this let somebody write who could not, or write without being asked? Raises Impossible as `grant` does."""
        capability = self._grantable(tx, wish, now)
        if capability.reads or wish.effect == "deny":
            return False
        for persona in self._concerned(tx, wish.persona_id):
            before = decide(persona.id, persona.default_builtin, capability, grants.of(tx, persona.id), now)
            if not before.granted or (wish.effect == "auto" and before.confirms) or _lasts_longer(wish, before):
                return True
        return False

    def grant(self, tx: Tx, wish: Wish, now: float) -> None:
        """Make the row say this. Raises Impossible, and then nothing changed."""
        capability = self._grantable(tx, wish, now)
        grants.put(tx, wish.row(now))
        until = None if wish.until is None else f"{wish.until:.0f}"
        detail = {"persona": wish.persona_id, "effect": wish.effect, "until": until, "reason": wish.reason or None}
        audit.record(tx, now, wish.by, "granted", wish.capability, detail)
        self._recheck_waiting(tx, capability, wish.by, now)

    def revoke(self, tx: Tx, persona_id: str, capability_id: str, by: str, now: float) -> str:
        """From now on it may not, also what runs or waits; rows that personas have of their own stay where everyone's is
        revoked, and are named. Says what holds now."""
        capability = self._capability(capability_id)
        if persona_id != EVERYONE and personas.find(tx, persona_id) is None:
            raise Impossible(_("There is no persona {name}. Nothing changed.").format(name=persona_id))
        # A row that denies, always: without it a default or a row of the configuration would allow it again.
        grants.put(tx, Grant(persona_id, capability_id, "deny", None, _("revoked"), by, now))
        audit.record(tx, now, by, "revoked", capability_id, {"persona": persona_id})
        self._recheck_waiting(tx, capability, by, now)
        still = [
            persona.id
            for persona in self._concerned(tx, persona_id)
            if decide(persona.id, persona.default_builtin, capability, grants.of(tx, persona.id), now).granted
        ]
        if still:
            words = _("{capability} is revoked for {who}, but rows of their own still allow it for: {still}.")
            return words.format(capability=capability_id, who=persona_id, still=", ".join(still))
        words = _("{who} may no longer use {capability}. The command grant {who} {capability} gives it back.")
        return words.format(who=persona_id, capability=capability_id)

    def disconnect(self, tx: Tx, name: str, by: str, now: float) -> int:
        """Switch a channel off: its runs, cards, queue and sessions end in this commit; how many sessions ended."""
        self._known_channel(name)
        if not channels.disconnect(tx, name, by, now):
            raise Impossible(_("{name} is disconnected already.").format(name=name))
        audit.record(tx, now, by, "disconnected", name, {})
        ended = self._closer.clear(tx, conversations.of_channel(tx, name), by, _("the channel was disconnected"), now)
        tx.tell("channel", name)
        return ended

    def connect(self, tx: Tx, name: str, by: str, now: float) -> None:
        """Switch a channel on; one that had ended by itself is started again."""
        self._known_channel(name)
        tx.tell("channel", name)
        if channels.connect(tx, name):
            audit.record(tx, now, by, "connected", name, {})

    def others_on(self, tx: Tx, name: str) -> bool:
        """Is any other channel on, from which this one could be brought back?"""
        return bool(set(self._configured) - channels.disconnected(tx) - {name})

    def sessions(self, tx: Tx, channel: str | None, limit: int) -> list[Session]:
        return sessions.everything(tx, channel, limit)

    def capability_ids(self) -> list[str]:
        return [tool.capability.id for tool in self._toolbox.tools]

    def _grantable(self, tx: Tx, wish: Wish, now: float) -> Capability:
        """What is wished for, if it may be given like this at all."""
        capability = self._capability(wish.capability)
        if wish.persona_id != EVERYONE and personas.find(tx, wish.persona_id) is None:
            raise Impossible(_("There is no persona {name}. Nothing changed.").format(name=wish.persona_id))
        if wish.effect == "auto":
            if wish.until is None or wish.until - now > AUTO_AT_MOST_S + 1:
                raise Impossible(_("auto needs an end of at most 24 hours, such as `for 2h`. Nothing changed."))
            if capability.destructive:
                raise Impossible(_("auto is never given for what deletes; use allow. Nothing changed."))
        return capability

    def _capability(self, capability_id: str) -> Capability:
        tool = self._toolbox.by_capability(capability_id)
        if tool is None:
            raise Impossible(
                _("There is no capability {name}. Nothing changed. /tools lists them.").format(name=capability_id)
            )
        return tool.capability

    def _known_channel(self, name: str) -> None:
        if name not in self._configured:
            known = ", ".join(self._configured)
            raise Impossible(
                _("There is no channel {name}. Nothing changed. There are: {known}.").format(name=name, known=known)
            )

    def _concerned(self, tx: Tx, persona_id: str) -> list[Persona]:
        everyone = personas.everyone(tx)
        return everyone if persona_id == EVERYONE else [persona for persona in everyone if persona.id == persona_id]

    def _recheck_waiting(self, tx: Tx, capability: Capability, by: str, now: float) -> None:
        """What waits for a decision and may no longer be done is closed at once."""
        for approval in approvals.pending_for(tx, capability.id):
            persona = personas.find(tx, approval.persona_id)
            rows = grants.of(tx, approval.persona_id)
            if persona is None or not decide(persona.id, persona.default_builtin, capability, rows, now).granted:
                self._approver.cancel(tx, approval, _("revoked by {by}").format(by=by), now)


def _lasts_longer(wish: Wish, before: Decision) -> bool:
    """Would what ends today go on for longer?"""
    ends = before.row.until if before.row is not None else None
    return ends is not None and (wish.until is None or wish.until > ends)
