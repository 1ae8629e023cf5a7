"""The one stored truth about grants."""

from dataclasses import fields

import sqlalchemy as sa

from bot.domain.capability import EVERYONE, Grant, Grants
from bot.store.database import Tx
from bot.store.prepared import Prepared
from bot.store.tables import grants

_COLUMNS = tuple(grants.c[field.name] for field in fields(Grant))
_FOR = Prepared(sa.select(*_COLUMNS).where(grants.c.persona_id.in_((sa.bindparam("persona"), EVERYONE))))


def of(tx: Tx, persona_id: str) -> Grants:
    """Every row that can concern this persona."""
    return Grants(Grant(*row) for row in tx.run(_FOR, {"persona": persona_id}))


def everything(tx: Tx) -> list[Grant]:
    query = sa.select(*_COLUMNS).order_by(grants.c.persona_id, grants.c.capability)
    return [Grant(*row) for row in tx.execute(query)]


def put(tx: Tx, grant: Grant) -> None:
    """Make the row for this persona and capability say this."""
    values = {field.name: getattr(grant, field.name) for field in fields(Grant)}
    keys = ["persona_id", "capability"]
    changed = {name: value for name, value in values.items() if name not in keys}
    tx.execute(tx.insert(grants).values(values).on_conflict_do_update(index_elements=keys, set_=changed))


def put_missing(tx: Tx, grant: Grant) -> None:
    """Add the row unless there is one: what admins changed at run time is not overwritten."""
    values = {field.name: getattr(grant, field.name) for field in fields(Grant)}
    tx.insert_new(grants, values)


def remove(tx: Tx, persona_id: str, capability: str) -> bool:
    statement = sa.delete(grants).where(grants.c.persona_id == persona_id, grants.c.capability == capability)
    return tx.execute(statement).rowcount > 0
