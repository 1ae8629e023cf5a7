"""One delivery on its way in, by socket or by HTTP: its sender looked up, parsed, stored, and only then acknowledged."""

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import structlog

from channels.adapter import Inlet, Receipt
from channels.delivery import Deliveries
from channels.errors import NotSent, NotStored
from channels.events import Gone
from channels.fields import Json, Unreadable
from channels.slack.directory import Directory
from channels.slack.dispatch import Ack
from channels.slack.pane import Pane
from channels.slack.parse import Parser, delivery_id
from channels.slack.replies import Replies
from channels.slack.sender import UnknownSender

LOOKUP_S = 1.5
"""How long an acknowledgement may wait for names: half of what Slack grants."""
PATIENCE_S = 20.0
"""How long one may take that was acknowledged already."""
TRIES = 3
"""How often a delivery is offered before it counts as one that cannot be taken: as often as Slack repeats."""

_log = structlog.stdlib.get_logger(__name__)


class Intake:
    def __init__(
        self,
        parser: Parser,
        inlet: Inlet,
        directory: Directory,
        replies: Replies,
        pane: Pane,
        put_out: Callable[[], None],
        first_pause: float = 1.0,
    ) -> None:
        """`put_out` is told when Slack said that the app is no longer in its workspace, and that is stored.
        `first_pause`: seconds before a sender that could not be looked up is looked up again; it doubles."""
        self._parser = parser
        self._inlet = inlet
        self._deliveries = Deliveries(parser.channel, inlet, TRIES)
        self._directory = directory
        self._replies = replies
        self._pane = pane
        self._put_out = put_out
        self._first_pause = first_pause
        self._turns: dict[str, _Turn] = {}
        self._late: dict[str, deque[_Late]] = {}
        self._catching_up: set[asyncio.Task[None]] = set()

    async def resume(self) -> None:
        """Take up what was acknowledged and not read yet when the service ended."""
        for kept_as, raw in await self._inlet.kept(self._parser.channel):
            self._later(_Late(kept_as, json.loads(raw)))

    async def take(self, body: Json) -> Ack:
        """Return when the delivery is stored, set aside, or none of our business. Raises NotStored.

        In one chat they are taken in the order in which they came.
        """
        chat = _chat(body)
        async with self._turn(chat):
            if chat in self._late and _may_wait(body):
                return await self._keep(body)
            try:
                return await self._take(body, LOOKUP_S)
            except UnknownSender as error:
                if not _may_wait(body):
                    raise NotStored(str(error)) from error
                return await self._keep(body)

    async def _take(self, body: Json, within: float) -> Ack:
        people = await self._directory.look_up(self._parser.who(body), within)
        try:
            event = self._parser.event(body, people, time.time())
        except Unreadable as error:
            await self._deliveries.set_aside(error.event_id, json.dumps(body), str(error))
            return Ack()
        receipt = Receipt() if event is None else await self._deliveries.receive(event, body)
        self._pane.notice(body, event)
        if isinstance(event, Gone) and event.scope == "channel":
            self._put_out()
        if event is None:
            return Ack()
        return self._replies.to(event, receipt, body)

    # Slack waits three seconds, and users.info may take longer: then the delivery is kept, and read when it can be.

    async def _keep(self, body: Json) -> Ack:
        late = _Late(delivery_id(body), body)
        try:
            fresh = await self._inlet.keep(self._parser.channel, late.kept_as, json.dumps(body))
        except NotSent as error:
            raise NotStored("the delivery could not be stored") from error
        if fresh:
            self._later(late)
        return Ack()

    def _later(self, late: "_Late") -> None:
        chat = _chat(late.body)
        waiting = self._late.setdefault(chat, deque())
        waiting.append(late)
        if len(waiting) == 1:
            task = asyncio.create_task(self._catch_up(chat), name=f"slack late {chat}")
            self._catching_up.add(task)
            task.add_done_callback(self._catching_up.discard)

    async def _catch_up(self, chat: str) -> None:
        waiting, pause = self._late[chat], self._first_pause
        while waiting:
            try:
                await self._take(waiting[0].body, PATIENCE_S)
                await self._inlet.release(self._parser.channel, waiting[0].kept_as)
            except (UnknownSender, NotStored, NotSent) as error:
                _log.warning("slack_delivery_waits", reason=str(error))
                await asyncio.sleep(pause)
                pause = min(pause * 2, 60.0)
                continue
            async with self._turn(chat):
                waiting.popleft()
                if not waiting:
                    del self._late[chat]

    @asynccontextmanager
    async def _turn(self, chat: str) -> AsyncIterator[None]:
        """One after the other; asyncio's locks are fair."""
        turn = self._turns.setdefault(chat, _Turn())
        turn.wanted += 1
        try:
            async with turn.lock:
                yield
        finally:
            turn.wanted -= 1
            if not turn.wanted:
                del self._turns[chat]

    async def finish(self) -> None:
        """Let go of what waits (it is kept), and see the answers out that are under way."""
        for task in self._catching_up:
            task.cancel()
        await asyncio.gather(*self._catching_up, return_exceptions=True)
        await self._pane.finish()
        await self._replies.finish()


@dataclass(slots=True)
class _Turn:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    wanted: int = 0


@dataclass(frozen=True, slots=True)
class _Late:
    kept_as: str
    body: Json


def _chat(body: Json) -> str:
    """Whose order a delivery belongs to, as far as it can be seen."""
    said = body if isinstance(body, Mapping) else {}
    for place in (said.get("event"), said):
        found = place.get("channel") or place.get("channel_id") if isinstance(place, Mapping) else None
        found = found.get("id") if isinstance(found, Mapping) else found
        if isinstance(found, str):
            return found
    return ""


def _may_wait(body: Json) -> bool:
    """A press or a command must be answered at once; what is said may be read a moment later."""
    return isinstance(body, dict) and body.get("type") == "event_callback"
