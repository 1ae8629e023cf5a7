"""Waiting for something to become true, without polling: looked at again at each change."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Waiters:
    def __init__(self) -> None:
        self._change: asyncio.Future[None] | None = None

    def changed(self) -> None:
        """Something happened. Costs nothing while nobody waits."""
        if self._change is not None:
            self._change.set_result(None)
            self._change = None

    async def until(self, look: Callable[[], T | None], timeout: float) -> T | None:
        """What `look` gives, as soon as it gives something; None after `timeout` seconds of real time."""
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout
        while (found := look()) is None:
            if self._change is None:
                self._change = loop.create_future()
            done, _ = await asyncio.wait({self._change}, timeout=max(0.0, end - loop.time()))
            if not done:
                return look()
        return found
