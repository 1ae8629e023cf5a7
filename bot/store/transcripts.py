"""What the browser chat shows. Changes of one conversation are numbered without a gap, in the order of their commits."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import transcripts as t


@dataclass(frozen=True, slots=True)
class Row:
    id: int
    conversation: str
    message_id: str
    change: int
    author: str
    body: str
    at: float
    edited_at: float | None
    removed: bool


def append(tx: Tx, conversation: str, message_id: str, author: str, body: str, at: float) -> None:
    """Add a message; nothing happens if it is there. One that was removed comes back, in its old place."""
    change = _next_change(tx, conversation)
    there = find(tx, conversation, message_id)
    if there is None:
        values = {"conversation": conversation, "message_id": message_id, "change": change}
        said = {"author": author, "body": body, "at": at, "edited_at": None, "removed": False}
        tx.execute(sa.insert(t).values(**values, **said))
        return
    if there.removed and there.author == author:
        tx.execute(_one(conversation, message_id).values(body=body, at=at, removed=False, change=change))


def find(tx: Tx, conversation: str, message_id: str) -> Row | None:
    found = tx.execute(sa.select(t).where(t.c.conversation == conversation, t.c.message_id == message_id)).first()
    return Row(*found) if found else None


def replace(tx: Tx, conversation: str, message_id: str, body: str, at: float) -> bool:
    """Let a message say this instead; False if there is no such message, or it was removed."""
    change = _next_change(tx, conversation)
    statement = _one(conversation, message_id).where(t.c.removed.is_(False))
    return tx.execute(statement.values(body=body, edited_at=at, change=change)).rowcount == 1


def remove(tx: Tx, conversation: str, message_id: str, at: float) -> None:
    """Take a message away; its place and its change are kept, its words are not."""
    change = _next_change(tx, conversation)
    statement = _one(conversation, message_id).where(t.c.removed.is_(False))
    tx.execute(statement.values(body="", edited_at=at, removed=True, change=change))


def since(tx: Tx, conversation: str, change: int, limit: int) -> Sequence[Row]:
    """The first `limit` changes after `change`, removals among them."""
    statement = sa.select(t).where(t.c.conversation == conversation, t.c.change > change)
    return [Row(*row) for row in tx.execute(statement.order_by(t.c.change).limit(limit))]


def page(tx: Tx, conversation: str, before: int | None, limit: int) -> tuple[Sequence[Row], int]:
    """The newest `limit` rows below the id `before`, oldest first, without removed ones; and the latest change."""
    statement = sa.select(t).where(t.c.conversation == conversation, t.c.removed.is_(False))
    if before is not None:
        statement = statement.where(t.c.id < before)
    rows = [Row(*row) for row in tx.execute(statement.order_by(t.c.id.desc()).limit(limit))]
    return rows[::-1], _latest_change(tx, conversation)


def _one(conversation: str, message_id: str) -> sa.Update:
    return sa.update(t).where(t.c.conversation == conversation, t.c.message_id == message_id)


def _next_change(tx: Tx, conversation: str) -> int:
    """On PostgreSQL others wait here until we have committed: else a reader could see change 8 before 7 and miss 7."""
    if tx.postgres:
        tx.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(f"transcript {conversation}", 0))))
    return _latest_change(tx, conversation) + 1


def _latest_change(tx: Tx, conversation: str) -> int:
    return tx.scalar(sa.select(sa.func.max(t.c.change)).where(t.c.conversation == conversation)) or 0
