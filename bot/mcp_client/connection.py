"""One server that is kept connected: one task owns it from its start to its end, and nobody else enters its scopes."""

import asyncio
import contextlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.clock import Clock
from bot.config.mcp import McpServerConfig, filled
from bot.errors import AskfirstError
from bot.log import SHORTEST_SECRET, Scrubber, logger
from bot.mcp_client.attempts import Way, ways
from bot.mcp_client.characters import cleaned, one_line
from bot.mcp_client.leftovers import Ledger
from bot.mcp_client.link import Link
from bot.mcp_client.listing import Listing, listed
from bot.mcp_client.rejections import Rejections
from bot.mcp_client.spoken import Definition, Status
from bot.mcp_client.talk import Talk, talking
from bot.mcp_client.vetting import launch
from bot.mcp_client.words import FORESEEN, worded
from bot.supervisor import Crash, attempt

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 60.0
STEADY_AFTER_S = 30.0
"""A connection that held this long was well: the next failure is a first one."""
REFRESH_PAUSE_S = 0.1
LONGEST_REFRESH_PAUSE_S = 60.0
"""A server that says without end that its tools have changed is listened to that rarely."""
END_S = 15.0
LONGEST_WHY = 500
LONGEST_REJECTED = 300
STDERR_TAIL = 4_096
"""Characters that are shown."""
LAST_WORDS_S = 2.0

