"""Who may use an MCP server: the list that its rows say, and the rows that say a list. Pure.

A row for all of a server (`mcp/<server>/*`) never denies: what no row gives is denied, so that to deny is to have none.
Rows that have ended count as none. Every function takes all rows of one server, those for single tools as well, and gives
those that there are to be instead.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from bot.domain.capability import EVERYONE, Grant, pattern_server, server_of


@dataclass(frozen=True, slots=True)
class Change:
    """Of which pattern, by whom and when."""

    pattern: str
    by: str
    now: float


def giving(rows: Iterable[Grant], pattern: str, now: float) -> dict[str, Grant]:
    """By persona, the rows that give all of it, as they stand now."""
    standing = (row.standing(now) for row in rows if row.capability == pattern)
    return {row.persona_id: row for row in standing if row is not None and row.effect != "deny"}


def allowed(rows: Iterable[Grant], pattern: str, now: float) -> list[str]:
    """The ids of the personas; `*` comes first where everyone may."""
    return sorted(giving(rows, pattern, now), key=lambda persona_id: (persona_id != EVERYONE, persona_id))


def put_on(rows: Sequence[Grant], persona_id: str, change: Change) -> list[Grant]:
    """Give it to this persona. One that has it already keeps how and until when, be it by everyone's row."""
    after = giving(rows, change.pattern, change.now)
    if persona_id not in after:
        after[persona_id] = given(after.get(EVERYONE), persona_id, change)
    return _instead(rows, after, change)


def taken_off(rows: Sequence[Grant], persona_id: str, known: Collection[str], change: Change) -> list[Grant]:
    """Take it from this persona. What was everyone's becomes the own of all others known now, the same in all else: one
    that is made later starts without."""
    after = giving(rows, change.pattern, change.now)
    everyones = after.get(EVERYONE)
    after.pop(persona_id, None)
    if everyones is None or persona_id == EVERYONE:
        return _instead(rows, after, change)
    del after[EVERYONE]
    denied = {row.persona_id for row in rows if row.capability == change.pattern and row.denies(change.now)}
    for other in known:
        if other not in after and other not in denied and other != persona_id:
            after[other] = given(everyones, other, change)
    return _instead(rows, after, change)


def listed(rows: Sequence[Grant], persona_ids: Collection[str], change: Change) -> list[Grant]:
    """Make the list say exactly this. Who was on it, by name or by `*`, keeps how and until when."""
    before = giving(rows, change.pattern, change.now)
    everyones = before.get(EVERYONE)
    after = {each: before.get(each) or given(everyones, each, change) for each in persona_ids}
    return _instead(rows, after, change)


def given(like: Grant | None, persona_id: str, change: Change) -> Grant:
    """A row of a persona's own: the same as another, or a plain one."""
    if like is None:
        return Grant(persona_id, change.pattern, "allow", None, "", change.by, change.now)
    return replace(like, persona_id=persona_id, made_by=change.by, made_at=change.now)


def denies_server(row: Grant) -> bool:
    """Such a row is never kept: see above."""
    return row.effect == "deny" and pattern_server(row.capability) is not None


def normal(rows: Sequence[Grant], known: Collection[str], now: float) -> list[Grant]:
    """The same said without a row that denies a server, where these personas are known."""
    said = [row for row in rows if not denies_server(row)]
    for denial in rows:
        if denies_server(denial) and denial.holds(now):
            server = server_of(denial.capability)
            change = Change(denial.capability, denial.made_by, now)
            of_server = [row for row in said if server_of(row.capability) == server]
            said = [row for row in said if server_of(row.capability) != server]
            said += taken_off(of_server, denial.persona_id, known, change)
    return said


def _instead(rows: Sequence[Grant], after: dict[str, Grant], change: Change) -> list[Grant]:
    """The rows of the server, with these for all of it.

    A row of one's own for all of it is nearer than everyone's for one tool. Whoever had only everyone's so far is given
    everyone's rows for single tools as well: what these denied is not to come in with the change.
    """
    before = giving(rows, change.pattern, change.now)
    single = {(row.persona_id, row.capability): row for row in rows if row.capability != change.pattern}
    everyones = [row for row in single.values() if row.persona_id == EVERYONE and row.standing(change.now)]
    for persona_id in after.keys() - before.keys() - {EVERYONE} if EVERYONE in before else ():
        for row in everyones:
            own = single.get((persona_id, row.capability))
            if own is None or own.standing(change.now) is None:
                single[persona_id, row.capability] = given(row, persona_id, change)
    return [*after.values(), *single.values()]
