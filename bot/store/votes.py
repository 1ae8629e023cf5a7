"""Who agreed so far, where more than one must."""

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import votes


def add(tx: Tx, approval_id: str, person: str, name: str, now: float) -> bool:
    """False if this person had agreed before."""
    return tx.insert_new(votes, {"approval_id": approval_id, "person": person, "name": name, "at": now})


def of(tx: Tx, approval_id: str) -> list[str]:
    """The names, in the order in which they agreed."""
    query = sa.select(votes.c.name).where(votes.c.approval_id == approval_id).order_by(votes.c.at, votes.c.person)
    return list(tx.execute(query).scalars())


def clear(tx: Tx, approval_id: str) -> None:
    """What they agreed to has changed."""
    tx.execute(sa.delete(votes).where(votes.c.approval_id == approval_id))
