"""The one stored truth about grants."""

from collections.abc import Iterable
from dataclasses import fields

import sqlalchemy as sa

from bot.domain.capability import EVERYONE, Grant, Grants, pattern_server, server_of, server_pattern
from bot.store.database import Tx
from bot.store.prepared import Prepared
from bot.store.tables import grants

_COLUMNS = tuple(grants.c[field.name] for field in fields(Grant))
_FOR = Prepared(sa.select(*_COLUMNS).where(grants.c.persona_id.in_((sa.bindparam("persona"), EVERYONE))))
_KEYS = ["persona_id", "capability"]


def hold(tx: Tx) -> None:
    """From here to the commit nobody else changes a grant: what is read and written back stays whole. Readers go on."""
    if tx.postgres:
        tx.execute(sa.text("LOCK TABLE grants IN SHARE ROW EXCLUSIVE MODE"))


def of(tx: Tx, persona_id: str) -> Grants:
    """Every row that can concern this persona."""
    return Grants(Grant(*row) for row in tx.run(_FOR, {"persona": persona_id}))


def own(tx: Tx, persona_id: str) -> list[Grant]:
    """The rows of this persona, or of everyone, alone."""
    return _many(tx, grants.c.persona_id == persona_id)


def find(tx: Tx, persona_id: str, capability: str) -> Grant | None:
    found = _many(tx, _one(persona_id, capability))
    return found[0] if found else None


def of_pattern(tx: Tx, pattern: str) -> list[Grant]:
    """Everybody's rows for exactly this capability or pattern."""
    return _many(tx, grants.c.capability == pattern)


def of_server(tx: Tx, server: str) -> list[Grant]:
    """Everybody's rows for all or some of what this server offers."""
    beginning = server_pattern(server).removesuffix("*")
    rows = _many(tx, grants.c.capability.startswith(beginning, autoescape=True))
    return [row for row in rows if server_of(row.capability) == server]  # LIKE knows no case on SQLite


def everything(tx: Tx) -> list[Grant]:
    return _many(tx, sa.true())


def denying_servers(tx: Tx) -> list[Grant]:
    """Rows that deny all of a server: an earlier version kept them."""
    rows = _many(tx, (grants.c.effect == "deny") & grants.c.capability.like("mcp/%"))
    return [row for row in rows if pattern_server(row.capability) is not None]


def ended(tx: Tx, now: float, limit: int) -> list[Grant]:
    """Rows whose time is up."""
    return _many(tx, grants.c.until <= now, limit)


def put(tx: Tx, grant: Grant) -> None:
    """Make the row for this persona and capability say this."""
    put_all(tx, [grant])


def put_all(tx: Tx, rows: Iterable[Grant]) -> None:
    values = [{field.name: getattr(row, field.name) for field in fields(Grant)} for row in rows]
    if not values:
        return
    insert = tx.insert(grants)
    changed = {name: insert.excluded[name] for name in values[0] if name not in _KEYS}
    tx.execute(insert.on_conflict_do_update(index_elements=_KEYS, set_=changed), values)


def replace(tx: Tx, before: Iterable[Grant], after: Iterable[Grant]) -> bool:
    """Let the rows `before`, which are stored, be the rows `after`; False if they are the same."""
    stored = {(row.persona_id, row.capability): row for row in before}
    wanted = {(row.persona_id, row.capability): row for row in after}
    for persona_id, capability in stored.keys() - wanted.keys():
        remove(tx, persona_id, capability)
    put_all(tx, [row for key, row in wanted.items() if stored.get(key) != row])
    return stored != wanted


def put_missing(tx: Tx, grant: Grant) -> bool:
    """Add the row unless there is one: what admins changed at run time is not overwritten. True if it was added."""
    return tx.insert_new(grants, {field.name: getattr(grant, field.name) for field in fields(Grant)})


def remove(tx: Tx, persona_id: str, capability: str) -> bool:
    return tx.execute(sa.delete(grants).where(_one(persona_id, capability))).rowcount > 0


def remove_persona(tx: Tx, persona_id: str) -> int:
    """Every row of this persona; how many there were."""
    return tx.execute(sa.delete(grants).where(grants.c.persona_id == persona_id)).rowcount


def remove_capability(tx: Tx, capability: str) -> int:
    """Every row for exactly this; how many there were."""
    return tx.execute(sa.delete(grants).where(grants.c.capability == capability)).rowcount


def remove_server(tx: Tx, server: str) -> int:
    """Every row for all or some of what this server offers; how many there were."""
    return sum(remove_capability(tx, each) for each in {row.capability for row in of_server(tx, server)})


def _one(persona_id: str, capability: str) -> sa.ColumnElement[bool]:
    return (grants.c.persona_id == persona_id) & (grants.c.capability == capability)


def _many(tx: Tx, which: sa.ColumnElement[bool], limit: int | None = None) -> list[Grant]:
    query = sa.select(*_COLUMNS).where(which).order_by(grants.c.persona_id, grants.c.capability).limit(limit)
    return [Grant(*row) for row in tx.execute(query)]
