"""Tools of MCP servers as tools of the house. What a server says of them is believed only as far as it costs nothing."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any, Protocol

from bot.domain.capability import Capability
from bot.domain.run import SUPERVISED_PREFIX
from bot.llm.port import Offer
from bot.mcp_client.names import aliases
from bot.mcp_client.results import LONGEST_TEXT
from bot.mcp_client.spoken import CallFailed, Definition, Result, Status
from bot.mcp_client.validation import arguments_problem
from bot.store.database import Tx
from bot.tools.spec import ToolContext, ToolFailure
from bot.tools.tool import Fault, Misfit, Output, Tool

LONGEST_WORKER = 64 - len(SUPERVISED_PREFIX)

SAID_AT_MOST = 200
"""Characters of what a server says of its tool, on a card."""


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool of a connected MCP server. `capability.id` is `mcp/<server>/<name>`. `told`: its definition as JSON, as the
    server tells it now, and `fingerprint` that of it."""

    server: str
    name: str
    description: str
    capability: Capability
    fingerprint: str = ""
    told: str = "{}"
    flags: tuple[str, ...] = ()
    """What is odd about it, in sentences."""


class Catalogue(Protocol):
    """What the MCP servers that are connected offer at this moment."""

    def tools(self) -> Sequence[McpTool]: ...

    def connected(self, server: str) -> bool: ...

    def trouble(self, server: str) -> str:
        """Why it is not connected, in a sentence; "" where that is not known."""
        ...


class Servers(Protocol):
    """What tools come from."""

    @property
    def revision(self) -> int:
        """Another number whenever `definitions` gives something else."""
        ...

    def status(self, name: str) -> Status | None: ...

    def definitions(self) -> tuple[Definition, ...]: ...

    def trusted(self, server: str) -> bool:
        """Is it believed which of its tools only read?"""
        ...

    def identity(self, server: str) -> str:
        """Another text when somebody else answers under this name."""
        ...


Calls = Callable[[ToolContext, Definition, Mapping[str, Any]], Awaitable[Result]]
"""Makes a call of such a tool. Raises CallFailed."""


@dataclass(frozen=True, slots=True)
class _Built:
    revision: int
    tools: tuple[Tool, ...]
    catalogue: tuple[McpTool, ...]


class Foreign:
    def __init__(self, servers: Servers, call: Calls) -> None:
        self._servers = servers
        self._call = call
        self._built = _Built(-1, (), ())

    def tools(self) -> tuple[Tool, ...]:
        """Of the servers that are connected; the same tuple again as long as nothing changed."""
        return self._now().tools

    def catalogue(self) -> tuple[McpTool, ...]:
        """The same tools as people grant them."""
        return self._now().catalogue

    def _now(self) -> _Built:
        revision = self._servers.revision
        if revision != self._built.revision:
            told = self._servers.definitions()
            tools = self._made(told)
            known = {capability_id(each): each for each in told}
            self._built = _Built(revision, tools, tuple(_known(tool, known[tool.capability.id]) for tool in tools))
        return self._built

    def _made(self, told: tuple[Definition, ...]) -> tuple[Tool, ...]:
        by_pair = {(each.server, each.name): each for each in told}
        named = aliases(by_pair)
        return tuple(self._tool(name, by_pair[pair]) for name, pair in named.items())

    def _tool(self, name: str, told: Definition) -> Tool:
        reads = told.hints.read_only is True and self._servers.trusted(told.server)
        takes_away = not reads and told.hints.destructive is not False
        description = told.description or told.title or told.name
        return Tool(
            name=name,
            short=told.name,
            capability=Capability(
                capability_id(told), reads=reads, destructive=takes_away, requires_confirmation=not reads
            ),
            specialist=_worker(told.server),
            server=told.server,
            description=description,
            schema=dict(told.schema),
            definition=_both(told.fingerprint, self._servers.identity(told.server)),
            pinned=told.fingerprint,
            offer=Offer(name, description, dict(told.schema)),
            given=_reader(told),
            effect=_teller(told, reads),
            handle=self._handler(told, reads),
            destructive=not reads and told.hints.destructive is True,
            untrusted=not (told.hints.open_world is False and self._servers.trusted(told.server)),
            limit_s=None,
        )

    def _handler(self, told: Definition, reads: bool) -> Callable[[ToolContext, Any], Awaitable[Output]]:
        looked_at = self._servers.identity(told.server)

        async def handle(context: ToolContext, given: Any) -> Output:
            if self._servers.identity(told.server) != looked_at:  # since the last check of the call
                words = _("The MCP server {server} was changed a moment ago. Nothing was done.")
                raise ToolFailure("unavailable", words.format(server=told.server))
            try:
                result = await self._call(context, told, given)
            except CallFailed as failed:
                unsure = failed.code in ("timeout", "cancelled") and not reads
                raise ToolFailure("unknown_outcome" if unsure else failed.code, failed.message) from failed
            if result.failed:
                raise ToolFailure("failed", result.text, result.whole, result.files, result.left_out)
            more = len(result.whole) > LONGEST_TEXT or result.files
            return Output(result.text, result.whole if more else None, result.files, result.left_out)

        return handle


class Offered:
    """What can be granted of the servers that are connected."""

    def __init__(self, foreign: Foreign, servers: Servers) -> None:
        self._foreign = foreign
        self._servers = servers

    def tools(self) -> Sequence[McpTool]:
        return self._foreign.catalogue()

    def connected(self, server: str) -> bool:
        status = self._servers.status(server)
        return status is not None and status.state == "connected"

    def trouble(self, server: str) -> str:
        status = self._servers.status(server)
        return "" if status is None else status.error


def _known(tool: Tool, told: Definition) -> McpTool:
    return McpTool(tool.server, tool.short, tool.description, tool.capability, tool.pinned, told.raw, told.flags)


def _both(fingerprint: str, identity: str) -> str:
    return hashlib.sha256(f"{fingerprint} {identity}".encode()).hexdigest()


def capability_id(told: Definition) -> str:
    return f"mcp/{told.server}/{told.name}"


def _worker(server: str) -> str:
    """Whom a supervisor hands tasks to that need this server: its name, which after `delegate_to_` must be legal."""
    if len(server) <= LONGEST_WORKER:
        return server
    return f"{server[: LONGEST_WORKER - 9]}-{hashlib.sha256(server.encode()).hexdigest()[:8]}"


def _reader(told: Definition) -> Callable[[dict[str, Any]], Any]:
    def read(arguments: dict[str, Any]) -> Any:
        problem = arguments_problem(told.raw, arguments)
        if problem:
            raise Misfit([Fault("", problem)])
        return arguments

    return read


def _teller(told: Definition, reads: bool) -> Callable[[Tx, ToolContext, Any], str]:
    first = " ".join((told.title or told.description).split())
    said = f"{first[:SAID_AT_MOST].rstrip()}…" if len(first) > SAID_AT_MOST else first
    words = _("{tool} of the MCP server {server} will be called.").format(tool=told.name, server=told.server)
    parts = [words, _("It says of itself: “{said}”.").format(said=said.rstrip(".")) if said else ""]
    if not reads:
        parts.append(_fate(told.hints.destructive))
    if told.hints.open_world is not False:
        parts.append(_("It may reach out to others."))
    effect = " ".join(part for part in parts if part)
    return lambda _tx, _context, _given: effect


def _fate(destructive: bool | None) -> str:
    if destructive is None:
        return _("It does not say whether it deletes.")
    return _("It may change or delete what is there.") if destructive else _("It says that it only adds.")
