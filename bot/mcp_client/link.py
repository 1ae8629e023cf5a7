"""One way to a server, from its opening to its end: a process or a url, and whether it still holds."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest

from bot.config.mcp import McpServerConfig
from bot.mcp_client import http
from bot.mcp_client.leftovers import Ledger
from bot.mcp_client.pump import Pace
from bot.mcp_client.rejections import Rejections
from bot.mcp_client.stdio import Child
from bot.mcp_client.vetting import Launch

MESSAGES_PER_S = 2_000
BURST = 4_000
QUESTION = 50
"""What a request of a server counts for: each is work of ours, and an answer to send."""


class Link:
    """`lost` is set once it holds no longer, and `reason` says why. `forgotten`: the server does not know our session any
    more, so another link will do at once. `held`: it was good once."""

    def __init__(
        self, spec: McpServerConfig, launch: Launch | None, ledger: Ledger, rejections: Rejections, grace_s: float
    ) -> None:
        self._spec = spec
        self.lost = asyncio.Event()
        self.reason = ""
        self.forgotten = False
        self.held = False
        self.rejections = rejections
        self.last_status = 0
        self._child = (
            None if launch is None else Child(launch, ledger.new_mark(), ledger, grace_s, rejections, self.fail)
        )

    def fail(self, reason: str) -> None:
        if not self.lost.is_set():
            self.reason = reason
            self.lost.set()

    def _forget(self) -> None:
        self.forgotten = True
        self.fail("It has forgotten our session.")

    @property
    def is_process(self) -> bool:
        return self._child is not None

    @property
    def exit_code(self) -> int | None:
        return None if self._child is None else self._child.exit_code

    @property
    def stderr_tail(self) -> str:
        return "" if self._child is None else self._child.stderr_tail

    def sent(self, request_id: int) -> bool:
        """Whether a request may have reached the server."""
        return self._child is None or self._child.sent(request_id)

    def stuck(self, request_id: int) -> bool:
        """Whether the server has not taken all of a request yet."""
        return self._child is not None and self._child.stuck(request_id)

    def settled(self, request_id: int) -> None:
        if self._child is not None:
            self._child.settled(request_id)

    @contextlib.asynccontextmanager
    async def streams(self, *, sse: bool) -> AsyncIterator[tuple[Any, Any]]:
        ways = self._child.streams() if self._child is not None else self._remote(sse=sse)
        async with ways as (read, write):
            yield Heeded(read, self), write

    def _remote(self, *, sse: bool) -> contextlib.AbstractAsyncContextManager[Any]:
        return http.streams(self._spec, self.fail, self._forget, self._status, self.rejections, sse=sse)

    def _status(self, status: int) -> None:
        self.last_status = status

    async def end(self) -> None:
        """Returns when nothing of it is left."""
        self.fail("It was ended by us.")
        if self._child is not None:
            await self._child.kill()


class Heeded:
    """What a server says, at a pace that leaves time for everybody else; its end is the end of the link."""

    def __init__(self, inner: Any, link: Link) -> None:
        self._inner = inner
        self._link = link
        self._pace = Pace(MESSAGES_PER_S, BURST)

    @property
    def last_context(self) -> Any:
        """The context of whoever asked what this message answers, where the SDK knows it."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        try:
            item: SessionMessage | Exception = await self._inner.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._link.fail("It closed the connection.")
            raise
        asks = isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCRequest)
        await self._pace.spend(QUESTION if asks else 1)
        return item

    def __aiter__(self) -> "Heeded":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> "Heeded":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
