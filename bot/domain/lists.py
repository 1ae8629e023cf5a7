"""Who may use an MCP server: the list that the rows of its pattern say, and the rows that say a list. Pure.

A row for `mcp/<server>/*` never denies: what no row gives is denied, so that to deny is to have none. Rows that have
ended count as none. Every function takes the rows of one pattern and gives those that there are to be instead.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from bot.domain.capability import EVERYONE, Grant, pattern_server

Rows = dict[str, Grant]
"""What is given now, by persona."""


@dataclass(frozen=True, slots=True)
class Change:
    """Of which pattern, by whom and when."""

    pattern: str
    by: str
    now: float


def giving(rows: Iterable[Grant], now: float) -> Rows:
    return {row.persona_id: row for row in rows if row.gives(now)}


def allowed(rows: Iterable[Grant], now: float) -> list[str]:
    """The ids of the personas; `*` comes first where everyone may."""
    return sorted(giving(rows, now), key=lambda persona_id: (persona_id != EVERYONE, persona_id))


def put_on(rows: Iterable[Grant], persona_id: str, change: Change) -> Rows:
    """Give it to this persona. One that has it already keeps how and until when, be it by everyone's row."""
    after = giving(rows, change.now)
    if persona_id not in after:
        after[persona_id] = _given(after.get(EVERYONE), persona_id, change)
    return after


def taken_off(rows: Iterable[Grant], persona_id: str, known: Collection[str], change: Change) -> Rows:
    """Take it from this persona. What was everyone's becomes the own of all others known now, the same in all else: one
    that is made later starts without."""
    rows = list(rows)
    after = giving(rows, change.now)
    after.pop(persona_id, None)
    everyones = after.pop(EVERYONE, None) if persona_id != EVERYONE else None
    if everyones is None:
        return after
    denied = {row.persona_id for row in rows if row.effect == "deny" and row.holds(change.now)}
    for other in known:
        if other not in after and other not in denied and other != persona_id:
            after[other] = _given(everyones, other, change)
    return after


def listed(rows: Iterable[Grant], persona_ids: Collection[str], change: Change) -> Rows:
    """Make the list say exactly this. Who was on it, by name or by `*`, keeps how and until when."""
    before = giving(rows, change.now)
    everyones = before.get(EVERYONE)
    return {each: before.get(each) or _given(everyones, each, change) for each in persona_ids}


def denies_server(row: Grant) -> bool:
    """Such a row is never kept: see above."""
    return row.effect == "deny" and pattern_server(row.capability) is not None


def normal(rows: Iterable[Grant], known: Collection[str], now: float) -> list[Grant]:
    """The same said without a row that denies a server, where these personas are known."""
    rows = list(rows)
    kept = {(row.persona_id, row.capability): row for row in rows if not denies_server(row)}
    for denial in rows:
        if denies_server(denial) and denial.holds(now):
            of_server = [row for row in kept.values() if row.capability == denial.capability]
            change = Change(denial.capability, denial.made_by, now)
            after = taken_off(of_server, denial.persona_id, known, change)
            kept = {key: row for key, row in kept.items() if row.capability != denial.capability}
            kept |= {(row.persona_id, row.capability): row for row in after.values()}
    return list(kept.values())


def _given(like: Grant | None, persona_id: str, change: Change) -> Grant:
    if like is None:
        return Grant(persona_id, change.pattern, "allow", None, "", change.by, change.now)
    return replace(like, persona_id=persona_id, made_by=change.by, made_at=change.now)
