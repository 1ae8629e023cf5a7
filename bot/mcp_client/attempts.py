"""In which ways a server is tried, one after the other, and what is learnt from it."""

from dataclasses import dataclass, replace

from bot.config.mcp import McpServerConfig
from bot.mcp_client.link import Link
from bot.mcp_client.talk import Mode, Talk

_NO_STREAMABLE_HTTP = frozenset((400, 404, 405, 406, 411, 415))
"""What servers of the older transport, and proxies before them, answer to a POST (specification 2025-11-25, transports)."""


@dataclass(frozen=True, slots=True)
class Way:
    """How to begin, and over which of the two transports by url. `last`: there is none after it.
    `guessed`: not what the configuration says."""

    mode: Mode
    sse: bool = False
    last: bool = False
    guessed: bool = False

    def settled(self, talk: Talk) -> "Way":
        """What to begin with the next time: a server of the older protocol need not be asked for the newer one again."""
        return replace(self, last=False, mode="auto" if talk.modern else "legacy")

    def worth_another(self, link: Link) -> bool:
        """Whether the next way may work where this one did not."""
        if link.is_process:
            return link.exit_code is not None or self.mode == "auto"
        return not self.sse and link.last_status in _NO_STREAMABLE_HTTP

    def advice(self, link: Link, why: str) -> str:
        if self.guessed and not link.held:
            return f"{why} It was tried over streamable HTTP and over SSE. Look whether the url is right."
        return why


def ways(spec: McpServerConfig, known: Way | None) -> tuple[Way, ...]:
    """First the one that worked the last time."""
    begin: Mode = "legacy" if spec.protocol == "legacy" else "auto"
    return _ended(_some_ways(spec, known, begin))


def _some_ways(spec: McpServerConfig, known: Way | None, begin: Mode) -> tuple[Way, ...]:
    if spec.transport == "sse":
        return (Way("legacy", sse=True),)
    if known is not None:
        return (known, Way("auto")) if known.mode == "legacy" and begin == "auto" and not known.sse else (known,)
    if spec.transport == "streamable_http":
        return (Way(begin), Way("legacy", sse=True, guessed=True))
    return (Way("auto"), Way("legacy")) if begin == "auto" else (Way("legacy"),)


def _ended(some: tuple[Way, ...]) -> tuple[Way, ...]:
    return (*some[:-1], replace(some[-1], last=True))
