"""Gives and takes rights: every change of a grant is written, entered into the audit, and at once in force."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from gettext import gettext as _

from bot.approver import Approver
from bot.closer import SERVICE
from bot.consequences import NAMED, still_allowed, widens
from bot.domain import lists
from bot.domain.approval import SCRIPTS, Approval
from bot.domain.capability import (
    AUTO_AT_MOST_S,
    EVERYONE,
    Capability,
    Decision,
    Effect,
    Grant,
    decide,
    decide_all,
    of_newcomer,
    pattern_server,
    server_of,
    server_pattern,
)
from bot.domain.lists import Change
from bot.domain.persona import Persona
from bot.domain.question import Question
from bot.errors import Impossible, Unknown
from bot.inventory import Inventory, Item
from bot.questioner import Questioner
from bot.store import approvals, audit, grants, names, personas, questions
from bot.store.database import Tx
from bot.surveyor import look

ENDED_AT_ONCE = 100
"""Rows that one sweep takes away."""


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
    """One item as one persona has it."""

    item: Item
    decision: Decision


class Granter:
    def __init__(self, inventory: Inventory, approver: Approver, questioner: Questioner) -> None:
        self.inventory = inventory
        self._approver = approver
        self._questioner = questioner

    def effective(self, tx: Tx, persona: Persona, now: float) -> list[Line]:
        """Everything that can be granted, and what this persona may do with it."""
        rows, items = grants.of(tx, persona.id), self.inventory.everything(tx)
        capabilities = [item.capability for item in items]
        decisions = decide_all(persona.id, persona.default_builtin, capabilities, rows, now)
        return [Line(item, as_it_stands(item, decision)) for item, decision in zip(items, decisions, strict=True)]

    def decision(self, tx: Tx, persona: Persona, capability_id: str, now: float) -> Decision:
        """What this persona may do with one capability. Raises Unknown."""
        item = self.find(tx, capability_id)
        return as_it_stands(item, _decided(tx, persona, item.capability, now))

    def widens_a_write(self, tx: Tx, wish: Wish, now: float) -> bool:
        """Would this let somebody write who could not, for longer, or without being asked, or let a tool be what it has
        become? Raises Impossible as `grant` does."""
        item = self._grantable(tx, wish, now)
        if wish.effect != "deny" and self.changed(tx, wish.capability):
            return True
        return widens(tx, self.inventory, item, wish.row(now), now)

    def changed(self, tx: Tx, capability_id: str) -> list[str]:
        """The tools of an MCP server among these that are not what was looked at any more, by their names."""
        server = self.inventory.server(tx, server_of(capability_id) or "")
        items = [] if server is None else self.inventory.of_server(tx, server)
        whole = pattern_server(capability_id) is not None
        return [item.name for item in items if item.suspended and (whole or item.id == capability_id)]

    def grant(self, tx: Tx, wish: Wish, now: float) -> None:
        """Make the row say this. Raises Impossible, and then nothing changed."""
        grants.hold(tx)
        self._grantable(tx, wish, now)
        if wish.effect == "deny" and pattern_server(wish.capability) is not None:
            self.take(tx, wish.persona_id, wish.capability, wish.by, now)
            return
        grants.put(tx, wish.row(now).replacing(grants.find(tx, wish.persona_id, wish.capability), now))
        until = None if wish.until is None else f"{wish.until:.0f}"
        detail = {"persona": wish.persona_id, "effect": wish.effect, "until": until, "reason": wish.reason or None}
        audit.record(tx, now, wish.by, "granted", wish.capability, detail)
        if wish.effect != "deny":
            self._looked_at(tx, wish.capability, wish.by, now, anew=True)
        self._recheck(tx, wish.capability, _revoked(tx, wish.by), now)

    def revoke(self, tx: Tx, persona_id: str, capability_id: str, by: str, now: float) -> str:
        """From now on it may not, also what runs or waits; rows that are nearer to a call stay, and are named. Says what
        holds now."""
        grants.hold(tx)
        self.known(tx, persona_id)
        self.find(tx, capability_id)
        self.take(tx, persona_id, capability_id, by, now)
        still = still_allowed(tx, persona_id, capability_id, now)
        if still:
            words = _("{capability} is revoked for {who}, but rows of their own still allow it for: {still}.")
            return words.format(capability=capability_id, who=persona_id, still=", ".join(still))
        words = _("{who} may no longer use {capability}. The command grant {who} {capability} gives it back.")
        return words.format(who=persona_id, capability=capability_id)

    # What the views are written through: each holds the grants, and takes only what was looked up before.

    def give(self, tx: Tx, persona_id: str, capability_id: str, by: str, now: float) -> None:
        """Let it. A persona that has it already, by a row of its own or everyone's, keeps how and until when."""
        rows, change = _of(tx, persona_id, capability_id), Change(capability_id, by, now)
        has = lists.giving(rows, capability_id, now)
        if persona_id in has:
            return
        if pattern_server(capability_id) is None:
            grants.put(tx, lists.given(has.get(EVERYONE), persona_id, change))
        else:
            grants.replace(tx, rows, lists.put_on(rows, persona_id, change))
        audit.record(tx, now, by, "granted", capability_id, {"persona": persona_id})
        self._looked_at(tx, capability_id, by, now, anew=pattern_server(capability_id) is None)
        self._recheck(tx, capability_id, _revoked(tx, by), now)

    def take(self, tx: Tx, persona_id: str, capability_id: str, by: str, now: float) -> None:
        """Deny it. All of a server is denied by having no row; anything else by a row, always: without one a default, or a
        row for everyone, would allow it again."""
        audit.record(tx, now, by, "revoked", capability_id, {"persona": persona_id})
        server = pattern_server(capability_id)
        if server is None:
            grants.put(tx, Grant(persona_id, capability_id, "deny", None, _("revoked"), by, now))
        else:
            everyones = grants.find(tx, EVERYONE, capability_id)
            rows = _of(tx, persona_id, capability_id) if everyones is None else grants.of_server(tx, server)
            change = Change(capability_id, by, now)
            grants.replace(tx, rows, lists.taken_off(rows, persona_id, personas.ids(tx), change))
        self._recheck(tx, capability_id, _revoked(tx, by), now)

    def clear(self, tx: Tx, persona_id: str, capability_id: str, by: str, now: float) -> None:
        """Take a persona's own row away, whatever it says: what holds for everyone, or the default, holds for it again."""
        if not grants.remove(tx, persona_id, capability_id):
            return
        audit.record(tx, now, by, "grant_cleared", capability_id, {"persona": persona_id})
        self._recheck(tx, capability_id, _revoked(tx, by), now)

    def relist(self, tx: Tx, server: str, persona_ids: Collection[str], by: str, now: float) -> None:
        """Make the list of a server say exactly this."""
        pattern = server_pattern(server)
        rows = grants.of_server(tx, server)
        after = lists.listed(rows, persona_ids, Change(pattern, by, now))
        if not grants.replace(tx, rows, after):
            return
        was, is_now = (lists.allowed(each, pattern, now) for each in (rows, after))
        audit.record(tx, now, by, "list_set", pattern, {"was": _few(was), "now": _few(is_now)})
        if set(is_now) - set(was):
            self._looked_at(tx, pattern, by, now, anew=False)
        self._recheck(tx, pattern, _revoked(tx, by), now)

    # What ends by itself, or with something else

    def end_past(self, tx: Tx, now: float) -> int:
        """Take away what has ended, bring back what it had replaced, and close what waits for it; how many rows."""
        if not grants.ended(tx, now, 1):
            return 0
        grants.hold(tx)
        past = grants.ended(tx, now, ENDED_AT_ONCE)
        for row in past:
            again = row.standing(now)
            if again is None:
                grants.remove(tx, row.persona_id, row.capability)
            else:
                grants.put(tx, again)
            audit.record(
                tx, now, SERVICE, "grant_ended", row.capability, {"persona": row.persona_id, "effect": row.effect}
            )
        for capability_id in sorted({row.capability for row in past}):
            self._recheck(tx, capability_id, _("the grant has ended"), now)
        return len(past)

    def forget(self, tx: Tx, capability_id: str, reason: str, now: float) -> int:
        """A skill (`skill/<name>`) or a server (`mcp/<server>/*`) is gone: its rows as well; how many there were."""
        server = pattern_server(capability_id)
        gone = grants.remove_capability(tx, capability_id) if server is None else grants.remove_server(tx, server)
        self.close_waiting(tx, capability_id, reason, now)
        return gone

    def close_waiting(self, tx: Tx, capability_id: str, reason: str, now: float) -> None:
        """Nobody may use it just now: whatever waits to is closed. The rows stay."""
        for approval in _waiting(tx, capability_id):
            self._approver.cancel(tx, approval, reason, now)
        for question in _asked(tx, capability_id):
            self._questioner.cancel(tx, question, reason, now)

    def recheck_persona(self, tx: Tx, persona_id: str, reason: str, now: float) -> None:
        """What this persona waits for and may no longer do is closed at once."""
        self._close_ungranted(tx, approvals.pending_of_persona(tx, persona_id), reason, now)
        self._close_unasked(tx, questions.pending_of_persona(tx, persona_id), reason, now)

    # What can be named

    def known(self, tx: Tx, persona_id: str) -> None:
        """Raises Unknown unless there is such a persona, or everyone is meant."""
        if persona_id != EVERYONE and personas.find(tx, persona_id) is None:
            words = _("There is no persona {name}. Nothing changed.")
            raise Unknown(words.format(name=persona_id[:80]), "unknown_persona", "persona_id")

    def find(self, tx: Tx, capability_id: str) -> Item:
        """Raises Unknown."""
        item = self.inventory.find(tx, capability_id)
        if item is None:
            words = _("There is no capability {name}. Nothing changed. /tools lists them.")
            raise Unknown(words.format(name=capability_id[:120]), "unknown_capability", "capability")
        return item

    def _grantable(self, tx: Tx, wish: Wish, now: float) -> Item:
        """What is wished for, if it may be given like this at all."""
        item = self.find(tx, wish.capability)
        self.known(tx, wish.persona_id)
        if wish.effect == "auto":
            if wish.until is None or wish.until - now > AUTO_AT_MOST_S + 1:
                words = _("auto needs an end of at most 24 hours, such as `for 2h`. Nothing changed.")
                raise Impossible(words, "auto_needs_end", "until")
            if item.capability.destructive:
                words = _("auto is never given for what deletes; use allow. Nothing changed.")
                raise Impossible(words, "auto_destructive", "effect")
        if wish.effect == "deny" and wish.until is not None and item.whole_server:
            words = _("A server is denied until it is granted again: leave the end out. Nothing changed.")
            raise Impossible(words, "deny_without_end", "until")
        return item

    def _looked_at(self, tx: Tx, capability_id: str, by: str, now: float, *, anew: bool) -> None:
        """Whoever grants tools of an MCP server grants them as they are at this moment. `anew`: also what has changed, or
        is new, which they were shown, or have named."""
        server = server_of(capability_id)
        tools = self.inventory.tools_of(server) if server is not None else []
        whole = pattern_server(capability_id) is not None
        look(tx, [tool for tool in tools if whole or tool.capability.id == capability_id], by, now, anew=anew)

    def _recheck(self, tx: Tx, capability_id: str, reason: str, now: float) -> None:
        self._close_ungranted(tx, _waiting(tx, capability_id), reason, now)
        self._close_unasked(tx, _asked(tx, capability_id), reason, now)

    def _close_ungranted(self, tx: Tx, waiting: Iterable[Approval], reason: str, now: float) -> None:
        for approval in waiting:
            persona = personas.find(tx, approval.persona_id)
            items = [self.inventory.find(tx, needed) for needed in approval.needs]
            if persona is None or any(
                item is None or not _decided(tx, persona, item.capability, now).granted for item in items
            ):
                self._approver.cancel(tx, approval, reason, now)

    def _close_unasked(self, tx: Tx, asked: Iterable[Question], reason: str, now: float) -> None:
        """What may no longer be used asks nothing more either."""
        for question in asked:
            persona, item = personas.find(tx, question.persona_id), self.inventory.find(tx, question.capability_id)
            if persona is None or item is None or not _decided(tx, persona, item.capability, now).granted:
                self._questioner.cancel(tx, question, reason, now)


