"""Who is measured: each a process of its own that answers every message of a fake platform."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.fakes.slack.client import Slack
from tests.fakes.telegram.client import Telegram
from tests.flows.house import House, Plan

WIDE = {"events_per_minute_per_conversation": 100_000, "queue_per_conversation": 10_000, "parallel_runs": 64}
"""Bounds for one chat that are out of the way."""


@asynccontextmanager
async def _yardstick(module: str, *arguments: str) -> AsyncIterator[None]:
    environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *arguments, env=environment, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.kill()
        await process.wait()


@asynccontextmanager
async def echo(module: str, telegram: Telegram) -> AsyncIterator[None]:
    """One of the yardsticks, polling."""
    async with _yardstick(module, telegram.api_url, telegram.token):
        await telegram.wait_calls("getUpdates", arrived=True, timeout=30)
        yield


@asynccontextmanager
async def echo_on_slack(module: str, slack: Slack) -> AsyncIterator[None]:
    """One of the yardsticks, by socket."""
    async with _yardstick(module, slack.api_url, slack.bot_token, slack.app_token):
        await slack.wait_sockets(timeout=30)
        yield


def plan(telegram: Telegram, admins: tuple[str, ...] = (), database: str = "") -> Plan:
    """The service as it ships, with the offline planner."""
    return Plan(telegram.api_url, telegram.token, admins, database=database, extra={"limits": WIDE})


@asynccontextmanager
async def askfirst_on_slack(slack: Slack, directory: Path) -> AsyncIterator[House]:
    team = {
        "type": "slack",
        "persona": "guide",
        "bot_token": "${BENCH_BOT_TOKEN}",
        "app_token": "${BENCH_APP_TOKEN}",
        "api_url": slack.api_url,
    }
    os.environ |= {"BENCH_BOT_TOKEN": slack.bot_token, "BENCH_APP_TOKEN": slack.app_token}
    channels = {"team": team, "tg": None}
    house = await House.start(Plan("", "", (), extra={"limits": WIDE, "channels": channels}), directory)
    try:
        yield house
    finally:
        await house.stop()


@asynccontextmanager
async def askfirst(
    telegram: Telegram, directory: Path, database: str = "", admins: tuple[str, ...] = ()
) -> AsyncIterator[House]:
    house = await House.start(plan(telegram, admins, database), directory)
    try:
        yield house
    finally:
        await house.stop()
