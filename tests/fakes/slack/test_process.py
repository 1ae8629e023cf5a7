"""The fake as a process: how it ends, and what one test leaves to the next."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.fakes.slack.client import connected
from tests.fakes.slack.raw import raw_api, socket

_ROOT = Path(__file__).parents[3]


async def test_it_ends_when_its_starter_does() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.slack", "--no-validation", "--end-with-stdin"),
        cwd=_ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    await process.stdout.readline()
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), 10) == 0


async def test_next_test_finds_nobody_and_no_faults(slack_server: Mapping[str, Any]) -> None:
    async with connected(slack_server) as first, raw_api(first) as raw, socket(raw):
        ada = await first.user("Ada")
        chat = await first.private_chat(ada)
        await first.hold("chat.postMessage")
        sending = asyncio.create_task(raw("chat.postMessage", {"channel": chat.id, "text": "held"}))
        await first.wait_held()
        await first.refuse_connections()
        sending.cancel()
    async with connected(slack_server) as second, raw_api(second) as raw:
        assert (await second.calls(), await second.sockets(), await second.deliveries()) == ([], [], [])
        assert await raw.refused("chat.postMessage", {"channel": chat.id, "text": "x"}) == "channel_not_found"
        me = await raw("auth.test")
        assert (me["team_id"], me["bot_id"]) == (second.team_id, second.bot_id)
