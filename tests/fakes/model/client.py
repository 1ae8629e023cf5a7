"""Starts the scripted model server and drives it from a test."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from pydantic import TypeAdapter

from tests.fakes.model.control import ASKED
from tests.fakes.model.script import Asked, Reply, Rule

_REPLIES = TypeAdapter(list[Reply])
_RULES = TypeAdapter(list[Rule])
_STANDING = TypeAdapter(Reply | None)


class ModelServer:
    """The running server. `openai_url` and `anthropic_url` are the base urls that a client of that wire takes."""

    def __init__(self, port: int, control_port: int, session: aiohttp.ClientSession) -> None:
        self.openai_url = f"http://127.0.0.1:{port}/v1"
        self.anthropic_url = f"http://127.0.0.1:{port}"
        self._control = f"http://127.0.0.1:{control_port}"
        self._session = session

    async def answer(self, *replies: Reply | str) -> None:
        """Puts replies into the queue; each answers one request. A bare text is a plain answer."""
        await self._post("/replies", _REPLIES.dump_json([_reply(one) for one in replies]))

    async def rules(self, *rules: Rule) -> None:
        """Adds rules; the first that fits answers, before the queue is looked at."""
        await self._post("/rules", _RULES.dump_json(list(rules)))

    async def otherwise(self, reply: Reply | str | None) -> None:
        """What answers when neither a rule nor the queue does; None: the request fails with 500."""
        await self._post("/otherwise", _STANDING.dump_json(None if reply is None else _reply(reply)))

    async def release(self, name: str) -> None:
        """Lets go what is held under the name."""
        await self._post(f"/release/{name}", b"")

    async def reset(self) -> None:
        """Forgets script and requests."""
        await self._post("/reset", b"")

    async def requests(self) -> list[Asked]:
        """Everything that was asked, oldest first."""
        async with self._session.get(f"{self._control}/requests") as response:
            return ASKED.validate_json(await response.read())

    async def wait_request(self, number: int, seconds: float = 10) -> Asked:
        """The request of that number, counted from 1; AssertionError if it does not come in time."""
        return await self._wait(number, seconds, ended="0")

    async def wait_ended(self, number: int, seconds: float = 10) -> Asked:
        """The request of that number when it was answered, refused, cut, or left by its client."""
        return await self._wait(number, seconds, ended="1")

    async def violations(self) -> list[str]:
        """Every breach of the wire's contract so far; sound code leaves none."""
        return [f"request {asked.n}: {fault}" for asked in await self.requests() for fault in asked.faults]

    async def _wait(self, number: int, seconds: float, ended: str) -> Asked:
        query = {"number": str(number), "ended": ended, "seconds": str(seconds)}
        async with self._session.get(f"{self._control}/wait", params=query) as response:
            assert response.status == 204, f"request {number} did not come (or end) within {seconds} s"
        return (await self.requests())[number - 1]

    async def _post(self, path: str, body: bytes) -> None:
        async with self._session.post(f"{self._control}{path}", data=body) as response:
            assert response.status == 204, await response.text()


def _reply(one: Reply | str) -> Reply:
    return Reply(text=one) if isinstance(one, str) else one


@dataclass(frozen=True, slots=True)
class Address:
    """Where a started server listens."""

    port: int
    control_port: int


@contextmanager
def launched(*models: str) -> Iterator[Address]:
    """A server in a process of its own that knows these models beside its usual ones; gone when the block ends.

    It outlives an event loop, so one may serve many tests: see `connected`.
    """
    extra = [part for name in models for part in ("--model", name)]
    command = [sys.executable, "-m", "tests.fakes.model", "--tied", *extra]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            ready: dict[str, Any] = json.loads(process.stdout.readline())
            yield Address(ready["port"], ready["control_port"])
        finally:
            process.terminate()


@asynccontextmanager
async def connected(address: Address) -> AsyncIterator[ModelServer]:
    """A started server with nothing scripted and nothing asked."""
    async with aiohttp.ClientSession() as session:
        server = ModelServer(address.port, address.control_port, session)
        await server.reset()
        yield server


@asynccontextmanager
async def model_server(*models: str) -> AsyncIterator[ModelServer]:
    """A server for this block alone."""
    with ExitStack() as stack:
        address = await asyncio.to_thread(stack.enter_context, launched(*models))
        async with connected(address) as server:
            yield server
