"""How long a run may work: while it waits for a person in the middle of a call, its time stands still."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class _Limit:
    """`waiting`: for how many answers at once, `since` when; `left` of the time then. All in seconds."""

    timeout: asyncio.Timeout
    waiting: int = 0
    since: float = 0.0
    left: float = 0.0
    waited: float = 0.0


class Patience:
    def __init__(self) -> None:
        self._limits: dict[str, _Limit] = {}

    @asynccontextmanager
    async def limit(self, run_id: str, seconds: float) -> AsyncIterator[None]:
        """Raises TimeoutError when the block has worked for so long."""
        async with asyncio.timeout(seconds) as timeout:
            self._limits[run_id] = _Limit(timeout)
            try:
                yield
            finally:
                del self._limits[run_id]

    @contextmanager
    def waiting(self, run_id: str) -> Iterator[None]:
        """The run waits for a person while the block lasts, if it is limited at all."""
        limit = self._limits.get(run_id)
        if limit is not None:
            _pause(limit)
        try:
            yield
        finally:
            if limit is not None and self._limits.get(run_id) is limit:
                _go_on(limit)

    def waited_s(self, run_id: str) -> float:
        """For how long it did so far."""
        limit = self._limits.get(run_id)
        if limit is None:
            return 0.0
        return limit.waited + (asyncio.get_running_loop().time() - limit.since if limit.waiting else 0.0)


def _pause(limit: _Limit) -> None:
    limit.waiting += 1
    if limit.waiting > 1 or limit.timeout.expired():
        return
    limit.since = asyncio.get_running_loop().time()
    limit.left = (limit.timeout.when() or limit.since) - limit.since
    limit.timeout.reschedule(None)


def _go_on(limit: _Limit) -> None:
    limit.waiting -= 1
    if limit.waiting or limit.timeout.expired():
        return
    now = asyncio.get_running_loop().time()
    limit.waited += now - limit.since
    limit.timeout.reschedule(now + limit.left)
