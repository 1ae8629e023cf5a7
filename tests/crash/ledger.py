"""What the database says, read beside the running service."""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import make_url

from bot.store.database import is_postgres
from bot.store.tables import approvals, outbox, runs


@dataclass(frozen=True, slots=True)
class Ran:
    """A run, by the number that the platform gave the message it answers."""

    conversation: str
    message: str
    state: str


class Ledger:
    def __init__(self, url: str) -> None:
        address = make_url(url).set(drivername="postgresql+psycopg") if is_postgres(url) else make_url(url)
        self._engine = sa.create_engine(address, poolclass=sa.pool.NullPool)

    def runs(self) -> list[Ran]:
        """In the order in which they were accepted."""
        query = sa.select(runs.c.conversation, runs.c.message_ref, runs.c.state).order_by(runs.c.seq)
        with self._engine.connect() as connection:
            return [Ran(*row) for row in connection.execute(query)]

    def approvals(self) -> Counter[str]:
        """How many there are of each call."""
        with self._engine.connect() as connection:
            return Counter(connection.execute(sa.select(approvals.c.call_id)).scalars())

    async def settled(self, within: float) -> None:
        """Until nothing is being worked on and all that was to be sent is sent, and recorded."""
        end = time.monotonic() + within
        while busy := self._busy():
            assert time.monotonic() < end, f"still busy: {busy}"
            await asyncio.sleep(0.02)  # a table has no event to wait for

    def _busy(self) -> list[str]:
        unsent = sa.select(outbox.c.key).where(outbox.c.state.in_(("due", "sending")))
        working = sa.select(runs.c.id).where(runs.c.state.in_(("queued", "running")), runs.c.ended_at.is_(None))
        with self._engine.connect() as connection:
            return [*connection.execute(unsent).scalars(), *connection.execute(working).scalars()]
