"""Files that go to a chat: kept from the commit of the call that gave them until some days later."""

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import files as t
from channels.files import File

KEPT_S = 7 * 24 * 3600.0

_COLUMNS = (t.c.name, t.c.mime, t.c.content)


def add(tx: Tx, file_id: str, run_id: str, conversation: str, file: File, now: float) -> None:
    values = {"id": file_id, "run_id": run_id, "conversation": conversation, "created_at": now}
    values |= {"name": file.name, "mime": file.mime, "content": file.content}
    tx.execute(sa.insert(t).values(values))


def find(tx: Tx, file_id: str) -> File | None:
    return _found(tx, t.c.id == file_id)


def find_in(tx: Tx, conversation: str, file_id: str) -> File | None:
    """None as well for one that was given elsewhere."""
    return _found(tx, sa.and_(t.c.id == file_id, t.c.conversation == conversation))


def forget_old(tx: Tx, now: float) -> int:
    """Drop what was kept long enough; how many went."""
    return tx.execute(sa.delete(t).where(t.c.created_at < now - KEPT_S)).rowcount


def _found(tx: Tx, which: sa.ColumnElement[bool]) -> File | None:
    row = tx.execute(sa.select(*_COLUMNS).where(which)).first()
    return None if row is None else File(row.name, row.mime, bytes(row.content))
