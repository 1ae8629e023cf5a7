"""The outside world that tools act on: it counts, and it can keep a caller waiting before or after the act."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

from aiohttp import web


class World:
    """`asked` and `acted`: how often, by "tool/key"."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: Counter[str] = Counter()
        self.acted: Counter[str] = Counter()
        self._hold: Literal["", "before", "after"] = ""
        self._held = 0
        self._moved = asyncio.Condition()

    def hold(self, when: Literal["before", "after"]) -> None:
        """From now on callers wait, before the act or when it is done."""
        self._hold = when

    async def forget_held(self) -> None:
        """Those who wait are gone: for them nothing more happens. Nobody is held any more."""
        async with self._moved:
            self._hold = ""
            self._moved.notify_all()

    async def wait_held(self, count: int, within: float = 30) -> None:
        async with asyncio.timeout(within), self._moved:
            await self._moved.wait_for(lambda: self._held >= count)

    async def wait_acted(self, what: str, count: int = 1, within: float = 30) -> None:
        async with asyncio.timeout(within), self._moved:
            await self._moved.wait_for(lambda: self.acted[what] >= count)

    async def answer(self, request: web.Request) -> web.Response:
        what = f"{request.match_info['tool']}/{request.match_info['key']}"
        self.asked[what] += 1
        if self._hold == "before":
            await self._keep()
            return web.Response(status=503)
        async with self._moved:
            self.acted[what] += 1
            self._moved.notify_all()
        if self._hold == "after":
            await self._keep()
            return web.Response(status=503)
        return web.Response(text=f"{what} is done")

    async def _keep(self) -> None:
        async with self._moved:
            self._held += 1
            self._moved.notify_all()
            try:
                await self._moved.wait_for(lambda: not self._hold)
            finally:
                self._held -= 1


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    here = World()
    app = web.Application()
    app.add_routes([web.post("/{tool}/{key}", here.answer)])
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    here.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield here
    finally:
        await here.forget_held()
        await runner.cleanup()
