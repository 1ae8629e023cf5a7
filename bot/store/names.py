"""What people are called: to be shown, never to be matched."""

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import names

LONGEST = 80


def note(tx: Tx, person: str, name: str) -> None:
    """Remember what a person (`tg:4242`) is called now."""
    called = " ".join(name.split())[:LONGEST]
    if not tx.insert_new(names, {"person": person, "name": called}):
        tx.execute(sa.update(names).where(names.c.person == person).values(name=called))


def of(tx: Tx, person: str) -> str:
    """The name; for someone who was never heard, and for what is no person, what was asked about."""
    found: str | None = tx.scalar(sa.select(names.c.name).where(names.c.person == person))
    return found or person