log = logger("askfirst.mcp")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all connections of a service share. `changed` hears the name of a server whose status or tools are others now."""

    environ: Mapping[str, str]
    ledger: Ledger
    clock: Clock
    changed: Callable[[str], None]
    grace_s: float


class Connection:
    def __init__(self, name: str, spec: McpServerConfig, around: Surroundings) -> None:
        self.name = name
        self.spec = spec
        self._around = around
        self._scrubber = Scrubber(())
        self._keys: tuple[str, ...] = ()
        self._stopping = asyncio.Event()
        self._poked = asyncio.Event()
        self._settled = asyncio.Event()
        self._ending: asyncio.Task[None] | None = None
        self._ends: set[asyncio.Task[None]] = set()
        self._way: Way | None = None
        self._failures = 0
        self.dropped = asyncio.Event()
        self.talk: Talk | None = None
        self.definitions: tuple[Definition, ...] = ()
        self.status = Status("starting" if spec.enabled else "disabled", since=around.clock())
        self._owner: asyncio.Task[None] | None = None
        if not spec.enabled:
            self._settled.set()

    def start(self) -> None:
        if self.spec.enabled:
            self._owner = asyncio.create_task(self._own(), name=f"mcp server {self.name}")
            self._owner.add_done_callback(self._left)

    def _left(self, owner: asyncio.Task[None]) -> None:
        """Whoever cancels all tasks of a loop cancels the owner too; nobody is to believe in a connection that is gone."""
        if not self._stopping.is_set():
            self.talk, self.definitions = None, ()
            self._failed("Its connection was given up.")

    async def settled(self) -> None:
        """Returns once it is connected, or has failed to be."""
        await self._settled.wait()

    @property
    def waits(self) -> bool:
        """Whether it is being tried, or about to be."""
        return not self._settled.is_set()

    def poke(self) -> None:
        """Try again now, rather than when it was to be tried."""
        if self.status.state == "error" and not self._stopping.is_set():
            self._settled.clear()
            self._poked.set()

    def definition(self, tool: str) -> Definition | None:
        return next((one for one in self.definitions if one.name == tool), None)

    async def stop(self) -> None:
        """Returns when nothing of it is left, however often whoever waits is cancelled."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        held = self.talk is not None
        self._stopping.set()
        self.dropped.set()
        if self._owner is not None:
            if not held:
                self._owner.cancel()
            await asyncio.wait([self._owner], timeout=END_S)
            while not self._owner.done():
                self._owner.cancel()
                await asyncio.wait([self._owner], timeout=END_S)
        if self._ends:
            await asyncio.wait(self._ends)
        self._settled.set()

    async def _own(self) -> None:
        pause = FIRST_PAUSE_S
        loop = asyncio.get_running_loop()
        while not self._stopping.is_set():
            begun = loop.time()
            again_at_once = await attempt(f"connecting the MCP server {self.name}", self._once())
            if isinstance(again_at_once, Crash):
                self._failed("Something went wrong here that was not foreseen; the log says more.")
            if loop.time() - begun > STEADY_AFTER_S:
                pause = FIRST_PAUSE_S
            if again_at_once is True and pause == FIRST_PAUSE_S:
                pause *= 2
                continue
            spread = random.uniform(0.8, 1.2)  # noqa: S311  so that servers that went together do not come back together
            await _first(pause * spread, self._stopping, self._poked)
            self._poked.clear()
            pause = min(pause * 2, LONGEST_PAUSE_S)

    async def _once(self) -> bool:
        """Connect, and stay so as long as it holds. True: another try has a good chance at once."""
        if self.status.state != "error":
            self._tell(Status("starting", since=self._around.clock(), error=self.status.error))
        try:
            known = filled(self.spec, self._around.environ)
            self._scrubber = Scrubber(known.secrets)
            self._keys = tuple(
                sorted((key for key in known.keys if len(key) >= SHORTEST_SECRET), key=len, reverse=True)
            )
            start = launch(known.spec, self._around.environ) if known.spec.transport == "stdio" else None
        except AskfirstError as error:
            self._failed(str(error))
            return False
        for way in ways(known.spec, self._way):
            link = Link(known.spec, start, self._around.ledger, Rejections(), self._around.grace_s)
            try:
                why = await self._try(link, way)
                failed = (way.advice(link, self.line(why)), link.exit_code, link.stderr_tail, link.rejections.told)
            finally:
                await self._ended(link)
            if self._stopping.is_set():
                return False
            if link.held:
                return link.forgotten
            if way.last or not way.worth_another(link):
                self._way = None
                self._failed(*failed)
                return False
        return False

    async def _try(self, link: Link, way: Way) -> str:
        """Why it ended."""
        try:
            await self._hold(link, way)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._stopping.is_set() or (task is not None and task.cancelling()):
                raise
            return link.reason or "The connection broke."
        except FORESEEN as error:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.5):  # why a stream ended is known a moment later
                    await link.lost.wait()
            return link.reason or worded(error)
        return link.reason

    async def _ended(self, link: Link) -> None:
        """By a task of its own, which no cancellation of ours reaches."""
        ending = asyncio.create_task(link.end())
        self._ends.add(ending)
        ending.add_done_callback(self._ends.discard)
        await asyncio.shield(ending)

    async def _hold(self, link: Link, way: Way) -> None:
        async with contextlib.AsyncExitStack() as stack:
            async with asyncio.timeout(self.spec.timeouts.start_s):
                talk = await stack.enter_async_context(talking(link, way.mode, sse=way.sse))
                listing = await listed(self.name, talk)
            link.held = True
            self._way = way.settled(talk)
            if way.guessed:
                link.rejections.add(
                    "It speaks the older transport alone. Write transport: sse, so that nothing is guessed."
                )
            self._publish(talk, listing, link)
            try:
                await self._attend(talk, link)
            except FORESEEN as error:
                link.fail(worded(error))
                raise
            finally:
                self._withdraw(link)
            if link.forgotten:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LAST_WORDS_S):  # other calls are told the same, each by itself
                        await talk.emptied()

    async def _attend(self, talk: Talk, link: Link) -> None:
        """Until it is lost or we are to stop: list the tools anew when the server says that they have changed."""
        pause, loop = REFRESH_PAUSE_S, asyncio.get_running_loop()
        listening = asyncio.create_task(self._listen(talk, link)) if talk.modern else None
        try:
            while True:
                quiet = loop.time()
                await _first(None, self._stopping, link.lost, talk.dirty)
                pause = REFRESH_PAUSE_S if loop.time() - quiet > 2 * LONGEST_REFRESH_PAUSE_S else pause
                if not talk.dirty.is_set() or await _first(pause, self._stopping, link.lost):
                    return
                pause = min(pause * 1.5, LONGEST_REFRESH_PAUSE_S)
                talk.dirty.clear()
                async with asyncio.timeout(self.spec.timeouts.start_s):
                    self._publish(talk, await listed(self.name, talk), link)
        finally:
            if listening is not None:
                listening.cancel()
                await asyncio.wait([listening])

    async def _listen(self, talk: Talk, link: Link) -> None:
        try:
            await talk.listen()
        except FORESEEN as error:
            if talk.heard:
                link.fail(f"It broke off telling us of changes. {worded(error)}")

    def _publish(self, talk: Talk, listing: Listing, link: Link) -> None:
        self.talk = talk
        first = self.status.state != "connected"
        self.definitions = listing.definitions
        since = self._around.clock() if first else self.status.since
        rejected = tuple(self.line(one, LONGEST_REJECTED) for one in (*link.rejections.told, *listing.rejected))
        self._failures = 0
        if first:
            log.info("an MCP server is connected", server=self.name, tools=len(listing.definitions))
        for one in rejected if first else ():
            log.warning("an MCP server said something that was not taken", server=self.name, what=one)
        self._tell(Status("connected", len(listing.definitions), since=since, rejected=rejected))

    def _withdraw(self, link: Link) -> None:
        """At once: what is left of it may take a while to end."""
        self.talk = None
        self.definitions = ()
        if not self._stopping.is_set():
            self._failed(link.reason, link.exit_code, link.stderr_tail, link.rejections.told)

    def _failed(self, why: str, exit_code: int | None = None, tail: str = "", rejected: tuple[str, ...] = ()) -> None:
        self._failures += 1
        why = self.line(why, 2 * LONGEST_WHY) or "The connection ended."
        if self._failures == 1 or why != self.status.error:
            log.warning("an MCP server is not connected", server=self.name, why=why, tried=self._failures)
        self._tell(
            Status(
                "error",
                error=why,
                exit_code=exit_code,
                stderr_tail=cleaned(self._scrubber.clean(tail))[0][-STDERR_TAIL:],
                since=self._around.clock(),
                rejected=tuple(self.line(one, LONGEST_REJECTED) for one in rejected),
            )
        )

    def line(self, text: str, limit: int = LONGEST_WHY) -> str:
        """In one line that can be shown, without the secrets of this server's configuration."""
        return one_line(self._scrubber.clean(text), limit)

    def clean(self, text: str) -> str:
        """Without the secrets of this server's configuration."""
        return self._scrubber.clean(text)

    @property
    def keys(self) -> tuple[str, ...]:
        """What this server was given as secrets, the longest first."""
        return self._keys

    def _tell(self, status: Status) -> None:
        self.status = status
        if status.state in ("connected", "error"):
            self._settled.set()
        if not self._stopping.is_set():
            self._around.changed(self.name)


async def _first(limit_s: float | None, *events: asyncio.Event) -> bool:
    """Whether one of the events is set, waiting for it at most so long."""
    if any(event.is_set() for event in events):
        return True
    tasks = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(tasks, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
    return any(event.is_set() for event in events)
