"""Sessions: what one persona remembers in one conversation."""

from dataclasses import dataclass

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.prepared import Prepared
from bot.store.tables import runs, sessions


@dataclass(frozen=True, slots=True)
class Session:
    id: str
    conversation: str
    channel: str
    persona_id: str
    created_at: float


_COLUMNS = (
    sessions.c.id,
    sessions.c.conversation,
    sessions.c.channel,
    sessions.c.persona_id,
    sessions.c.created_at,
)
_FIND = Prepared(
    sa.select(sessions.c.id).where(
        sessions.c.conversation == sa.bindparam("conversation"), sessions.c.persona_id == sa.bindparam("persona_id")
    )
)


def open_for(tx: Tx, conversation: str, channel: str, persona_id: str, new_id: str, now: float) -> str:
    """The id of the session of this persona here; it is opened as `new_id` if there is none."""
    found = tx.run(_FIND, {"conversation": conversation, "persona_id": persona_id}).scalar()
    if found is not None:
        return str(found)
    values = {
        "id": new_id,
        "conversation": conversation,
        "channel": channel,
        "persona_id": persona_id,
        "created_at": now,
    }
    tx.execute(sa.insert(sessions), values)
    return new_id


def any_in(tx: Tx, conversation: str) -> bool:
    """Does some persona remember something here?"""
    return tx.scalar(sa.select(sessions.c.id).where(sessions.c.conversation == conversation).limit(1)) is not None


def conversations_of(tx: Tx, channel: str, before: float) -> list[str]:
    """Where on this channel sessions are open that began before then."""
    query = sa.select(sessions.c.conversation).where(sessions.c.channel == channel, sessions.c.created_at < before)
    return list(tx.execute(query.distinct()).scalars())


def end(tx: Tx, conversation: str, persona_id: str | None = None) -> int:
    """End the sessions here (of one persona, or all): their runs no longer belong to any; how many ended."""
    which = sessions.c.conversation == conversation
    if persona_id is not None:
        which &= sessions.c.persona_id == persona_id
    return _end(tx, which)


def end_of(tx: Tx, persona_id: str) -> int:
    """End the sessions of this persona everywhere; how many there were."""
    return _end(tx, sessions.c.persona_id == persona_id)


def _end(tx: Tx, which: sa.ColumnElement[bool]) -> int:
    tx.execute(
        sa.update(runs).where(runs.c.session_id.in_(sa.select(sessions.c.id).where(which))).values(session_id=None)
    )
    return tx.execute(sa.delete(sessions).where(which)).rowcount


def everything(tx: Tx, channel: str | None, limit: int) -> list[Session]:
    """The newest first."""
    query = sa.select(*_COLUMNS).order_by(sessions.c.created_at.desc()).limit(limit)
    if channel is not None:
        query = query.where(sessions.c.channel == channel)
    return [Session(*row) for row in tx.execute(query)]
