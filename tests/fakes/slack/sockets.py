"""Socket Mode: tickets, connections, envelopes, and the ways in which a connection can end or go deaf."""

import asyncio
import json
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import WSCloseCode, WSMsgType, web

from tests.fakes.slack.deliveries import Delivery, Failed, Taken
from tests.fakes.slack.errors import Json
from tests.fakes.slack.record import Record
from tests.fakes.telegram.clock import Clock

MOST_CONNECTIONS = 10
TICKET_LIFE = 30.0
LEAVE_WITHIN = 10.0
"""Seconds from a warning to the end of the connection."""

Reason = Literal["warning", "refresh_requested", "too_many_websockets", "link_disabled"]
Deafness = Literal["", "quiet", "dead"]
"""quiet: answers pings, sends nothing. dead: does not even answer pings."""


@dataclass(slots=True)
class Connection:
    number: int
    ws: web.WebSocketResponse
    transport: asyncio.Transport | None
    deaf: Deafness = ""
    swallow: bool = False
    """While deaf: take deliveries and lose them, so that they are tried again when their time is up."""
    waiting: dict[str, asyncio.Future[Taken | Failed]] = field(default_factory=dict)


class Sockets:
    """A transport: each envelope goes to one of the open connections, in turn."""

    def __init__(self, clock: Clock, record: Record, app_id: str, ring: Callable[[], None]) -> None:
        self._clock = clock
        self._record = record
        self._app_id = app_id
        self._ring = ring
        self._tickets: dict[str, float] = {}
        self._known: deque[str] = deque(maxlen=10_000)
        self._made = 0
        self._leaving: set[asyncio.Task[None]] = set()
        self.connections: list[Connection] = []
        self.ack_within = 3.0
        self.changed: Callable[[], None] = lambda: None

    def ticket(self) -> str:
        """Good for one connection, within half a minute."""
        ticket = secrets.token_hex(16)
        self._tickets[ticket] = self._clock.now() + TICKET_LIFE
        return ticket

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        expires = self._tickets.pop(request.query.get("ticket", ""), 0.0)
        if expires < self._clock.now():
            return web.Response(status=408, text="the ticket was used before, or is too old")
        ws = web.WebSocketResponse(autoping=False)
        await ws.prepare(request)
        self._made += 1
        connection = Connection(self._made, ws, request.transport)
        if len(self.connections) >= MOST_CONNECTIONS:
            await ws.send_json(self._goodbye("too_many_websockets"))
            await ws.close()
            return ws
        self.connections.append(connection)
        await ws.send_json(self._hello())
        self.changed()
        self._ring()
        try:
            await self._listen(connection)
        finally:
            self._forget(connection)
        return ws

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self.connections),
            "debug_info": {"host": "applink-1", "build_number": 1, "approximate_connection_time": 18060},
            "connection_info": {"app_id": self._app_id},
        }

    def _goodbye(self, reason: Reason) -> Json:
        return {"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-1"}}

    async def _listen(self, connection: Connection) -> None:
        async for message in connection.ws:
            if message.type == WSMsgType.PING:
                if connection.deaf != "dead":
                    await connection.ws.pong(message.data)
            elif message.type == WSMsgType.TEXT:
                self._heard(connection, message.data)

    def _heard(self, connection: Connection, text: str) -> None:
        try:
            frame = json.loads(text)
            envelope, payload = frame["envelope_id"], frame.get("payload")
        except (ValueError, KeyError, TypeError, AttributeError):
            self._breach({"frame": text}, "a frame that is no acknowledgement")
            return
        if envelope not in self._known:
            self._breach(frame, "an acknowledgement of an envelope that was never sent")
        if set(frame) - {"envelope_id", "payload"}:
            self._breach(frame, "an acknowledgement holds envelope_id and payload alone")
        waiting = connection.waiting.get(envelope)
        if waiting is not None and not waiting.done():
            waiting.set_result(Taken(payload))

    def _breach(self, frame: Json, reason: str) -> None:
        call = self._record.arrived("ack", frame, self._clock.now())
        call.verdict = "breach"
        self._record.breach(call, reason)

    def _forget(self, connection: Connection) -> None:
        if connection in self.connections:
            self.connections.remove(connection)
        for waiting in connection.waiting.values():
            if not waiting.done():
                waiting.set_result(Failed("timeout"))
        self.changed()

    # As a transport.

    def ready(self) -> bool:
        return any(not connection.deaf or connection.swallow for connection in self.connections)

    async def attempt(self, delivery: Delivery) -> Taken | Failed:
        connection = self._next()
        envelope = self._envelope(delivery)
        number = envelope["envelope_id"]
        self._known.append(number)
        waiting: asyncio.Future[Taken | Failed] = asyncio.get_running_loop().create_future()
        connection.waiting[number] = waiting
        try:
            if not connection.deaf:
                await connection.ws.send_json(envelope)
            outcome = await asyncio.wait_for(waiting, self.ack_within)
        except (TimeoutError, ConnectionError):
            return Failed("timeout")
        finally:
            connection.waiting.pop(number, None)
        if isinstance(outcome, Taken) and outcome.body and delivery.kind == "events_api":
            self._breach({"envelope_id": number, "payload": outcome.body}, "an event takes no payload in its answer")
        return outcome

    def _next(self) -> Connection:
        open_ones = [connection for connection in self.connections if not connection.deaf or connection.swallow]
        chosen = open_ones[0]
        self.connections.remove(chosen)
        self.connections.append(chosen)
        return chosen

    def _envelope(self, delivery: Delivery) -> Json:
        envelope: Json = {
            "envelope_id": secrets.token_hex(16),
            "payload": delivery.payload,
            "type": delivery.kind,
            "accepts_response_payload": delivery.kind != "events_api",
        }
        if delivery.kind == "events_api":
            envelope.update(retry_attempt=delivery.tries, retry_reason=delivery.last_failure)
        return envelope

    # Ends.

    async def disconnect(self, reason: Reason, number: int | None) -> int:
        """Say goodbye to one connection or all. After a warning it stays for ten seconds more; how many were told."""
        chosen = self.chosen(number)
        for connection in chosen:
            await connection.ws.send_json(self._goodbye(reason))
            if reason in ("warning", "refresh_requested"):
                task = asyncio.create_task(self._leave(connection))
                self._leaving.add(task)
                task.add_done_callback(self._leaving.discard)
            else:
                await connection.ws.close()
        return len(chosen)

    async def _leave(self, connection: Connection) -> None:
        await self._clock.sleep(LEAVE_WITHIN)
        await connection.ws.close(code=WSCloseCode.GOING_AWAY)

    def cut(self, number: int | None) -> int:
        """End connections without a word."""
        chosen = self.chosen(number)
        for connection in chosen:
            if connection.transport is not None:
                connection.transport.abort()
            self._forget(connection)
        return len(chosen)

    def deafen(self, number: int | None, deaf: Deafness, *, swallow: bool) -> int:
        chosen = self.chosen(number)
        for connection in chosen:
            connection.deaf, connection.swallow = deaf, swallow
        self._ring()
        return len(chosen)

    def chosen(self, number: int | None) -> list[Connection]:
        return [connection for connection in self.connections if number in (None, connection.number)]

    async def close(self) -> None:
        for task in list(self._leaving):
            task.cancel()
        self.cut(None)
