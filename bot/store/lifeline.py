"""A sign of life on PostgreSQL: a lock that ends with the process that holds it, at once and however that ends."""

import psycopg

from bot.errors import StoreUnavailable
from bot.store.jobs import WORKER_LOCK

PATIENCE = "-c lock_timeout=5s"
"""Only a session of ours that the server still takes for alive can be in the way."""


class Lifeline:
    """A database session of its own that holds a lock in the name of this process's worker."""

    def __init__(self, url: str) -> None:
        """`url` as libpq reads it."""
        self._url = url
        self._session: psycopg.AsyncConnection[tuple[object, ...]] | None = None
        self._worker: int | None = None

    async def hold(self, worker: int) -> None:
        """From now on everyone can see that this worker lives. Raises StoreUnavailable."""
        if self._worker != worker:
            self._worker = worker
            await self._take(worker)

    async def renew(self) -> None:
        """Take the lock again if the session was lost meanwhile. Raises StoreUnavailable."""
        if self._worker is None:
            return
        try:
            if self._session is not None:
                await self._session.execute("SELECT 1")
                return
        except psycopg.OperationalError:
            await self.close()
        await self._take(self._worker)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _take(self, worker: int) -> None:
        try:
            if self._session is None:
                self._session = await psycopg.AsyncConnection.connect(self._url, autocommit=True, options=PATIENCE)
            await self._session.execute("SELECT pg_advisory_lock(%s, %s)", (WORKER_LOCK, worker))
        except psycopg.OperationalError as error:
            await self.close()
            raise StoreUnavailable("The database cannot be used just now.") from error
