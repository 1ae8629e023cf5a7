"""MCP servers are brought to where the store says they should be, and no slow one holds up the service."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.config.mcp import McpServerConfig
from bot.connector import Connector, stored_form
from bot.domain.capability import server_pattern
from bot.foreign import Foreign, Offered
from bot.mcp_client.fleet import Fleet
from bot.mcp_client.spoken import Definition, Result
from bot.store import mcp_servers, pins
from bot.store.database import Signal, Store
from bot.store.mcp_servers import Server
from bot.tools.spec import ToolContext
from tests.bot.parts import NOW, Parts
from tests.fakes.mcp.kit import Kit


class Wharf:
    """A connector with a real fleet."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.kit = Kit.make(folder / "kit")
        self.surveyed = asyncio.Event()
        self.fleet = Fleet(os.environ, folder, time.time, self._heard, grace_s=0.2)
        self.foreign = Foreign(self.fleet, _uncalled)
        parts = Parts(catalogue=Offered(self.foreign, self.fleet))
        self.connector = Connector(store, self.fleet, parts.surveyor, lambda: NOW)

    def _heard(self, name: str) -> None:
        self.connector.heard(name)

    async def enter(self, name: str, *, enabled: bool = True) -> None:
        server = Server(name, stored_form(McpServerConfig.model_validate(self.kit.spec)), enabled, None, "config", NOW)
        if not await self.store.tx(mcp_servers.add, server):
            await self.store.tx(mcp_servers.change, server)

    def state(self, name: str) -> str:
        status = self.fleet.status(name)
        return "" if status is None else status.state

    async def until_pinned(self, name: str) -> None:
        async with asyncio.timeout(10):
            while True:
                if server_pattern(name) in await self.store.tx(pins.of_servers, {name}):
                    return
                await asyncio.sleep(0.02)  # a row has no event to wait for


async def _uncalled(_context: ToolContext, _told: Definition, _given: object) -> Result:
    raise AssertionError("nothing is called here")


@pytest.fixture
async def wharf(store: Store, tmp_path: Path) -> AsyncIterator[Wharf]:
    made = Wharf(store, tmp_path)
    yield made
    await made.connector.stop()


async def test_what_is_enabled_is_connected_and_entered_and_what_is_not_is_let_alone(wharf: Wharf) -> None:
    await wharf.enter("on")
    await wharf.enter("off", enabled=False)
    await wharf.connector.start()
    await wharf.fleet.settled("on")
    assert (wharf.state("on"), wharf.state("off")) == ("connected", "")
    await wharf.until_pinned("on")
    assert [tool.name for tool in wharf.foreign.tools()] == ["mcp__on__echo"]


async def test_what_was_decided_elsewhere_is_followed_when_it_is_settled(wharf: Wharf) -> None:
    await wharf.connector.start()
    await wharf.enter("shelf")
    await wharf.connector.settle("shelf")
    await wharf.fleet.settled("shelf")
    assert wharf.state("shelf") == "connected"
    await wharf.enter("shelf", enabled=False)
    await wharf.connector.settle("shelf")
    assert wharf.state("shelf") == ""
    assert wharf.foreign.tools() == ()


async def test_a_signal_settles_a_server(wharf: Wharf) -> None:
    await wharf.connector.start()
    await wharf.enter("shelf")
    wharf.connector.heed(Signal("server", "settle shelf"))
    await wharf.until_pinned("shelf")
    assert wharf.state("shelf") == "connected"


async def test_a_run_waits_for_servers_only_right_after_a_start(wharf: Wharf) -> None:
    wharf.kit.plan(faults=["silent"], era="legacy")
    await wharf.enter("slow")
    await wharf.connector.start()
    begun = time.monotonic()
    assert await wharf.connector.ready()
    assert time.monotonic() - begun < 20
    assert wharf.state("slow") == "starting"
    assert not await wharf.connector.ready()


async def test_without_a_server_nobody_waits(wharf: Wharf) -> None:
    await wharf.connector.start()
    await asyncio.sleep(0)
    assert not await wharf.connector.ready()
