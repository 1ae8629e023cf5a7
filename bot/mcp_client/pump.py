"""Lines of JSON out of a pipe: of any length up to a bound, at a pace that leaves time for everybody else."""

import asyncio
from collections.abc import AsyncIterator

LONGEST = 32 * 1024 * 1024
"""Bytes of one message. A file of 20 MB as base64 fits."""

BYTES_PER_S = 2 * 1024 * 1024
BURST_BYTES = 64 * 1024 * 1024
"""What one server may say in the long run, and at once: reading JSON costs time that all others wait for."""

_PIECE = 256 * 1024


class TooLong(Exception):
    """A line is longer than can be taken; what follows cannot be told apart from it."""


class Pace:
    """So many in a second, with a burst. Whoever is ahead of it is made to wait; a pipe then fills, and its writer waits."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._left = burst
        self._at = asyncio.get_running_loop().time()

    async def spend(self, cost: float = 1) -> None:
        now = asyncio.get_running_loop().time()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate) - cost
        self._at = now
        if self._left < 0:
            await asyncio.sleep(-self._left / self._rate)


async def lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Each line without its end; blank ones are left out. A rest without an end is no line. Raises TooLong."""
    rest = bytearray()
    looked = 0
    while piece := await reader.read(_PIECE):
        rest += piece
        while (end := rest.find(b"\n", looked)) >= 0:
            line = bytes(rest[:end]).strip()
            del rest[: end + 1]
            looked = 0
            if line:
                yield line
        looked = len(rest)
        if looked > LONGEST:
            raise TooLong
