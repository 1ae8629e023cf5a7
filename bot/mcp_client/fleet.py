"""All the MCP servers that we use."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.clock import Clock
from bot.config.mcp import McpServerConfig
from bot.log import logger
from bot.mcp_client.leftovers import Ledger
from bot.mcp_client.spoken import NOT_DONE, CallFailed, Definition, Elicit, Progress, Result, Status, TestResult

if TYPE_CHECKING:
    from bot.mcp_client.connection import Connection

log = logger("askfirst.mcp")

CONNECTIONS = "bot.mcp_client.connection"
"""With it comes the SDK, some 45 MB, which a service that uses no MCP server need not hold."""

GRACE_S = 2.0
"""What the SDK gives a process, too."""


_OUR_TOKENS = re.compile(r"askfirst_task_[A-Za-z0-9_-]+")
"""They are others each time, for the same server and in the same name."""


class Fleet:
    """Servers by name. What happens to one touches no other.

    environ: what `${NAME}` is filled from, and what PATH and HOME come from. data_dir: where it is written down which
    processes run. changed: hears the name of a server whose status or tools are others now; may not wait. grace_s: how long
    a process may take to end by itself, and again after SIGTERM.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        data_dir: Path,
        clock: Clock,
        changed: Callable[[str], None] = lambda _name: None,
        grace_s: float = GRACE_S,
    ) -> None:
        self._ledger = Ledger(data_dir)
        self._environ = environ
        self._clock = clock
        self._grace_s = grace_s
        self._listener = changed
        self._servers: dict[str, Connection] = {}
        self._ending: dict[str, set[asyncio.Task[None]]] = {}
        self._once: dict[str, set[Connection]] = {}
        self._definitions: tuple[Definition, ...] = ()
        self.revision = 0

    async def start(self) -> None:
        """End what an earlier service has left running. To be awaited before anything is kept."""
        ended = await self._ledger.begin()
        if ended:
            log.warning("processes of MCP servers were left over and have been ended", processes=ended)

    async def prepare(self) -> None:
        """Bring in what connections need, aside from the event loop: it takes a second, once."""
        await asyncio.to_thread(import_module, CONNECTIONS)

    def keep(self, name: str, spec: McpServerConfig) -> None:
        """From now on there is a server of this name, connected if it is enabled. Returns at once.

        One of the same name with another configuration is ended first; with the same one nothing happens.
        """
        known = self._servers.get(name)
        if known is not None and known.spec == spec:
            return
        if known is not None:
            self._end(known)
        self._replace(name, spec)

    async def drop(self, name: str) -> None:
        """There is no such server any more. Returns when its process and all that it started are gone; calls of it that are
        under way fail as cancelled."""
        known = self._servers.pop(name, None)
        if known is not None:
            self._end(known)
            self._changed(name)
        await asyncio.gather(*(own.stop() for own in self._once.get(name, set()).copy()))
        await self._gone(name)

    async def reload(self, name: str) -> None:
        """Start it anew. Returns when the former process is gone; see `settled` for the new one."""
        known = self._servers.get(name)
        if known is None:
            return
        former = self._end(known)
        self._replace(name, known.spec)
        await asyncio.shield(former)

    async def stop(self) -> None:
        """End all of them."""
        await asyncio.gather(*(self.drop(name) for name in {*self._servers, *self._ending}))
        self._ledger.close()

    def status(self, name: str) -> Status | None:
        """None: there is no such server."""
        known = self._servers.get(name)
        return None if known is None else known.status

    def trusted(self, name: str) -> bool:
        """Is it believed which of its tools only read?"""
        known = self._servers.get(name)
        return known is not None and known.spec.trust_hints

    def identity(self, name: str) -> str:
        """Who answers under this name, and for whom it takes us: another text when it is started or reached in another way,
        or with other variables or headers. Holds what the configuration holds, so it is for comparing alone."""
        known = self._servers.get(name)
        said = {"transport", "command", "args", "cwd", "env", "url", "headers"}
        return "" if known is None else _OUR_TOKENS.sub("", known.spec.model_dump_json(include=said))

    def definitions(self) -> tuple[Definition, ...]:
        """What the connected servers offer; another tuple after each change."""
        return self._definitions

    async def settled(self, name: str) -> None:
        """Returns once the server is connected, or could not be; at once if there is none, or it is disabled."""
        known = self._servers.get(name)
        while known is not None:
            await known.settled()
            before, known = known, self._servers.get(name)
            if known is before:
                return

    async def call(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        progress: Progress | None = None,
        ask: Elicit | None = None,
        fingerprint: str | None = None,
    ) -> Result:
        """Raises CallFailed. `tool` is the server's own name for it; whether the call may be made was decided before, by the
        definition of this fingerprint: it is made by no other, also when the server has to be connected anew for it."""
        known = self._servers.get(server)
        if known is None or not known.spec.enabled:
            why = "is switched off" if known is not None else "is not known here"
            raise CallFailed("not_connected", f"The MCP server {server} {why}. {NOT_DONE}")
        return await _call(known, tool, arguments, progress, ask, fingerprint)

    async def call_once(
        self,
        server: str,
        spec: McpServerConfig,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        progress: Progress | None = None,
        ask: Elicit | None = None,
        fingerprint: str | None = None,
    ) -> Result:
        """The same by a connection of its own, for a configuration that only this call may know. Raises CallFailed."""
        own = self._connection(server, spec, _unheard)
        at_once = self._once.setdefault(server, set())
        at_once.add(own)
        own.start()
        try:
            await own.settled()
            return await _call(own, tool, arguments, progress, ask, fingerprint)
        finally:
            at_once.discard(own)
            await own.stop()

    async def test(self, spec: McpServerConfig) -> TestResult:
        """Connect it once, list its tools, and end it again."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        tried = self._connection("test", spec.model_copy(update={"enabled": True}), _unheard)
        tried.start()
        try:
            await tried.settled()
            elapsed = round((loop.time() - begun) * 1000)
            ok = tried.status.state == "connected"
            told = " ".join(part for part in (tried.status.error, tried.status.stderr_tail[-500:]) if part)
            return TestResult(ok, tried.definitions, "" if ok else told, elapsed)
        finally:
            await tried.stop()

    def _connection(self, name: str, spec: McpServerConfig, changed: Callable[[str], None]) -> "Connection":
        room = import_module(CONNECTIONS)
        around = room.Surroundings(self._environ, self._ledger, self._clock, changed, self._grace_s)
        made: Connection = room.Connection(name, spec, around)
        return made

    def _replace(self, name: str, spec: McpServerConfig) -> None:
        made = self._servers[name] = self._connection(name, spec, self._changed)
        if self._ending.get(name):
            self._noted(name, self._succeed(made))
        else:
            made.start()
        self._changed(name)

    async def _succeed(self, made: "Connection") -> None:
        """Two processes of one server never run side by side."""
        former = self._ending.get(made.name, set()) - {asyncio.current_task()}
        if former:
            await asyncio.wait(former)
        if self._servers.get(made.name) is made:
            made.start()

    def _end(self, known: "Connection") -> asyncio.Task[None]:
        return self._noted(known.name, known.stop())

    def _noted(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        tasks = self._ending.setdefault(name, set())
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return task

    async def _gone(self, name: str) -> None:
        tasks = self._ending.get(name)
        if tasks:
            await asyncio.wait(set(tasks))
        if not self._ending.get(name):
            self._ending.pop(name, None)

    def _changed(self, name: str) -> None:
        made = [one for server in self._servers.values() for one in server.definitions]
        if made != list(self._definitions):
            self._definitions = tuple(made)
        self.revision += 1
        self._listener(name)


async def _call(
    connection: "Connection",
    tool: str,
    arguments: Mapping[str, Any],
    progress: Progress | None,
    ask: Elicit | None,
    fingerprint: str | None,
) -> Result:
    """Raises CallFailed. There is a connection, so the SDK is there as well."""
    from bot.mcp_client.caller import call

    return await call(connection, tool, arguments, progress=progress, ask=ask, fingerprint=fingerprint)


def _unheard(_name: str) -> None:
    """Nobody asks how a connection is that serves one purpose."""
