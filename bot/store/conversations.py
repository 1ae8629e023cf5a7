"""Conversations: which persona talks in each, where it moved to, and whether we were removed from it."""

from dataclasses import dataclass

import sqlalchemy as sa

from bot.domain.run import group_scope
from bot.store.database import Tx
from bot.store.prepared import Prepared
from bot.store.tables import (
    approvals,
    chosen_skills,
    conversations,
    memories,
    moves,
    notes,
    outbox,
    questions,
    runs,
    sessions,
)
from channels.events import Conversation


@dataclass(frozen=True, slots=True)
class Known:
    """`persona_id`: switched to here, None for the channel's own. `gone_at`: what was said until then is void."""

    key: str
    persona_id: str | None
    gone_at: float | None


_FIND = Prepared(
    sa.select(conversations.c.key, conversations.c.persona_id, conversations.c.gone_at).where(
        conversations.c.key == sa.bindparam("key")
    )
)


def meet(tx: Tx, where: Conversation) -> Known:
    """The conversation's row, under its new id if it moved; made if this is the first that is heard of it.

    On PostgreSQL it also takes the chat's lock: ids follow the order of inserts, not of commits, and a removal from the
    chat must not pass a message in one of its threads unseen.
    """
    if tx.postgres:
        chat = f"{where.channel}:{where.chat}"
        tx.execute(sa.text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"), {"key": chat})
    row = tx.run(_FIND, {"key": where.key}).first()
    if row is not None:
        return Known(*row)
    moved = resolve(tx, where)
    if moved != where:
        return meet(tx, moved)
    values = {"key": where.key, "channel": where.channel}
    tx.insert_new(conversations, values)
    return Known(where.key, None, None)


def find(tx: Tx, key: str) -> Known | None:
    row = tx.run(_FIND, {"key": key}).first()
    return None if row is None else Known(*row)


def switch_persona(tx: Tx, key: str, persona_id: str) -> None:
    tx.execute(sa.update(conversations).where(conversations.c.key == key).values(persona_id=persona_id))


def mark_gone(tx: Tx, keys: list[str], at: float) -> None:
    tx.execute(sa.update(conversations).where(conversations.c.key.in_(keys)).values(gone_at=at, persona_id=None))
    tx.execute(sa.delete(chosen_skills).where(chosen_skills.c.conversation.in_(keys)))


def of_channel(tx: Tx, channel: str) -> list[str]:
    return list(tx.execute(sa.select(conversations.c.key).where(conversations.c.channel == channel)).scalars())


def of_chat(tx: Tx, where: Conversation) -> list[str]:
    """The chat itself and every thread of it that we know."""
    return [key for key in of_channel(tx, where.channel) if Conversation.parse(key).chat == where.chat]


def resolve(tx: Tx, where: Conversation) -> Conversation:
    """Where this chat goes on, if the platform gave it another id."""
    new = tx.scalar(sa.select(moves.c.new_chat).where(moves.c.channel == where.channel, moves.c.old_chat == where.chat))
    return where if new is None else Conversation(where.channel, new, where.thread)


def move(tx: Tx, where: Conversation, to: Conversation) -> bool:
    """Everything that belongs to the chat `where` goes on under `to`; False if it had moved before."""
    values = {"channel": where.channel, "old_chat": where.chat, "new_chat": to.chat}
    if not tx.insert_new(moves, values):
        return False
    for key in of_chat(tx, where):
        thread = Conversation.parse(key).thread
        new_key = Conversation(to.channel, to.chat, thread).key
        _rename(tx, key, new_key)
    for table in (notes, memories):
        tx.execute(sa.update(table).where(table.c.scope == group_scope(where)).values(scope=group_scope(to)))
    return True


def _rename(tx: Tx, key: str, new_key: str) -> None:
    fresh = tx.scalar(sa.select(sa.func.count()).select_from(sessions).where(sessions.c.conversation == new_key)) == 0
    tx.execute(sa.delete(conversations).where(conversations.c.key == new_key))
    tx.execute(sa.update(conversations).where(conversations.c.key == key).values(key=new_key))
    if fresh:
        tx.execute(sa.update(sessions).where(sessions.c.conversation == key).values(conversation=new_key))
    tx.execute(sa.delete(chosen_skills).where(chosen_skills.c.conversation == new_key))
    tx.execute(sa.update(chosen_skills).where(chosen_skills.c.conversation == key).values(conversation=new_key))
    for table in (runs, approvals, questions):
        tx.execute(sa.update(table).where(table.c.conversation == key).values(conversation=new_key))
    # The platform counts messages anew under the new id: an old number may be that of another message there.
    tx.execute(sa.update(outbox).where(outbox.c.conversation == key).values(conversation=new_key, ref=None))
