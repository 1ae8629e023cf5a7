"""Socket Mode: our own connection, so that one that is deaf while it looks healthy is seen, and a fresh one takes over."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import aiohttp
import structlog

from channels.adapter import ChannelState
from channels.errors import ChannelError, ChannelGone, Misconfigured
from channels.fields import Json
from channels.slack.client import Client

Report = Callable[[ChannelState, str], None]
Handle = Callable[[Mapping[str, Json]], Awaitable[Mapping[str, Json] | None]]
"""An envelope → what its acknowledgement holds, None for no acknowledgement."""

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds. `ping`: how often the other end must answer; `hello`: how long its first words may take; `quiet`: without a
    word for so long a socket is replaced; `handover`: how long an old one is still listened to beside the new one.
    `first`, `longest`: the growing pause after a failure."""

    ping: float = 10.0
    hello: float = 10.0
    quiet: float = 120.0
    handover: float = 5.0
    first: float = 0.2
    longest: float = 30.0


class Deaf(ChannelError):
    """Slack's socket said nothing, or stopped answering."""


class Sockets:
    """`connected` is what is reported while a socket works; `siblings` how many sockets this app may have beside ours."""

    def __init__(
        self,
        client: Client,
        handle: Handle,
        report: Report,
        connected: str,
        pace: Pace,
        siblings: Callable[[], int] = lambda: 0,
    ) -> None:
        self._client = client
        self._handle = handle
        self._report = report
        self._connected = connected
        self._pace = pace
        self._siblings = siblings
        self._handling: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Listen until cancelled. Raises Misconfigured where trying again cannot help."""
        failures = 0
        try:
            while True:
                socket = self._socket(expected=1)
                try:
                    await self._listen(socket)
                except _TROUBLE as error:
                    failures = 1 if socket.greeted.is_set() else failures + 1
                    await self._pause(error, failures)
        finally:
            for task in self._handling:
                task.cancel()
            await asyncio.gather(*self._handling, return_exceptions=True)

    async def _listen(self, socket: "_Socket") -> None:
        """One socket after another, each opened before the one before it is closed, until one breaks."""
        current = await self._open(socket)
        try:
            while True:
                await _until(current, socket.spent)
                following = self._socket(expected=2)
                try:
                    successor = await self._open(following)
                except Misconfigured:
                    raise
                except _TROUBLE as error:  # the old one may still hear something
                    self._report("error", f"{_words(error)} The socket could not be replaced; trying again.")
                    await asyncio.wait([current], timeout=self._pace.longest)
                    continue
                old, current, socket = current, successor, following
                await asyncio.wait([old], timeout=self._pace.handover)
                await _ended(old)
        finally:
            await _ended(current)

    def _socket(self, expected: int) -> "_Socket":
        return _Socket(self._client, self._pace, self._take, expected + self._siblings())

    async def _open(self, socket: "_Socket") -> "asyncio.Task[None]":
        """A socket that has been greeted. Raises what kept it from that."""
        url = await self._ticket()
        task = asyncio.create_task(socket.listen(url), name="slack socket")
        greeted = asyncio.create_task(socket.greeted.wait())
        try:
            await asyncio.wait([task, greeted], timeout=self._pace.hello, return_when="FIRST_COMPLETED")
        finally:
            greeted.cancel()
            if not socket.greeted.is_set():
                failed = task.done()
                await _ended(task)
                if failed:
                    task.result()
        if not socket.greeted.is_set():
            raise Deaf("Slack opened a socket and said nothing.")
        self._report("connected", self._connected + socket.crowd)
        return task

    async def _ticket(self) -> str:
        try:
            return await self._client.ticket()
        except ChannelGone as error:
            raise Misconfigured(
                f"Slack does not take the app token ({error}) Nothing is received. Make an app-level token with"
                " connections:write in the app's settings, and put it into the environment."
            ) from error

    async def _pause(self, error: Exception, failures: int) -> None:
        if isinstance(error, Misconfigured):
            raise error
        words = _words(error)
        self._report("error" if failures > 1 else "connecting", f"{words} Connecting anew.")
        _log.warning("slack_socket_lost", reason=words, failures=failures)
        wait = getattr(error, "retry_after", 0.0)
        await asyncio.sleep(max(wait, min(self._pace.first * 2 ** (failures - 1), self._pace.longest)))

    def _take(self, envelope: Mapping[str, Json], answer: Callable[[str], Awaitable[None]]) -> None:
        task = asyncio.create_task(self._answer(envelope, answer))
        self._handling.add(task)
        task.add_done_callback(self._handling.discard)

    async def _answer(self, envelope: Mapping[str, Json], answer: Callable[[str], Awaitable[None]]) -> None:
        """Acknowledge what is stored; what is not comes again."""
        payload = await self._handle(envelope)
        if payload is None:
            return
        ack: dict[str, Json] = {"envelope_id": envelope.get("envelope_id")}
        if payload and envelope.get("accepts_response_payload") is True:
            ack["payload"] = dict(payload)
        try:
            await answer(json.dumps(ack))
        except (ConnectionError, aiohttp.ClientError, RuntimeError):
            _log.warning("slack_ack_not_sent")  # it comes again, and is known


_TROUBLE = (ChannelError, aiohttp.ClientError, TimeoutError, OSError)


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, ChannelError) else f"Slack's socket broke ({type(error).__name__})."


async def _until(listening: "asyncio.Task[None]", spent: asyncio.Event) -> None:
    """Until the socket is to be replaced. Raises what broke it."""
    waiting = asyncio.create_task(spent.wait())
    try:
        await asyncio.wait([listening, waiting], return_when="FIRST_COMPLETED")
    finally:
        waiting.cancel()
    if listening.done():
        await listening
        raise Deaf("Slack closed the socket.")


async def _ended(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


class _Socket:
    """One connection, from its ticket to its end. `spent` when another should take over."""

    def __init__(
        self,
        client: Client,
        pace: Pace,
        take: Callable[[Mapping[str, Json], Callable[[str], Awaitable[None]]], None],
        expected: int,
    ) -> None:
        self._expected = expected
        self._client = client
        self._pace = pace
        self._take = take
        self.greeted = asyncio.Event()
        self.spent = asyncio.Event()
        self.crowd = ""

    async def listen(self, url: str) -> None:
        """Until it is closed. Raises Deaf, Misconfigured, or an error of aiohttp."""
        async with self._client.http.ws_connect(url, heartbeat=self._pace.ping, max_msg_size=1 << 22) as ws:
            while True:
                try:
                    message = await ws.receive(timeout=self._pace.quiet)
                except TimeoutError:
                    self.spent.set()
                    continue
                if message.type is aiohttp.WSMsgType.TEXT:
                    self._frame(message.data, ws.send_str)
                elif message.type is not aiohttp.WSMsgType.BINARY:
                    raise Deaf("Slack's socket was closed, or answered no more.")

    def _frame(self, data: str, answer: Callable[[str], Awaitable[None]]) -> None:
        frame = _object(data)
        match frame.get("type"):
            case "hello":
                self._count(frame.get("num_connections"))
                self.greeted.set()
            case "disconnect" if frame.get("reason") == "link_disabled":
                raise Misconfigured(
                    "Socket Mode is switched off for this app, so nothing is received. Switch it on in the app's"
                    " settings, or write mode: http."
                )
            case "disconnect":
                self.spent.set()
            case _ if isinstance(frame.get("envelope_id"), str):
                self._take(frame, answer)
            case _:
                _log.warning("slack_frame_not_known")

    def _count(self, connections: Json) -> None:
        """A dev process that was forgotten takes its share of the events, and nobody notices."""
        if isinstance(connections, int) and connections > self._expected:
            self.crowd = f"; Slack counts {connections} sockets of this app: what another program gets is missing here"


def _object(data: str) -> Mapping[str, Json]:
    try:
        found = json.loads(data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
