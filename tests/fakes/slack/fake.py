"""All parts of the fake, put together in one place."""

import asyncio
import secrets
from dataclasses import dataclass

from aiohttp import web

from tests.fakes.slack.acting import Acting
from tests.fakes.slack.deliveries import Deliveries
from tests.fakes.slack.desk import Desk
from tests.fakes.slack.events import Events
from tests.fakes.slack.faults import Faults
from tests.fakes.slack.interactions import Interactions
from tests.fakes.slack.methods import NAMES
from tests.fakes.slack.people import People
from tests.fakes.slack.posts import Posts
from tests.fakes.slack.record import Record
from tests.fakes.slack.schema import Check, compiled, unchecked
from tests.fakes.slack.server import WebApi
from tests.fakes.slack.sockets import Sockets
from tests.fakes.slack.views import Views
from tests.fakes.slack.world import App, Install, Team, World
from tests.fakes.telegram.clock import Clock
from tests.fakes.telegram.waiters import Waiters

BOT_NAME = "Guide"


class Door:
    """The port of everything but the control API: it can be shut, so that connections are refused, and opened again."""

    def __init__(self) -> None:
        self.api: WebApi | None = None
        self._server = web.Server(self._handle, access_log=None)
        self._runner = web.ServerRunner(self._server, shutdown_timeout=0.1)
        self._site: web.TCPSite | None = None
        self._opening: asyncio.Task[None] | None = None
        self.port = 0

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        assert self.api is not None
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
    """`team` and `install` are the workspace that is there from the start."""

    app: App
    token: str
    check: Check
    desk: Desk
    deliveries: Deliveries
    sockets: Sockets
    posts: Posts
    people: People
    acting: Acting
    record: Record
    faults: Faults
    waiters: Waiters
    clock: Clock
    team: Team
    install: Install
    door: Door

    @property
    def world(self) -> World:
        return self.desk.world


async def build(port: int, *, validation: bool) -> Fake:
    """Everything but the control API. With `validation` the first start on a machine takes some seconds longer."""
    app = App(
        id="A0000000001",
        name=BOT_NAME,
        token=f"xapp-1-A0000000001-{secrets.randbelow(10**12)}-{secrets.token_hex(32)}",
        signing_secret=secrets.token_hex(16),
        verification_token=secrets.token_hex(12),
        client_id=f"{secrets.randbelow(10**12)}.{secrets.randbelow(10**12)}",
        client_secret=secrets.token_hex(16),
    )
    token = f"xoxb-{secrets.randbelow(10**12)}-{secrets.token_hex(12)}"
    door = Door()
    fake = _assembled(app, token, compiled(NAMES) if validation else unchecked, door)
    await door.open(port)
    fake.desk.base_url = fake.desk.interactions.base_url = f"http://127.0.0.1:{door.port}"
    return fake


async def emptied(fake: Fake) -> Fake:
    """The same addresses and tokens with nothing behind them: no people, no record, no sockets. Held calls are discarded."""
    fake.faults.release(None, "*", discard=True)
    await closed(fake)
    if not fake.door.is_open:
        await fake.door.refuse(0)
    return _assembled(fake.app, fake.token, fake.check, fake.door)


async def closed(fake: Fake) -> None:
    fake.desk.events.close()
    await fake.deliveries.close()
    await fake.sockets.close()
    await fake.posts.close()


def _assembled(app: App, token: str, check: Check, door: Door) -> Fake:
    clock, waiters, record = Clock(), Waiters(), Record()
    world = World(clock, app)
    world.changed = waiters.changed
    team = world.add_team("Acme")
    install = world.install((team.id,), token=token)
    deliveries = Deliveries(clock, waiters.changed)
    sockets = Sockets(clock, record, app.id, deliveries.ring)
    sockets.changed = waiters.changed
    deliveries.transport = sockets
    interactions = Interactions(world)
    desk = Desk(world, Events(world, deliveries), interactions, Views(world), sockets, check)
    desk.base_url = interactions.base_url = f"http://127.0.0.1:{door.port}"
    faults = Faults(waiters.changed)
    door.api = WebApi(desk, record, faults, waiters)
    people, acting = People(desk), Acting(desk, deliveries, record)
    posts = Posts(app)
    return Fake(
        app,
        token,
        check,
        desk,
        deliveries,
        sockets,
        posts,
        people,
        acting,
        record,
        faults,
        waiters,
        clock,
        team,
        install,
        door,
    )
