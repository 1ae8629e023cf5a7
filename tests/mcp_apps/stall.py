"""Our MCP apps on a real server over a real store, without channels: what is asked is in the store, and decided there."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from aiohttp import ClientSession, web
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from bot import minter
from bot.domain.access import Decider
from bot.domain.approval import Approval
from bot.domain.run import Run
from bot.hatch import Hatch
from bot.mcp_apps.apps import APPS, functions
from bot.mcp_apps.door import Door
from bot.mcp_apps.mounts import Mounts
from bot.mcp_apps.spec import McpAppSpec
from bot.outsider import Outsider
from bot.replier import Replier
from bot.store import approvals, channels, notes
from bot.store.database import Store, Tx
from bot.toolbox import Toolbox
from bot.tools.registry import BUILT_IN
from bot.web.hosts import Hosts
from bot.web.server import Parts as ServerParts
from bot.web.server import build
from tests.bot.parts import ANN, BOB, CHAT, GUIDE, Parts, begin

ERAS = ("legacy", "auto")
"""The handshake of 2025, and what the SDK finds by itself: the protocol of 2026."""

PATIENCE_S = 20.0


@dataclass
class Stall:
    url: str
    store: Store
    parts: Parts
    outsider: Outsider
    mounts: Mounts
    program: ClientSession
    run: Run

    async def token(self, *capabilities: str, ttl_s: float = 600.0) -> str:
        """For the open run; without capabilities for all."""
        allowed = capabilities or None
        made = await self.store.tx(minter.for_run_named, self.run.id, allowed, "api:admin", time.time(), ttl_s)
        return made[1]

    async def personal(self, person: str = BOB.id) -> str:
        """For a person, without a run."""
        made = await self.store.tx(minter.for_person, GUIDE.id, person, None, "api:admin", time.time(), 600.0)
        return made[1]

    @contextlib.asynccontextmanager
    async def client(self, app: str, token: str, mode: str = "auto") -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(PATIENCE_S)) as http:
            transport = streamable_http_client(f"{self.url}/mcp/{app}", http_client=http)
            async with Client(transport, mode=mode) as client:
                yield client

    async def names(self, app: str, token: str, mode: str = "auto") -> list[str]:
        async with self.client(app, token, mode) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    async def call(
        self, app: str, token: str, tool: str, arguments: dict[str, Any] | None = None, mode: str = "auto"
    ) -> CallToolResult:
        async with self.client(app, token, mode) as client:
            result = await client.call_tool(tool, arguments or {})
            assert isinstance(result, CallToolResult)
            return result

    async def refusal(self, app: str, token: str, tool: str) -> str:
        """Why there is no such tool."""
        async with self.client(app, token) as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool(tool, {})
        return str(caught.value.message)

    async def card(self) -> Approval:
        """What waits for a person; this waits until something does."""
        await self.until(lambda tx: approvals.pending(tx, 1))
        [approval] = await self.store.tx(approvals.pending, 10)
        return approval

    async def decide(self, approval: Approval, *, approve: bool, reason: str | None = None) -> str:
        receipt = await self.store.tx(self.parts.approver.take, approval, approve, Decider(ANN), reason, time.time())
        return receipt.notice or ""

    async def until(self, holds: Callable[[Tx], Any]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not await self.store.tx(holds):  # noqa: ASYNC110  nothing sets an event
                await asyncio.sleep(0.01)  # a row has no event to wait for

    async def kept(self) -> int:
        return await self.store.tx(notes.count, self.run.scope)


def said(result: CallToolResult) -> str:
    [content] = result.content
    assert content.type == "text"
    return content.text


async def _fine(_request: web.Request) -> web.StreamResponse:
    return web.json_response({"ok": True})


@contextlib.asynccontextmanager
async def open_stall(store: Store, apps: Sequence[McpAppSpec] = APPS) -> AsyncIterator[Stall]:
    parts = Parts(toolbox=Toolbox((*BUILT_IN, *functions(apps))))
    caller = parts.caller(store, time.time)
    hatch = Hatch(parts.toolbox, parts.asker, caller)
    outsider = Outsider(store, hatch, caller, parts.closer, Replier(parts.limits), time.time)
    store.listen(outsider.heed)
    hosts = Hosts("")
    mounts = Mounts(apps, outsider, Door(outsider, hosts, time.time), "http://127.0.0.1:8080", "1")

    def settle(tx: Tx) -> Run:
        for name in ("tg", "web"):
            channels.note(tx, name)
        return begin(tx, CHAT)

    run = await store.tx(settle)
    runner = web.AppRunner(build(ServerParts(hosts, _fine, _fine, _fine, mounts.routes())), shutdown_timeout=2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with ClientSession() as program:
        try:
            yield Stall(f"http://127.0.0.1:{runner.addresses[0][1]}", store, parts, outsider, mounts, program, run)
        finally:
            await mounts.stop()
            await runner.cleanup()
