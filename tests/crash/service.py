"""One life of the service, as a test sees it."""

import asyncio
import signal
import time
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Self

import aiohttp

from tests.crash.fuse import Fuse
from tests.crash.launcher import launch
from tests.flows.house import Written

PATIENCE_S = 40.0
"""How long a slow machine may take over anything, a restart included."""


class Service:
    """`url`: where its web server listens. With a fuse it may die before it is quite up."""

    def __init__(self, process: ForkServerProcess, url: str, log: Path) -> None:
        self._process = process
        self.url = url
        self._log = log

    @classmethod
    async def start(
        cls, nursery: ForkServerContext, plan: Written, directory: Path, counter: str, fuse: Fuse | None
    ) -> Self:
        """Returns when all of it works; with a fuse, when it listens."""
        config = plan.write(directory)
        log = directory / "service.log"
        process, hears = await asyncio.to_thread(launch, nursery, config, plan.environment, counter, fuse)
        url = await asyncio.to_thread(_heard, hears)
        service = cls(process, url, log)
        if not url:
            process.join()
            raise AssertionError(f"the service did not start: exit {process.exitcode}\n{service.logged()}")
        if fuse is None:
            await service._ready()
        return service

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    async def ended(self) -> int:
        """Its exit code, when it has ended."""
        await asyncio.to_thread(self._process.join, PATIENCE_S)
        assert self._process.exitcode is not None, f"it lives on\n{self.logged()}"
        return self._process.exitcode

    async def kill(self) -> None:
        """SIGKILL, as a crash would."""
        self._process.kill()
        assert await self.ended() == -signal.SIGKILL

    async def stop(self) -> int:
        """SIGTERM; the exit code."""
        self._process.terminate()
        return await self.ended()

    def logged(self) -> str:
        return self._log.read_text()[-3000:]

    async def _ready(self) -> None:
        end = time.monotonic() + PATIENCE_S
        async with aiohttp.ClientSession() as session:
            while time.monotonic() < end:
                async with session.get(f"{self.url}readyz") as answer:
                    if answer.status == 200:
                        return
                await asyncio.sleep(0.02)  # a probe has no event to wait for
        raise AssertionError(f"it did not become ready\n{self.logged()}")


def _heard(hears: Connection) -> str:
    """The address, or empty text from a process that ended before it had one."""
    with hears:
        try:
            url: str = hears.recv()
        except EOFError:
            return ""
        return url
