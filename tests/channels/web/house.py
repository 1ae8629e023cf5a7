"""A browser chat that listens on loopback, and what a browser does with it."""

import asyncio
import contextlib
import json
import shutil
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, DummyCookieJar, web

from bot.store.database import SqliteStore
from bot.web.auth import Door
from bot.web.files import StoredFiles
from bot.web.hosts import Hosts
from bot.web.server import Parts, build
from bot.web.transcript import StoredTranscript
from channels.events import Conversation
from channels.web.adapter import WebAdapter
from channels.web.config import WebConfig
from channels.web.limits import USUAL, Pace
from channels.web.page import CommandHint, Welcome
from channels.web.routes import MARK
from channels.web.visitors import RightsOf, none_beyond_talking
from tests.channels.contract import RecordingInlet, Seen

KEY = b"a key for tests alone"
JSON = {"Content-Type": "application/json", MARK: "1"}


async def _fine(_request: web.Request) -> web.StreamResponse:
    return web.json_response({"fine": True})


async def _guide(_where: Conversation) -> str:
    return "Guide"


@dataclass
class House:
    """`now` is the time that cookies and links are measured by."""

    port: int
    adapter: WebAdapter
    inlet: RecordingInlet
    store: SqliteStore
    browser: ClientSession
    running: "asyncio.Task[None]"
    now: list[float] = field(default_factory=lambda: [1_800_000_000.0])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def chat(self) -> str:
        return f"{self.url}/channels/web"

    async def switch_off(self) -> None:
        self.running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.running


@contextlib.asynccontextmanager
async def open_house(
    migrated: Path,
    folder: Path,
    *,
    public_url: str = "",
    pace: Pace = USUAL,
    rights: RightsOf = none_beyond_talking,
) -> AsyncIterator[House]:
    """`migrated` is a database to copy."""
    store = SqliteStore(shutil.copy(migrated, folder / f"{uuid.uuid4()}.db"))
    hosts = Hosts(public_url)
    now = [1_800_000_000.0]
    hints = (CommandHint("help", "", "What can I do?"),)
    adapter = WebAdapter(
        "web",
        WebConfig(type="web", persona="guide"),
        StoredTranscript(store),
        Door(store, hosts, KEY, lambda: now[0]),
        hints,
        welcome=Welcome("Guide asks first", "Try it."),
        voice=_guide,
        rights=rights,
        given=StoredFiles(store).find,
        pace=pace,
    )
    inlet = RecordingInlet()
    runner = web.AppRunner(build(Parts(hosts, _fine, _fine, _fine, adapter.routes(inlet), "/channels/web/")))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    running = asyncio.create_task(adapter.run(inlet))
    await inlet.until(lambda: bool(inlet.states))
    async with ClientSession(cookie_jar=DummyCookieJar()) as browser:
        house = House(runner.addresses[0][1], adapter, inlet, store, browser, running, now)
        try:
            yield house
        finally:
            await house.switch_off()
            await runner.cleanup()
            await store.close()


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def handle_data(self, data: str) -> None:
        self.text += data


def text_of(html: str) -> str:
    parser = _Text()
    parser.feed(html)
    parser.close()
    return parser.text


@dataclass(frozen=True)
class Visitor:
    """Someone in front of the page. A message that was refused is sent again, as the page's button does."""

    house: House
    name: str = "admin"
    cookie: str = ""

    @property
    def where(self) -> Conversation:
        return Conversation("web", self.name)

    @property
    def id(self) -> str:
        return f"web:{self.name}"

    @property
    def headers(self) -> dict[str, str]:
        return {**JSON, "Cookie": self.cookie} if self.cookie else JSON

    async def say(self, text: str) -> None:
        said = json.dumps({"id": str(uuid.uuid4()), "text": text})
        for _ in range(5):
            async with self.house.browser.post(
                f"{self.house.chat}/messages", data=said, headers=self.headers
            ) as answer:
                if answer.status == 200:
                    return
        raise AssertionError("the message was refused five times")

    async def press(self, label: str) -> str:
        message, token = [
            (message["id"], button["token"])
            for message in await self.messages()
            for row in message["rows"]
            for button in row
            if button["label"] == label
        ][-1]
        press = {"id": str(uuid.uuid4()), "token": token, "message": message}
        async with self.house.browser.post(f"{self.house.chat}/presses", json=press, headers=self.headers) as answer:
            assert answer.status == 200
            return (await answer.json())["notice"] or ""

    async def sees(self) -> list[Seen]:
        return [
            Seen(text_of(message["html"]), tuple(button["label"] for row in message["rows"] for button in row))
            for message in await self.messages()
            if message["author"]
        ]

    async def messages(self) -> list[dict[str, Any]]:
        url = f"{self.house.chat}/messages?before=999999999"
        async with self.house.browser.get(url, headers=self.headers) as answer:
            shown: list[dict[str, Any]] = (await answer.json())["messages"]
            return shown


@dataclass(frozen=True)
class Frame:
    event: str
    data: dict[str, Any]
    id: str = ""


async def frames(house: House, until: Callable[[Frame], bool], last: str = "") -> list[Frame]:
    """What a page's stream says, up to and with the first frame that `until` holds for."""
    got: list[Frame] = []
    headers = {"Last-Event-ID": last} if last else {}
    async with asyncio.timeout(20), house.browser.get(f"{house.chat}/events", headers=headers) as stream:
        assert stream.status == 200
        fields: dict[str, str] = {}
        async for raw in stream.content:
            line = raw.decode().rstrip("\n")
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
                continue
            if "event" in fields:
                got.append(Frame(fields["event"], json.loads(fields["data"]), fields.get("id", "")))
                if until(got[-1]):
                    return got
            fields = {}
    raise AssertionError(f"the stream ended after {got}")


def event(name: str) -> Callable[[Frame], bool]:
    return lambda frame: frame.event == name
