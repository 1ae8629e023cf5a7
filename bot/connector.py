"""Keeps the MCP servers that are enabled connected, one after the other for each: what the store says is brought about."""

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any

from pydantic import ValidationError

from bot import minter
from bot.clock import Clock, new_id
from bot.config.mcp import McpServerConfig
from bot.log import logger
from bot.mcp_client.fleet import Fleet
from bot.mcp_client.spoken import CallFailed, Definition, Result, Status, TestResult
from bot.store import mcp_servers, outbox, runs, task_tokens
from bot.store.database import Signal, Store, Tx
from bot.store.mcp_servers import Server
from bot.supervisor import attempt
from bot.surveyor import Surveyor
from bot.tasked import filled_in, leads_to_us, takes_tokens
from bot.tools.spec import ToolContext
from channels.events import Conversation
from channels.outgoing import Outgoing, plain

log = logger("askfirst.connector")

LOOKS_EVERY_S = 5.0
"""How soon another machine follows what was decided on one."""

READY_S = 5.0
"""For so long after the service was started runs wait for servers that are being connected. One that is slow holds up
nobody after that."""

DISABLED = Status("disabled")
STARTING = Status("starting")


@dataclass(frozen=True, slots=True)
class _Listing:
    """How a server that takes our tokens is looked at: with which, and for which configuration."""

    spec: McpServerConfig
    token_id: str
    secret: str


class Connector:
    def __init__(self, store: Store, fleet: Fleet, surveyor: Surveyor, clock: Clock) -> None:
        self._backend_url = ""
        self._first: asyncio.Future[Any] | None = None
        self._ready_at = 0.0
        self._listings: dict[str, _Listing] = {}
        self._store = store
        self._fleet = fleet
        self._surveyor = surveyor
        self._clock = clock
        self._turns: dict[str, asyncio.Lock] = {}
        self._brought: dict[str, Server] = {}
        """What each server was like when it was last brought to where it should be."""
        self._work: set[asyncio.Task[object]] = set()
        self._open = False

    async def start(self) -> None:
        """Let every server that is enabled be connected; this does not wait for any of them. Those that lead back to us are
        connected once we listen."""
        await self._fleet.start()
        self._open = True
        for server in await self._switched_on():
            if not leads_to_us(server.spec):
                await self._keep(server)
        self._ready_at = asyncio.get_running_loop().time() + READY_S
        names = [server.name for server in await self._switched_on()]
        self._first = asyncio.gather(*(self._fleet.settled(name) for name in names), return_exceptions=True)

    async def listening(self, backend_url: str) -> None:
        """From now on we are reached there."""
        self._backend_url = backend_url
        for server in await self._switched_on():
            if leads_to_us(server.spec):
                await self._keep(server)

    async def ready(self) -> bool:
        """Right after a start: wait a moment for the servers, so that a run which goes on finds the tools that it had. Was
        there something to wait for?"""
        left = self._ready_at - asyncio.get_running_loop().time()
        if self._first is None or self._first.done() or left <= 0:
            return False
        await asyncio.wait([self._first], timeout=left)
        return True

    async def _switched_on(self) -> list[Server]:
        every = await self._store.light(mcp_servers.everything)
        return [server for server in every if server.enabled and server.registered]

    async def keep_looking(self) -> None:
        """Follow what was decided elsewhere: on another machine, or while nobody was told. Never returns."""
        while True:
            await asyncio.sleep(LOOKS_EVERY_S)
            stored = {server.name: server for server in await self._store.light(mcp_servers.everything)}
            for name in [name for name in {*stored, *self._brought} if stored.get(name) != self._brought.get(name)]:
                await self.settle(name)

    async def stop(self) -> None:
        """Return when no process of a server is left."""
        self._open = False
        if self._first is not None:
            self._first.cancel()
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
            self._note(name, server)
            if server is None or not server.enabled or not server.registered:
                await self._fleet.drop(name)
                await self._stop_listing(name)
                return
            await self._keep(server)

    async def reload(self, name: str) -> None:
        """Return when what ran before is gone and a new connection stands, or is known not to."""
        await self.settle(name)
        async with self._turns.setdefault(name, asyncio.Lock()):
            await self._fleet.reload(name)
        await self._fleet.settled(name)

    async def test(self, spec: McpServerConfig) -> TestResult:
        """Connect one that is not kept, and let it go again."""
        await self._fleet.prepare()
        if not takes_tokens(spec):
            return await self._fleet.test(filled_in(spec, self._backend_url, ""))
        token, secret = await self._store.tx(minter.for_listing, "test", self._clock())
        try:
            return await self._fleet.test(filled_in(spec, self._backend_url, secret))
        finally:
            await self._store.tx(task_tokens.revoke, token.id, self._clock())

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

    async def call(self, context: ToolContext, told: Definition, given: Mapping[str, Any]) -> Result:
        """Call a tool for a run, by no other definition than `told`. Raises CallFailed."""
        listing = self._listings.get(told.server)
        if listing is None:
            return await self._fleet.call(
                told.server,
                told.name,
                given,
                progress=context.progress,
                ask=context.ask,
                fingerprint=told.fingerprint,
            )
        token, secret = await self._store.tx(_token_of, context.run_id, told.server, context.now)
        try:
            spec = filled_in(listing.spec, self._backend_url, secret)
            return await self._fleet.call_once(
                told.server,
                spec,
                told.name,
                given,
                progress=context.progress,
                ask=context.ask,
                fingerprint=told.fingerprint,
            )
        finally:
            await self._store.tx(task_tokens.revoke, token.id, self._clock())

    def _note(self, name: str, server: Server | None) -> None:
        if server is None:
            self._brought.pop(name, None)
            return
        self._brought[name] = server

    async def _keep(self, server: Server) -> None:
        self._note(server.name, server)
        try:
            spec = spec_of(server)
        except ValidationError:
            log.warning(
                "an MCP server is stored in a form that is not understood, and is not connected", server=server.name
            )
            return
        await self._fleet.prepare()
        if not takes_tokens(spec):
            await self._stop_listing(server.name)
            self._fleet.keep(server.name, filled_in(spec, self._backend_url, ""))
            return
        listing = self._listings.get(server.name)
        if listing is None or listing.spec != spec:
            await self._stop_listing(server.name)
            token, secret = await self._store.tx(minter.for_listing, server.name, self._clock())
            listing = self._listings[server.name] = _Listing(spec, token.id, secret)
        self._fleet.keep(server.name, filled_in(spec, self._backend_url, listing.secret))

    async def _stop_listing(self, name: str) -> None:
        listing = self._listings.pop(name, None)
        if listing is not None:
            await self._store.tx(task_tokens.revoke, listing.token_id, self._clock())

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


def _token_of(tx: Tx, run_id: str, server: str, now: float) -> minter.Minted:
    """Raises CallFailed for a run that is no more."""
    run = runs.find(tx, run_id)
    if run is None:
        raise CallFailed("cancelled", _("The run has ended. The call was not carried out."))
    return minter.for_run(tx, run, f"mcp:{server}", now)


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
