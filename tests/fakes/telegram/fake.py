"""All parts of the fake, put together in one place."""

import asyncio
import random
import secrets
from dataclasses import dataclass

from aiohttp import web

from tests.fakes.telegram.clock import Clock
from tests.fakes.telegram.faults import Faults
from tests.fakes.telegram.people import People
from tests.fakes.telegram.record import Record
from tests.fakes.telegram.schema import Check, compiled, unchecked
from tests.fakes.telegram.server import NAMES, BotApi
from tests.fakes.telegram.updates import Updates
from tests.fakes.telegram.waiters import Waiters
from tests.fakes.telegram.world import User, World

BOT = User(7_000_000_001, "Askfirst", "askfirst_test_bot", is_bot=True)


class Door:
    """The Bot API's port: it can be shut, so that connections are refused, and opened again on the same number."""

    def __init__(self, api: BotApi) -> None:
        self.api = api
        self._server = web.Server(self._handle, access_log=None)
        self._runner = web.ServerRunner(self._server, shutdown_timeout=0.1)
        self._site: web.TCPSite | None = None
        self._opening: asyncio.Task[None] | None = None
        self.port = 0

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        return await self.api.handle(request)

    async def open(self, port: int) -> None:
        await self._runner.setup()
        await self._listen(port)

    async def _listen(self, port: int) -> None:
        self._site = web.TCPSite(self._runner, "127.0.0.1", port, reuse_address=True)
        await self._site.start()
        self.port = self._runner.addresses[0][1]

    @property
    def is_open(self) -> bool:
        return self._site is not None

    async def refuse(self, seconds: float | None) -> None:
        """Shut for `seconds` (None: until `refuse(0)`); open connections are cut."""
        if self._opening is not None:
            self._opening.cancel()
            self._opening = None
        if self._site is not None:
            await self._site.stop()
            self._site = None
            for connection in self._server.connections:
                if connection.transport is not None:
                    connection.transport.abort()
        if seconds == 0:
            await self._listen(self.port)
        elif seconds is not None:
            self._opening = asyncio.create_task(self._reopen(seconds))

    async def _reopen(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._opening = None
        await self._listen(self.port)

    async def close(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
        await self._runner.cleanup()


@dataclass(frozen=True, slots=True)
class Fake:
    token: str
    check: Check
    world: World
    updates: Updates
    people: People
    record: Record
    faults: Faults
    waiters: Waiters
    api: BotApi
    door: Door


def build(*, validation: bool) -> Fake:
    """Everything but the open ports. With `validation` the first start on a machine takes two seconds longer."""
    token = f"{BOT.id}:{secrets.token_urlsafe(26)}"
    return _assembled(token, compiled(NAMES) if validation else unchecked, None)


async def emptied(fake: Fake) -> Fake:
    """The same addresses and token with nothing behind them: no people, no chats, no record. Held calls are discarded."""
    fake.faults.release(None, "*", discard=True)
    await fake.api.webhook.close()
    if not fake.door.is_open:
        await fake.door.refuse(0)
    return _assembled(fake.token, fake.check, fake.door)


def _assembled(token: str, check: Check, door: Door | None) -> Fake:
    clock, waiters, record = Clock(), Waiters(), Record()
    updates = Updates(clock, random.randint(10_000_000, 900_000_000), check)
    world = World(clock, updates, BOT)
    world.changed = waiters.changed
    updates.taken = waiters.changed
    faults = Faults(waiters.changed)
    api = BotApi(token, world, record, faults, waiters, check)
    door = door or Door(api)
    door.api = api
    return Fake(token, check, world, updates, People(world), record, faults, waiters, api, door)
