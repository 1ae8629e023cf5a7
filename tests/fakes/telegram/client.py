"""The tests' side of the fake: starts it, acts for the people in its chats, waits for what the bot does.

    async with running_telegram() as telegram:
        ada = await telegram.user("Ada")
        chat = await telegram.private_chat(ada)
        await telegram.write(chat, ada, "hello")
        reply = await telegram.wait_message(chat, containing="hello")

Chats and people may be given as what this client returned or by number. Every `wait_…` raises `Waited` with what there
was instead when its time is up. Leaving the block fails with `ContractBroken` if the bot broke the contract and the test
did not take it with `violations(forget=True)`.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import aiohttp

from tests.fakes.telegram.crowd import Crowd
from tests.fakes.telegram.mischief import Mischief
from tests.fakes.telegram.watch import Watch

_ROOT = Path(__file__).parents[3]
_READY_WITHIN = 30.0


class ContractBroken(AssertionError):
    """The bot sent something that the Bot API refuses, and no test expected it."""


class Telegram(Crowd, Mischief, Watch):
    """Everything that a test can say to the fake; the parts are in files of their own."""


@contextlib.asynccontextmanager
async def running_telegram(*, validation: bool = True, port: int = 0) -> AsyncIterator[Telegram]:
    """The fake in a process of its own, ready; ended with the block. Raises ContractBroken at its end (see above)."""
    process = await asyncio.create_subprocess_exec(
        *_command(validation, port), cwd=_ROOT, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), _READY_WITHIN)
        async with connected(_ready(line)) as telegram:
            yield telegram
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


@contextlib.contextmanager
def telegram_process(*, validation: bool = True, port: int = 0) -> Iterator[Mapping[str, Any]]:
    """The fake for many tests, each of which is `connected` to what this gives. For a fixture of session scope."""
    with subprocess.Popen(
        _command(validation, port), cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        try:
            yield _ready(process.stdout.readline())
        finally:
            process.terminate()


@contextlib.asynccontextmanager
async def connected(ready: Mapping[str, Any]) -> AsyncIterator[Telegram]:
    """A fake that knows nobody yet. Raises ContractBroken at its end (see above)."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as http:
        telegram = Telegram(ready, http)
        await telegram.reset()
        yield telegram
        if broken := await telegram.violations():
            raise ContractBroken("; ".join(f"{entry.method} (call {entry.call}): {entry.reason}" for entry in broken))


def _command(validation: bool, port: int) -> list[str]:
    command = [sys.executable, "-m", "tests.fakes.telegram", "--port", str(port), "--end-with-stdin"]
    return command if validation else [*command, "--no-validation"]


def _ready(line: bytes) -> Mapping[str, Any]:
    if not line:
        raise RuntimeError("the Telegram fake ended before it was ready; its reason is on stderr")
    ready: Mapping[str, Any] = json.loads(line)
    return ready
