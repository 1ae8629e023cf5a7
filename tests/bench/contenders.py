"""Who is measured: each a process of its own that answers every message of the fake Telegram server."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.fakes.telegram.client import Telegram
from tests.flows.house import House, Plan


@asynccontextmanager
async def echo(module: str, telegram: Telegram) -> AsyncIterator[int]:
    """One of the yardsticks, polling; its process id."""
    environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        telegram.api_url,
        telegram.token,
        env=environment,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await telegram.wait_calls("getUpdates", arrived=True, timeout=30)
        yield process.pid
    finally:
        process.kill()
        await process.wait()


def plan(telegram: Telegram, admins: tuple[str, ...] = (), database: str = "") -> Plan:
    """The service as it ships, with the offline planner; only the bounds for one chat are out of the way."""
    wide = {"events_per_minute_per_conversation": 100_000, "queue_per_conversation": 10_000, "parallel_runs": 64}
    return Plan(telegram.api_url, telegram.token, admins, database=database, extra={"limits": wide})


@asynccontextmanager
async def askfirst(
    telegram: Telegram, directory: Path, database: str = "", admins: tuple[str, ...] = ()
) -> AsyncIterator[House]:
    house = await House.start(plan(telegram, admins, database), directory)
    try:
        yield house
    finally:
        await house.stop()
