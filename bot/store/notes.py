"""The shelf of notes: a list for a person or for a group, the same for every persona there."""

from dataclasses import dataclass

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import notes


@dataclass(frozen=True, slots=True)
class Note:
    id: int
    text: str
    added_by: str
    at: float


def add(tx: Tx, scope: str, text: str, added_by: str, now: float) -> int:
    """Keep a note; returns its id."""
    values = {"scope": scope, "text": text, "added_by": added_by, "at": now}
    note_id: int = tx.scalar(notes.insert().values(values).returning(notes.c.id))
    return note_id


def delete(tx: Tx, scope: str, note_id: int) -> bool:
    """False: there is no such note here."""
    return tx.execute(notes.delete().where(_one(scope, note_id))).rowcount == 1


def get(tx: Tx, scope: str, note_id: int) -> Note | None:
    row = tx.execute(_notes().where(_one(scope, note_id))).first()
    return None if row is None else Note(*row)


def listed(tx: Tx, scope: str, limit: int) -> tuple[Note, ...]:
    """The newest first, at most `limit`."""
    rows = tx.execute(_notes().where(notes.c.scope == scope).order_by(notes.c.id.desc()).limit(limit))
    return tuple(Note(*row) for row in rows)


def count(tx: Tx, scope: str) -> int:
    number: int = tx.scalar(sa.select(sa.func.count()).select_from(notes).where(notes.c.scope == scope))
    return number


def _notes() -> sa.Select[tuple[int, str, str, float]]:
    return sa.select(notes.c.id, notes.c.text, notes.c.added_by, notes.c.at)


def _one(scope: str, note_id: int) -> sa.ColumnElement[bool]:
    return (notes.c.scope == scope) & (notes.c.id == note_id)
