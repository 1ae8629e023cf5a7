"""The tests' side of the fake: starts it, acts for the people in its channels, waits for what the bot does.

    async with running_slack() as slack:
        ada = await slack.user("Ada")
        general = await slack.channel("general", members=[ada])
        sent = await slack.write(general, ada, f"{slack.mention} hello")      # as it is typed
        card = await slack.wait_message(general, thread=sent.message_id, button="Approve")
        pressed = await slack.press(general, ada, card.id, "Approve")
        assert (await slack.wait_answer(pressed)).text == ""                  # what only the presser was shown

        command = await slack.command(general, ada, "/askfirst", "help")
        view = await slack.wait_view(ada, containing="Settings")
        await slack.submit(view, {"Name": "Guide"})

The app is given `slack.api_url` (the SDK's base_url), `slack.bot_token`, and `slack.app_token` for Socket Mode, or
`slack.signing_secret` and `await slack.use_http(url)`. While no socket is open, events wait for one; presses and commands
fail at once, as they do in Slack.

Channels and people may be given as what this client returned or by id; a message's id is its ts. Every `wait_…` raises
`Waited` with what there was instead when its time is up. Leaving the block fails with `ContractBroken` if the app broke the
contract and the test did not take it with `violations(forget=True)`.
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

from tests.fakes.slack.crowd import Crowd
from tests.fakes.slack.mischief import Mischief
from tests.fakes.slack.watch import Watch

_ROOT = Path(__file__).parents[3]
_READY_WITHIN = 60.0


class ContractBroken(AssertionError):
    """The app sent something that Slack refuses, and no test expected it."""


class Slack(Crowd, Mischief, Watch):
    """Everything that a test can say to the fake; the parts are in files of their own."""


@contextlib.asynccontextmanager
async def running_slack(*, validation: bool = True, port: int = 0) -> AsyncIterator[Slack]:
    """The fake in a process of its own, ready; ended with the block. Raises ContractBroken at its end (see above)."""
    process = await asyncio.create_subprocess_exec(
        *_command(validation, port), cwd=_ROOT, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), _READY_WITHIN)
        async with connected(_ready(line)) as slack:
            yield slack
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


@contextlib.contextmanager
def slack_process(*, validation: bool = True, port: int = 0) -> Iterator[Mapping[str, Any]]:
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
async def connected(ready: Mapping[str, Any]) -> AsyncIterator[Slack]:
    """A fake that knows nobody yet. Raises ContractBroken at its end (see above)."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as http:
        slack = Slack(ready, http)
        await slack.reset()
        yield slack
        if broken := await slack.violations():
            raise ContractBroken("; ".join(f"{entry.method} (call {entry.call}): {entry.reason}" for entry in broken))


def _command(validation: bool, port: int) -> list[str]:
    command = [sys.executable, "-m", "tests.fakes.slack", "--port", str(port), "--end-with-stdin"]
    return command if validation else [*command, "--no-validation"]


def _ready(line: bytes) -> Mapping[str, Any]:
    if not line:
        raise RuntimeError("the Slack fake ended before it was ready; its reason is on stderr")
    ready: Mapping[str, Any] = json.loads(line)
    return ready
