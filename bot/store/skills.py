"""The switches of skills, each set of them for the files that it was set for. The skills themselves are on disk."""

from dataclasses import asdict, dataclass, fields

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.prepared import Prepared
from bot.store.tables import skills

LEAVING = "leaving"
"""The digest of a skill that was deleted, until its files are gone."""


@dataclass(frozen=True, slots=True)
class Switches:
    """`digest`: of the files that somebody looked at when these were set; for others they mean nothing."""

    name: str
    enabled: bool
    trusted: bool
    scripts_enabled: bool
    digest: str
    made_by: str
    created_at: float


_COLUMNS = tuple(skills.c[field.name] for field in fields(Switches))
_ALL = Prepared(sa.select(*_COLUMNS))


def everything(tx: Tx) -> list[Switches]:
    return [Switches(*row) for row in tx.run(_ALL, {})]


def find(tx: Tx, name: str) -> Switches | None:
    """Until the commit nobody else changes them."""
    row = tx.execute(sa.select(*_COLUMNS).where(skills.c.name == name).with_for_update()).first()
    return None if row is None else Switches(*row)


def put(tx: Tx, switches: Switches) -> None:
    values = asdict(switches)
    changed = {name: value for name, value in values.items() if name != "name"}
    tx.execute(tx.insert(skills).values(values).on_conflict_do_update(index_elements=["name"], set_=changed))


def delete_leaving(tx: Tx, name: str) -> bool:
    """The files are gone; False if there is another skill of this name by now."""
    gone = sa.delete(skills).where(skills.c.name == name, skills.c.digest == LEAVING)
    return tx.execute(gone).rowcount == 1
