"""MCP in both directions: our servers beside the SDK's own, and what servers of others may do to us."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from bot.config.mcp import McpServerConfig
from bot.mcp_client.fleet import Fleet
from tests.fakes.mcp.kit import Kit, tool

CALLS = 1500
CONNECTIONS = 16
ROUNDS = 4
SLOW_CALLS = 250
SLOW_S = 2.0
BIG = 20_000_000
SERVERS = 8

CALL = {
    "jsonrpc": "2.0",
    "method": "tools/call",
    "params": {
        "name": "echo",
        "arguments": {},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    },
}
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "echo",
}


@dataclass(frozen=True, slots=True)
class Offered:
    """Calls a second, the best of its rounds."""

    ours: float
    sdk: float


@dataclass(frozen=True, slots=True)
class Used:
    """Seconds; the slow calls take `SLOW_S` each."""

    slow_calls_s: float
    big_s: float
    start_s: float
    stop_s: float


async def offered() -> Offered:
    """Turn by turn, so that a busy machine is busy for both."""
    rates: dict[str, list[float]] = {"ours": [], "sdk": []}
    for _ in range(ROUNDS):
        for whose, found in rates.items():
            async with _serving(whose) as url:
                found.append(await _rate(url))
    return Offered(max(rates["ours"]), max(rates["sdk"]))


@asynccontextmanager
async def _serving(whose: str) -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.serve_mcp", whose, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        port = int(await process.stdout.readline())
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        await process.communicate()


async def _rate(url: str) -> float:
    connector = aiohttp.TCPConnector(limit=CONNECTIONS)
    async with aiohttp.ClientSession(headers=HEADERS, connector=connector) as client:
        await _calls(client, url, 50)  # warm
        begun = time.perf_counter()
        await _calls(client, url, CALLS)
        return CALLS / (time.perf_counter() - begun)


async def _calls(client: aiohttp.ClientSession, url: str, count: int) -> None:
    numbers = iter(range(count))

    async def one_after_the_other() -> None:
        for number in numbers:
            async with client.post(url, json=CALL | {"id": number + 1}) as answer:
                said = await answer.text()
                assert answer.status == 200, said
                assert '"ok"' in said, said

    await asyncio.gather(*(one_after_the_other() for _ in range(CONNECTIONS)))


async def used(folder: Path) -> Used:
    fleet = Fleet(os.environ, folder, time.time)
    await fleet.start()
    acts = {"slow": {"do": "slow", "seconds": SLOW_S}, "big": {"do": "big", "bytes": BIG}}
    kit = Kit.make(folder / "kit", tools=[tool("slow"), tool("big")], acts=acts)
    try:
        await _kept(fleet, ["one"], kit)
        slow = await _took(asyncio.gather(*(fleet.call("one", "slow", {}) for _ in range(SLOW_CALLS))))
        big = await _took(fleet.call("one", "big", {}))
        names = [f"server{number}" for number in range(SERVERS)]
        start = await _took(_kept(fleet, names, kit))
        stop = await _took(asyncio.gather(*(fleet.drop(name) for name in names)))
    finally:
        await fleet.stop()
    return Used(slow, big, start, stop)


async def _kept(fleet: Fleet, names: list[str], kit: Kit) -> None:
    spec = McpServerConfig.model_validate({**kit.spec, "protocol": "legacy"})
    for name in names:
        fleet.keep(name, spec)
    await asyncio.gather(*(fleet.settled(name) for name in names))
    assert all((status := fleet.status(name)) and status.state == "connected" for name in names)


async def _took(work: Awaitable[object]) -> float:
    begun = time.perf_counter()
    await work
    return time.perf_counter() - begun