def as_it_stands(item: Item, decision: Decision) -> Decision:
    """What the rows say of an item, as it is held against what was looked at."""
    return decision if item.new_since is None else of_newcomer(decision)


def _decided(tx: Tx, persona: Persona, capability: Capability, now: float) -> Decision:
    return decide(persona.id, persona.default_builtin, capability, grants.of(tx, persona.id), now)


def _of(tx: Tx, persona_id: str, capability_id: str) -> list[Grant]:
    """The rows of a persona and everyone's, for this and, where it is all of a server, for its single tools."""
    rows, server = grants.of(tx, persona_id), pattern_server(capability_id)
    both = [*rows.of(persona_id).values(), *rows.of(EVERYONE).values()]
    if server is None:
        return [row for row in both if row.capability == capability_id]
    return [row for row in both if server_of(row.capability) == server]


def _waiting(tx: Tx, capability_id: str) -> list[Approval]:
    server = pattern_server(capability_id)
    if server is not None:
        return approvals.pending_of_server(tx, server)
    scripts = approvals.pending_for(tx, SCRIPTS) if capability_id != SCRIPTS else []
    return [*approvals.pending_for(tx, capability_id), *(each for each in scripts if capability_id in each.needs)]


def _asked(tx: Tx, capability_id: str) -> list[Question]:
    server = pattern_server(capability_id)
    return questions.pending_for(tx, capability_id) if server is None else questions.pending_of_server(tx, server)


def _revoked(tx: Tx, by: str) -> str:
    return _("revoked by {by}").format(by=names.of(tx, by))


def _few(persona_ids: Sequence[str]) -> str:
    more = len(persona_ids) - NAMED
    return ", ".join(persona_ids[:NAMED]) + (f" and {more} more" if more > 0 else "")
