"""What a grant would change, and what a revocation leaves."""

from collections.abc import Iterable, Iterator

from bot.domain.capability import EVERYONE, Capability, Decision, Grant, Grants, decide, pattern_server, server_of
from bot.domain.persona import Persona
from bot.inventory import Inventory, Item
from bot.store import grants, personas
from bot.store.database import Tx

NAMED = 20
"""Most that a sentence names."""


def widens(tx: Tx, inventory: Inventory, item: Item, row: Grant, now: float) -> bool:
    """Would this row let somebody write who could not, for longer, or without being asked?"""
    written = [each.capability for each in _within(tx, inventory, item) if not each.capability.reads]
    if row.effect == "deny" or not written:
        return False
    for persona, rows in _alike(_concerned(tx, row.persona_id), _rows_about(tx, item)):
        wished = rows.changed(row)
        for capability in written:
            before = decide(persona.id, persona.default_builtin, capability, rows, now)
            if _wider(before, decide(persona.id, persona.default_builtin, capability, wished, now)):
                return True
    return False


def still_allowed(tx: Tx, persona_id: str, capability_id: str, now: float) -> list[str]:
    """Who may use it, or some of it, all the same: by rows that a revocation leaves. At most `NAMED`."""
    server = server_of(capability_id)
    rows = grants.of_pattern(tx, capability_id) if server is None else grants.of_server(tx, server)
    whole = pattern_server(capability_id) is not None
    found: list[str] = []
    for row in rows:
        concerned = persona_id == EVERYONE or row.persona_id in (persona_id, EVERYONE)
        if not concerned or not row.gives(now) or len(found) == NAMED:
            continue
        who = row.persona_id if persona_id == EVERYONE else persona_id
        kept = Capability(row.capability if whole else capability_id, reads=False)
        told = who if kept.id == capability_id else f"{who} ({kept.id})"
        if told not in found and decide(who, "none", kept, grants.of(tx, who), now).granted:
            found.append(told)
    return found


def _within(tx: Tx, inventory: Inventory, item: Item) -> list[Item]:
    """The item; for everything of a server, also each of its tools that is known."""
    if not item.whole_server:
        return [item]
    return [each for each in inventory.everything(tx) if each.server == item.server and each.source == "mcp"]


def _rows_about(tx: Tx, item: Item) -> list[Grant]:
    """Everybody's rows that can decide about it, or about some of it."""
    server = server_of(item.id)
    return grants.of_pattern(tx, item.id) if server is None else grants.of_server(tx, server)


def _alike(people: Iterable[Persona], rows: Iterable[Grant]) -> Iterator[tuple[Persona, Grants]]:
    """One of all those for whom the same rows decide by the same default, with these rows: of thousands a few."""
    own: dict[str, list[Grant]] = {}
    for row in rows:
        own.setdefault(row.persona_id, []).append(row)
    seen = set()
    for persona in people:
        mine = own.get(persona.id, [])
        alike = (persona.default_builtin, *((row.capability, row.effect, row.until) for row in mine))
        if alike not in seen:
            seen.add(alike)
            yield persona, Grants([*own.get(EVERYONE, []), *mine])


def _concerned(tx: Tx, persona_id: str) -> list[Persona]:
    if persona_id == EVERYONE:
        return personas.everyone(tx)
    persona = personas.find(tx, persona_id)
    return [] if persona is None else [persona]


def _wider(before: Decision, after: Decision) -> bool:
    if not after.granted:
        return False
    return not before.granted or (before.confirms and not after.confirms) or _longer(before.row, after.row)


def _longer(before: Grant | None, after: Grant | None) -> bool:
    """Would what ends today go on for longer?"""
    if before is None or before.until is None:
        return False
    return after is None or after.until is None or after.until > before.until
