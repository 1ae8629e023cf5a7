"""Keeps the MCP servers that are enabled connected, one after the other for each: what the store says is brought about."""

import asyncio
from collections.abc import Coroutine
from gettext import gettext as _
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.clock import Clock, new_id
from bot.config.mcp import McpServerConfig
from bot.log import logger
from bot.mcp_client.spoken import Status, TestResult
from bot.store import mcp_servers, outbox
from bot.store.database import Signal, Store, Tx
from bot.store.mcp_servers import Server
from bot.supervisor import attempt
from bot.surveyor import Surveyor
from channels.events import Conversation
from channels.outgoing import Outgoing, plain

if TYPE_CHECKING:
    from bot.mcp_client.fleet import Fleet  # with it comes the SDK, which takes most of a second to import

log = logger("askfirst.connector")

DISABLED = Status("disabled")
STARTING = Status("starting")


class Connector:
    def __init__(self, store: Store, fleet: "Fleet", surveyor: Surveyor, clock: Clock) -> None:
        self._store = store
        self._fleet = fleet
        self._surveyor = surveyor
        self._clock = clock
        self._turns: dict[str, asyncio.Lock] = {}
        self._work: set[asyncio.Task[object]] = set()
        self._open = False

    async def start(self) -> None:
        """Let every server that is enabled be connected; this does not wait for any of them."""
        await self._fleet.start()
        self._open = True
        for server in await self._store.light(mcp_servers.everything):
            if server.enabled and server.registered:
                self._keep(server)

    async def stop(self) -> None:
        """Return when no process of a server is left."""
        self._open = False
        for task in self._work:
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)
        await self._fleet.stop()

    def status(self, server: Server) -> Status:
        if not server.enabled or not server.registered:
            return DISABLED
        return self._fleet.status(server.name) or STARTING

    async def settle(self, name: str) -> None:
        """Bring a server to where the store says it is; one that is off by now, or gone, has no process when this returns."""
        async with self._turns.setdefault(name, asyncio.Lock()):
            server = await self._store.light(mcp_servers.find, name)
            if server is None or not server.enabled or not server.registered:
                await self._fleet.drop(name)
                return
            self._keep(server)

    async def reload(self, name: str) -> None:
        """Return when what ran before is gone and a new connection stands, or is known not to."""
        await self.settle(name)
        async with self._turns.setdefault(name, asyncio.Lock()):
            await self._fleet.reload(name)
        await self._fleet.settled(name)

    async def test(self, spec: McpServerConfig) -> TestResult:
        """Connect one that is not kept, and let it go again."""
        return await self._fleet.test(spec)

    def heed(self, signal: Signal) -> None:
        """Something is to be done about a server: `settle <name>`, or `reload` and `test` with the conversation to tell."""
        if signal.topic != "server" or not self._open:
            return
        what, name, *where = signal.subject.split(" ", 2)
        if what == "settle":
            self._begin(f"settle {name}", self.settle(name))
        else:
            self._begin(signal.subject, self._told(what, name, where[0]))

    def heard(self, name: str) -> None:
        """The fleet has something new to say of a server."""
        if self._open:
            self._begin(f"survey {name}", self._survey(name))

    async def _survey(self, name: str) -> None:
        status = self._fleet.status(name)
        if status is not None and status.state == "connected":
            await self._store.tx(self._surveyor.survey, name, self._clock())

    def _keep(self, server: Server) -> None:
        try:
            spec = spec_of(server)
        except ValidationError:
            log.warning(
                "an MCP server is stored in a form that is not understood, and is not connected", server=server.name
            )
            return
        self._fleet.keep(server.name, spec)

    async def _told(self, what: str, name: str, where: str) -> None:
        """Do it, and tell the conversation what came of it."""
        server = await self._store.light(mcp_servers.find, name)
        if server is None:
            return
        if what == "reload":
            await self.reload(name)
            words = in_words(name, self.status(server))
        else:
            words = tested_in_words(name, await self.test(spec_of(server)))
        await self._store.tx(_say, where, words, self._clock())

    def _begin(self, what: str, work: Coroutine[Any, Any, None]) -> None:
        task: asyncio.Task[object] = asyncio.create_task(attempt(what, work), name=what)
        self._work.add(task)
        task.add_done_callback(self._work.discard)


def stored_form(spec: McpServerConfig) -> str:
    """Whether it is enabled is kept beside it."""
    return spec.model_dump_json(exclude={"enabled"})


def spec_of(server: Server) -> McpServerConfig:
    """Raises ValidationError for what a skill wished for and cannot be."""
    return McpServerConfig.model_validate_json(server.spec).model_copy(update={"enabled": server.enabled})


def in_words(name: str, status: Status) -> str:
    """How it is with a server, in a sentence or two."""
    if status.state == "connected":
        return _("{name} is connected: {count} tools.").format(name=name, count=status.tools)
    if status.state == "starting":
        return _("{name} is being connected.").format(name=name)
    if status.state == "disabled":
        return _("{name} is disabled.").format(name=name)
    return _("{name} is not connected. {trouble}").format(name=name, trouble=status.error)


def tested_in_words(name: str, result: TestResult) -> str:
    if not result.ok:
        return _("{name} could not be connected. {trouble}").format(name=name, trouble=result.error)
    tools = ", ".join(sorted(each.name for each in result.definitions))[:400] or _("none")
    words = _("{name} answers after {ms} ms. Its tools: {tools}.")
    return words.format(name=name, ms=result.elapsed_ms, tools=tools)


def _say(tx: Tx, where: str, words: str, now: float) -> None:
    outbox.post(tx, f"server:{new_id('m')}", Conversation.parse(where), Outgoing(plain(words)), now)
