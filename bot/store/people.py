"""People whom the config does not name: who knocked, who was let in, who is ignored."""

from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import people

PersonState = Literal["knocked", "let_in", "ignored"]


@dataclass(frozen=True, slots=True)
class Person:
    """`conversation`: where they knocked, and where they are told that they were let in."""

    id: str
    name: str
    state: PersonState
    conversation: str


_FIND = sa.select(people.c.id, people.c.name, people.c.state, people.c.conversation).where(
    people.c.id == sa.bindparam("id")
)


def find(tx: Tx, person_id: str) -> Person | None:
    row = tx.execute(_FIND, {"id": person_id}).first()
    return None if row is None else Person(*row)


def knock(tx: Tx, person: Person, channel: str, now: float) -> bool:
    """Note a stranger; False if this one is known: told once is enough."""
    values = {
        "id": person.id,
        "channel": channel,
        "name": person.name,
        "state": "knocked",
        "at": now,
        "conversation": person.conversation,
    }
    return tx.insert_new(people, values)


def decide(tx: Tx, person_id: str, state: PersonState, by: str, now: float) -> bool:
    """Let someone in or ignore them; False if that was decided before."""
    statement = sa.update(people).where(people.c.id == person_id, people.c.state == "knocked")
    return tx.execute(statement.values(state=state, by=by, at=now)).rowcount == 1
