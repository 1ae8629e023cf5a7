"""A server as a process of our own: its group, its mark, its pipes, and its end, whatever it does about it."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest, jsonrpc_message_adapter
from pydantic import ValidationError

from bot.log import logger
from bot.mcp_client.characters import AS_IT_CAME
from bot.mcp_client.leftovers import Ledger
from bot.mcp_client.processes import MARK, Process, marked, of_session, process
from bot.mcp_client.pump import BURST_BYTES, BYTES_PER_S, LONGEST, Pace, TooLong, lines
from bot.mcp_client.rejections import Rejections
from bot.mcp_client.vetting import Launch
from bot.mcp_client.words import Unusable

Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Outgoing = MemoryObjectReceiveStream[SessionMessage]
Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]

log = logger("askfirst.mcp")

KILLED_S = 20.0
"""What does not end within this is out of reach: the kernel itself holds it."""
STDERR_KEPT = 65_536
"""Bytes of what it says aside; of these a part is shown, once its secrets are struck out."""
STRAY_LINES = 1_000
"""So many lines that are no messages, and a server is given up."""


class Child:
    """One process of a server. `kill` returns when it and all that it started are gone.

    grace_s: how long it may take to end by itself, and again after SIGTERM. failed: is called once it is known that the process
    has ended, with the reason.
    """

    def __init__(
        self,
        launch: Launch,
        mark: str,
        ledger: Ledger,
        grace_s: float,
        rejections: Rejections,
        failed: Callable[[str], None],
    ) -> None:
        self._launch = launch
        self._grace_s = grace_s
        self._mark = mark
        self._ledger = ledger
        self._rejections = rejections
        self._failed = failed
        self._process: asyncio.subprocess.Process | None = None
        self._leader: Process | None = None
        self._tail = b""
        self._strays = 0
        self._begun: set[int | str] = set()
        self._written: set[int | str] = set()

    @property
    def exit_code(self) -> int | None:
        return None if self._process is None else self._process.returncode

    @property
    def stderr_tail(self) -> str:
        return self._tail.decode("utf-8", "replace")

    def sent(self, request_id: int | str) -> bool:
        """Whether any of a request may have reached the process."""
        return request_id in self._begun

    def stuck(self, request_id: int | str) -> bool:
        """Whether a request is on its way into a pipe that is not emptied."""
        return request_id in self._begun and request_id not in self._written

    def settled(self, request_id: int | str) -> None:
        """Whoever asked has what there is to have."""
        self._begun.discard(request_id)
        self._written.discard(request_id)

    @contextlib.asynccontextmanager
    async def streams(self) -> AsyncIterator[Streams]:
        """Start it. Raises Unusable."""
        try:
            child = self._process = await asyncio.create_subprocess_exec(
                self._launch.program,
                *self._launch.args,
                env={**self._launch.env, MARK: self._mark},
                cwd=self._launch.cwd,
                start_new_session=True,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            raise Unusable(f"It could not be started: {error.strerror or error}.") from error
        self._leader = process(child.pid)
        if self._leader is not None:
            self._ledger.note(self._mark, self._leader)
        to_us, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, from_us = anyio.create_memory_object_stream[SessionMessage](0)
        pumps = [
            asyncio.create_task(self._out(child, to_us)),
            asyncio.create_task(self._in(child, from_us)),
            asyncio.create_task(self._err(child)),
            asyncio.create_task(self._watch(child)),
        ]
        try:
            yield read, write
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.wait(pumps)
            for stream in (to_us, read, write, from_us):
                stream.close()

    async def _watch(self, child: asyncio.subprocess.Process) -> None:
        code = await child.wait()
        await asyncio.sleep(0.05)  # what it said at last is still in the pipe
        how = f"was ended by the signal {signal.Signals(-code).name}" if code < 0 else f"ended with the code {code}"
        self._failed(f"Its process {how}.")

    async def _out(self, child: asyncio.subprocess.Process, to_us: Incoming) -> None:
        assert child.stdout is not None
        pace, bulk = Pace(rate=1_000, burst=500), Pace(BYTES_PER_S, BURST_BYTES)
        try:
            async for line in lines(child.stdout):
                await bulk.spend(len(line))
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValidationError:
                    self._stray(line)
                    await pace.spend()
                    continue
                await to_us.send(SessionMessage(message))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.5):  # mostly since it ends: then `_watch` knows more
                    await child.wait()
                    await asyncio.sleep(0.1)
            self._failed("It closed its output.")
        except TooLong:
            self._failed(f"It sent a message of more than {LONGEST >> 20} MB.")
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return
        finally:
            to_us.close()

    def _stray(self, line: bytes) -> None:
        self._strays += 1
        if self._strays == 1:
            text = line[:AS_IT_CAME].decode("utf-8", "replace")
            self._rejections.add(f"It wrote something to its output that is no message: {text}")
        if self._strays > STRAY_LINES:
            self._failed(f"It wrote more than {STRAY_LINES} lines to its output that are no messages.")
            raise anyio.ClosedResourceError

    async def _in(self, child: asyncio.subprocess.Process, from_us: Outgoing) -> None:
        assert child.stdin is not None
        try:
            async for item in from_us:
                line = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode()
                request_id = item.message.id if isinstance(item.message, JSONRPCRequest) else 0
                self._begun.add(request_id)
                child.stdin.write(line + b"\n")
                await child.stdin.drain()
                self._written.add(request_id)
        except (ConnectionError, anyio.ClosedResourceError):
            self._failed("It closed its input.")
        finally:
            from_us.close()

    async def _err(self, child: asyncio.subprocess.Process) -> None:
        assert child.stderr is not None
        pace = Pace(rate=8 * 1024 * 1024, burst=1024 * 1024)
        while piece := await child.stderr.read(65_536):
            self._tail = (self._tail + piece)[-STDERR_KEPT:]
            await pace.spend(len(piece))

    async def kill(self) -> None:
        """End it. To be run as a task of its own, which nobody cancels."""
        child = self._process
        if child is None:
            return
        if child.stdin is not None:
            child.stdin.close()
        steps: tuple[tuple[signal.Signals | None, float], ...] = (
            (None, self._grace_s),
            (signal.SIGTERM, self._grace_s),
            (signal.SIGKILL, KILLED_S),
        )
        for number, wait in steps:
            if number is not None:
                self._signal(child, number)
            if await self._gone(child, wait, number):
                break
        else:
            log.error("processes of an MCP server could not be ended", pids=[one.pid for one in self._left()])
        child._transport.close()  # type: ignore[attr-defined]
        self._ledger.forget(self._mark)

    def _signal(self, child: asyncio.subprocess.Process, number: signal.Signals) -> None:
        """To the group as long as its leader is not reaped, and to each process that is left, also outside of the group."""
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, number)
        for one in self._left():
            one.signal(number)

    def _left(self) -> set[Process]:
        """What lives of it: by our mark, and by its session, for what has cleared its environment."""
        return {*marked(self._mark), *(of_session(self._leader) if self._leader else ())}

    async def _gone(self, child: asyncio.subprocess.Process, wait: float, number: signal.Signals | None) -> bool:
        """Whether nothing is left, within `wait` seconds. What a leader has left behind is not given the grace that the
        leader had."""
        loop = asyncio.get_running_loop()
        end = loop.time() + wait
        pause = 0.01
        while True:
            if child.returncode is not None:
                if not await asyncio.to_thread(self._left):
                    return True
                if number is None:
                    return False
                if number is signal.SIGKILL:
                    self._signal(child, number)
            if loop.time() >= end:
                return False
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, 0.1)
