"""`make bench`: prints the figures as the table of docs/performance.md."""

import asyncio
import os
import platform
import tempfile
import time
from pathlib import Path

from tests.bench.contenders import askfirst, askfirst_on_slack, echo, echo_on_slack
from tests.bench.mcp_servers import BIG, SERVERS, SLOW_CALLS, SLOW_S, offered, used
from tests.bench.measure import Echoed, echoed, press_to_start, rss_mb, waiting_weight
from tests.bench.resolution import CAPABILITIES, PERSONAS, resolved
from tests.databases import new_postgres, postgres_server
from tests.fakes.slack.client import running_slack
from tests.fakes.telegram.client import running_telegram


async def main() -> None:
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}\n")
    rows: list[tuple[str, Echoed]] = []
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        for label, module in (
            ("bare aiohttp echo", "tests.bench.echo_bare"),
            ("python-telegram-bot echo", "tests.bench.echo_library"),
        ):
            async with running_telegram(validation=False) as telegram, echo(module, telegram):
                rows.append((label, await echoed(telegram)))
        rows.append(("**askfirst**, SQLite", await _ours(directory / "sqlite", "")))
        with new_postgres(postgres_server()) as url:
            rows.append(("**askfirst**, PostgreSQL", await _ours(directory / "postgres", url)))
        async with running_telegram(validation=False) as telegram, echo("tests.bench.echo_library", telegram):
            rows.append(("python-telegram-bot echo, again", await echoed(telegram)))
        _table(rows, "python-telegram-bot")
        _table(await _on_slack(directory / "slack"), "slack-bolt")
        await _weights(directory / "weights")
        found = await resolved(directory)
    print(
        f"one decision among {PERSONAS:,} personas and {CAPABILITIES:,} capabilities: {found.decide_us:.1f} µs (goal 50)"
    )
    print(f"all tools of one of them: {found.tools_ms:.2f} ms (goal 2)")
    await _mcp()


async def _mcp() -> None:
    rates = await offered()
    print(
        f"\nour MCP servers: {rates.ours:.0f} calls/s, {rates.ours / rates.sdk:.2f} × the SDK's under uvicorn (goal 0.9)"
    )
    with tempfile.TemporaryDirectory() as folder:
        took = await used(Path(folder))
    print(f"{SLOW_CALLS} calls in flight that take {SLOW_S:.0f} s each: {took.slow_calls_s:.2f} s for all of them")
    print(f"a result of {BIG // 1_000_000} MB: {took.big_s:.2f} s")
    print(f"{SERVERS} MCP servers: {took.start_s:.2f} s until connected, {took.stop_s:.2f} s until gone")


async def _ours(directory: Path, database: str) -> Echoed:
    directory.mkdir()
    async with running_telegram(validation=False) as telegram, askfirst(telegram, directory, database):
        return await echoed(telegram)


async def _weights(directory: Path) -> None:
    directory.mkdir()
    async with running_telegram(validation=False) as telegram:
        ann = await telegram.user("Ann")
        begun = time.perf_counter()
        async with askfirst(telegram, directory, admins=(f"tg:{ann.id}",)) as house:
            ready = time.perf_counter() - begun
            fresh = rss_mb(house.process.pid)
            p50, p99 = await press_to_start(telegram, directory / "data" / "askfirst.db")
            waiting = await waiting_weight(telegram, house)
            loaded = rss_mb(house.process.pid)
    print(f"\npress -> tool start: p50 {p50:.1f} ms, p99 {p99:.1f} ms")
    print(f"start to ready: {ready:.2f} s")
    print(f"memory: {fresh:.0f} MB when ready, {loaded:.0f} MB after the load")
    print(f"1,000 waiting approvals: {waiting:+.1f} MB")


async def _on_slack(directory: Path) -> list[tuple[str, Echoed]]:
    directory.mkdir()
    rows: list[tuple[str, Echoed]] = []
    for label, module in (
        ("bare aiohttp echo, Slack", "tests.bench.echo_bare_slack"),
        ("slack-bolt echo", "tests.bench.echo_bolt"),
    ):
        async with running_slack(validation=False) as slack, echo_on_slack(module, slack):
            rows.append((label, await echoed(slack)))
    async with running_slack(validation=False) as slack, askfirst_on_slack(slack, directory):
        rows.append(("**askfirst** on Slack, SQLite", await echoed(slack)))
    async with running_slack(validation=False) as slack, echo_on_slack("tests.bench.echo_bolt", slack):
        rows.append(("slack-bolt echo, again", await echoed(slack)))
    return rows


def _table(rows: list[tuple[str, Echoed]], yardstick: str) -> None:
    """Printed at once: the rest takes its time."""
    library = next(echoed for label, echoed in rows if label == f"{yardstick} echo")
    print(f"| | messages/s in a burst | × {yardstick} | at 50/s: p50 ms | p99 ms |")
    print("|---|---|---|---|---|")
    for label, each in rows:
        ratio = each.per_second / library.per_second
        print(f"| {label} | {each.per_second:.0f} | {ratio:.2f} | {each.p50:.1f} | {each.p99:.1f} |")
    print(flush=True)


if __name__ == "__main__":
    asyncio.run(main())
