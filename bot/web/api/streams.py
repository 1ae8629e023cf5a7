"""The open streams: how many there are, their pace, and their end."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """Times in seconds.

    look: the log of a run is written by whichever machine works on it, so it is looked at this often. heartbeat: proxies
    cut a connection that says nothing for a minute, many of them sooner. slow: a reader that takes nothing for so long is
    let go; it can come back and resume. batch: lines of the log that are read at once. most: streams open at once.
    """

    look: float = 0.3
    heartbeat: float = 15.0
    slow: float = 20.0
    batch: int = 200
    most: int = 64


USUAL = Pace()


class Streams:
    def __init__(self, pace: Pace = USUAL) -> None:
        self.pace = pace
        self._open = 0
        self._closing = asyncio.Event()

    @property
    def full(self) -> bool:
        return self._open >= self.pace.most

    @property
    def closed(self) -> bool:
        return self._closing.is_set()

    @contextmanager
    def place(self) -> Iterator[None]:
        """One more is open while this lasts."""
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1

    def close(self) -> None:
        """The service stops: every stream ends."""
        self._closing.set()

    async def pause(self) -> None:
        """Until it is time to look again, or the service stops."""
        try:
            async with asyncio.timeout(self.pace.look):
                await self._closing.wait()
        except TimeoutError:
            return
