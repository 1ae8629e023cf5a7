"""The fake as a process: how it ends, and what one test leaves to the next."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.fakes.telegram.client import Telegram, connected
from tests.fakes.telegram.raw import Api, raw_api

_ROOT = Path(__file__).parents[3]


async def test_it_ends_when_its_starter_does() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.telegram", "--no-validation", "--end-with-stdin"),
        cwd=_ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    await process.stdout.readline()
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), 10) == 0


async def test_next_test_finds_nobody_and_no_faults(telegram_server: Mapping[str, Any]) -> None:
    async with connected(telegram_server) as first, raw_api(first) as raw:
        ada = await first.user("Ada")
        chat = await first.private_chat(ada)
        await first.hold("sendMessage")
        sending = asyncio.create_task(raw("sendMessage", {"chat_id": chat.id, "text": "held"}))
        await first.wait_held()
        await first.refuse_connections()
        sending.cancel()
    async with connected(telegram_server) as second, raw_api(second) as raw:
        assert await second.calls() == []
        assert await raw.refused("sendMessage", {"chat_id": chat.id, "text": "x"}) == "Bad Request: chat not found"


async def test_text_can_be_measured_in_utf16_units(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    await api.ok("sendMessage", {"chat_id": chat.id, "text": "😀" * 4096})
    await telegram.settings(text_unit="utf16")
    assert (
        await api.refused("sendMessage", {"chat_id": chat.id, "text": "😀" * 4096})
        == "Bad Request: message is too long"
    )
    await telegram.violations(forget=True)
