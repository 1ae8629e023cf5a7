"""Archives that somebody sent into a chat and that are still to be fetched."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import parcels as t


@dataclass(frozen=True, slots=True)
class Parcel:
    """`file` is what its channel fetches it by; `name` as somebody wrote it. `at`: when it came; `tries` to fetch it."""

    id: str
    conversation: str
    sender: str
    file: str
    name: str
    at: float
    tries: int = 0


_COLUMNS = (t.c.id, t.c.conversation, t.c.sender, t.c.file, t.c.name, t.c.at, t.c.tries)


def add(tx: Tx, parcel: Parcel) -> None:
    values = {column.name: getattr(parcel, column.name) for column in _COLUMNS}
    tx.execute(sa.insert(t).values(**values, taken_at=None))
    tx.tell("parcel", parcel.id)


def waiting(tx: Tx) -> Sequence[Parcel]:
    """In the order in which they came."""
    return _found(tx, t.c.taken_at.is_(None))


def cut_off(tx: Tx, before: float) -> Sequence[Parcel]:
    """Taken up before that, and not done with."""
    return _found(tx, t.c.taken_at < before)


def take(tx: Tx, parcel: Parcel, now: float) -> bool:
    """Whether it is ours to fetch now: nobody else has taken it up."""
    mine = sa.and_(t.c.id == parcel.id, t.c.taken_at.is_(None))
    return tx.execute(sa.update(t).where(mine).values(taken_at=now, tries=t.c.tries + 1)).rowcount == 1


def put_back(tx: Tx, parcel: Parcel) -> None:
    """Let it be tried again, by whoever comes first."""
    tx.execute(sa.update(t).where(t.c.id == parcel.id).values(taken_at=None))


def done(tx: Tx, parcel: Parcel) -> bool:
    """False if somebody was done with it before."""
    return tx.execute(sa.delete(t).where(t.c.id == parcel.id)).rowcount == 1


def _found(tx: Tx, which: sa.ColumnElement[bool]) -> Sequence[Parcel]:
    return [Parcel(*row) for row in tx.execute(sa.select(*_COLUMNS).where(which).order_by(t.c.at, t.c.id))]
