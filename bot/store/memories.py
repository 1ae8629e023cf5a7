"""The shelf of what a persona remembers, bounded by scope: what was said in private is never found in a group."""

from dataclasses import dataclass

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import memories
from bot.store.words import holds, words


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose memories: of this persona, in this scope (`user:<person>` or `chat:<channel>:<chat>`)."""

    persona_id: str
    scope: str


@dataclass(frozen=True, slots=True)
class Memory:
    id: int
    text: str
    at: float


def add(tx: Tx, owner: Owner, text: str, now: float) -> int:
    """Keep a memory; returns its id."""
    values = {"persona_id": owner.persona_id, "scope": owner.scope, "text": text, "at": now}
    memory_id: int = tx.scalar(memories.insert().values(values).returning(memories.c.id))
    return memory_id


def update(tx: Tx, owner: Owner, memory_id: int, text: str, now: float) -> bool:
    """False: there is no such memory here."""
    return tx.execute(memories.update().where(_one(owner, memory_id)).values(text=text, at=now)).rowcount == 1


def delete(tx: Tx, owner: Owner, memory_id: int) -> bool:
    """False: there is no such memory here."""
    return tx.execute(memories.delete().where(_one(owner, memory_id))).rowcount == 1


def get(tx: Tx, owner: Owner, memory_id: int) -> Memory | None:
    row = tx.execute(_memories().where(_one(owner, memory_id))).first()
    return None if row is None else Memory(*row)


def read(tx: Tx, owner: Owner, query: str = "") -> tuple[Memory, ...]:
    """All that hold every word of `query`, the latest first; all of them for an empty one.

    Filtered here and not by an index: one scope holds few, and both databases then agree on what a word is.
    """
    wanted = words(query)
    rows = tx.execute(_memories().where(_of(owner)).order_by(memories.c.at.desc(), memories.c.id.desc()))
    return tuple(memory for memory in (Memory(*row) for row in rows) if holds(memory.text, wanted))


def _memories() -> sa.Select[tuple[int, str, float]]:
    return sa.select(memories.c.id, memories.c.text, memories.c.at)


def _of(owner: Owner) -> sa.ColumnElement[bool]:
    return (memories.c.persona_id == owner.persona_id) & (memories.c.scope == owner.scope)


def _one(owner: Owner, memory_id: int) -> sa.ColumnElement[bool]:
    return _of(owner) & (memories.c.id == memory_id)
