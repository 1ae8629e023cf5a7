"""Time that tests can move: real seconds plus a shift that only grows."""

import asyncio
import time


class Clock:
    def __init__(self) -> None:
        self._shift = 0.0
        self._moved = asyncio.Event()

    def now(self) -> float:
        """Seconds since the epoch, as this server sees it."""
        return time.time() + self._shift

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass at once; whoever sleeps here wakes when that was long enough."""
        self._shift += seconds
        self._moved.set()
        self._moved = asyncio.Event()

    async def sleep_until(self, moment: float) -> None:
        while (left := moment - self.now()) > 0:
            try:
                await asyncio.wait_for(self._moved.wait(), left)
            except TimeoutError:
                continue

    async def sleep(self, seconds: float) -> None:
        await self.sleep_until(self.now() + seconds)
