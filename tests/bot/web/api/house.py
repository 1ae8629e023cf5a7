"""The API on a real server over a real store, and a program that calls it."""

import contextlib
import json
import os
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aiohttp import ClientSession, DummyCookieJar, FormData, web

from bot.clock import Clock
from bot.connector import Connector
from bot.domain.policy import Policies
from bot.foreign import Foreign, Offered
from bot.health import Health
from bot.librarian import Librarian
from bot.log import Scrubber
from bot.mcp_client.fleet import Fleet
from bot.mcp_client.spoken import Definition, Result
from bot.store import channels, personas
from bot.store.api_tokens import Scope
from bot.store.database import Store, Tx
from bot.toolbox import Toolbox
from bot.tools.registry import BUILT_IN
from bot.tools.spec import ToolContext
from bot.web.api import tokens
from bot.web.api.clerk import Clerk
from bot.web.api.desk import Desk
from bot.web.api.gate import Gate
from bot.web.api.streams import USUAL, Pace, Streams
from bot.web.api.table import TABLE
from bot.web.hosts import Hosts
from bot.web.server import Parts as ServerParts
from bot.web.server import build
from bot.why import Explainer
from skills.library import Library, builtin_directory
from skills.limits import Limits
from tests.bot.parts import GUIDE, NOW, Parts, with_skills
from tests.bot.web.api.document import faults

ADMIN = "the configured token, made up"
SECRET = "hunter2-of-the-configuration"


@dataclass(frozen=True, slots=True)
class Told:
    """An answer. `said` is its JSON, None without a body."""

    status: int
    said: Any
    headers: Mapping[str, str]

    @property
    def code(self) -> str:
        code: str = self.said["error"]["code"]
        return code

    @property
    def fields(self) -> list[str]:
        """What the details name."""
        return [each["field"] for each in self.said["error"].get("details", [])]


@dataclass
class House:
    """`now` is the time that the API goes by."""

    url: str
    program: ClientSession
    store: Store
    parts: Parts
    desk: Desk
    now: list[float] = field(default_factory=lambda: [NOW])

    async def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = ADMIN,
        headers: Mapping[str, str] | None = None,
        raw: bytes | None = None,
    ) -> Told:
        """`raw`: the body as it is sent, instead of `body` as JSON. Every answer is held against the document."""
        sent = dict(headers or {})
        if token is not None:
            sent.setdefault("Authorization", f"Bearer {token}")
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        return await self._ask(method, path, None if data is None else BytesIO(data), sent)

    async def upload(self, content: bytes, *, field: str = "file", token: str = ADMIN) -> Told:
        """As a browser sends a file."""
        form = FormData()
        form.add_field(field, BytesIO(content), filename="skill.zip", content_type="application/zip")
        return await self._ask("POST", "/api/skills/upload", form, {"Authorization": f"Bearer {token}"})

    async def _ask(self, method: str, path: str, data: BytesIO | FormData | None, headers: Mapping[str, str]) -> Told:
        async with self.program.request(method, self.url + path, data=data, headers=headers) as answer:
            text = await answer.text()
            said = json.loads(text) if text else None
            if method != "HEAD" and path.startswith("/api/"):
                assert not faults(method, path, answer.status, said)
            return Told(answer.status, said, answer.headers)

    async def get(self, path: str) -> Any:
        told = await self.call("GET", path)
        assert told.status == 200, told
        return told.said

    async def audit(self) -> list[tuple[str, str, str]]:
        """Who, what and about what, the oldest first."""
        said = await self.get("/api/audit?limit=200")
        return [(each["who"], each["action"], each["subject"]) for each in said["items"]][::-1]


async def _fine(_request: web.Request) -> web.StreamResponse:
    return web.json_response({"ok": True})


async def _library(store: Store, parts: Parts, folder: Path, health: Health, clock: Clock) -> Librarian:
    library = Library(folder / "skills", builtin_directory())
    librarian = Librarian(store, library, Limits(), parts.admin.curator, health, clock)
    await librarian.open()
    return librarian


def _using(fleet: Fleet) -> Parts:
    """The usual parts, with the tools of the MCP servers that are connected."""
    foreign = Foreign(fleet, _uncalled)
    return replace(with_skills(), toolbox=Toolbox(BUILT_IN, foreign.tools), catalogue=Offered(foreign, fleet))


async def _uncalled(_context: ToolContext, _told: Definition, _given: Mapping[str, Any]) -> Result:
    raise AssertionError("nothing is called here")


def _settle(tx: Tx) -> None:
    personas.put(tx, GUIDE)
    for name in ("tg", "web"):
        channels.note(tx, name)


@contextlib.asynccontextmanager
async def open_house(
    store: Store, parts: Parts | None = None, *, admin_token: str | None = ADMIN, pace: Pace = USUAL
) -> AsyncIterator[House]:
    """With the persona `guide`, two channels, and the skills of the service; others are installed in a folder that goes."""
    with TemporaryDirectory() as folder:
        now = [NOW]
        fleet = Fleet(os.environ, Path(folder), lambda: now[0])
        parts = parts or _using(fleet)
        health = Health(lambda: now[0])
        health.note("channel:web", "connected", ok=True)
        librarian = await _library(store, parts, Path(folder), health, lambda: now[0])
        connector = Connector(store, fleet, parts.surveyor, lambda: now[0])
        desk = Desk(
            store,
            parts.toolbox,
            parts.approver,
            parts.closer,
            parts.admin,
            Explainer(parts.inventory, Policies(parts.rules, parts.own_rules)),
            health,
            {"tg": "telegram", "web": "web"},
            Scrubber([SECRET]).clean,
            Streams(pace),
            librarian,
            connector,
        )
        await store.tx(_settle)
        hosts = Hosts("")
        clerk = Clerk(desk, TABLE, Gate(store, admin_token), hosts, lambda: now[0])
        runner = web.AppRunner(build(ServerParts(hosts, _fine, _fine, _fine, clerk.routes())), shutdown_timeout=2)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        async with ClientSession(cookie_jar=DummyCookieJar()) as program:
            try:
                yield House(f"http://127.0.0.1:{runner.addresses[0][1]}", program, store, parts, desk, now)
            finally:
                desk.streams.close()
                await connector.stop()
                await runner.cleanup()


async def token_for(house: House, name: str, scope: Scope = "read") -> tuple[str, str]:
    """Id and secret of a new token."""
    made, secret = await house.store.tx(tokens.make, name, scope, house.now[0])
    return made.id, secret
