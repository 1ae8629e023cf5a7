"""The queue of updates as getUpdates and the webhook see it (source: tdlib/telegram-bot-api, Client and TQueue)."""

import json
import math
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

from tests.fakes.telegram.clock import Clock
from tests.fakes.telegram.errors import Json
from tests.fakes.telegram.schema import Check

KINDS = frozenset(
    {
        "message",
        "edited_message",
        "channel_post",
        "edited_channel_post",
        "business_connection",
        "business_message",
        "edited_business_message",
        "deleted_business_messages",
        "guest_message",
        "message_reaction",
        "message_reaction_count",
        "inline_query",
        "chosen_inline_result",
        "callback_query",
        "shipping_query",
        "pre_checkout_query",
        "purchased_paid_media",
        "poll",
        "poll_answer",
        "my_chat_member",
        "chat_member",
        "chat_join_request",
        "chat_boost",
        "removed_chat_boost",
        "managed_bot",
        "subscription",
        "stopped_message_generation",
    }
)
DEFAULT = KINDS - {"chat_member", "message_reaction", "message_reaction_count"}
MESSAGE_LIFE = 24 * 3600.0
QUERY_LIFE = 150.0

_FUTURE = 10
"""An offset further than this past the newest id is ignored."""


class BrokenFake(Exception):
    """This server itself was about to break the contract: mend the fake."""


@dataclass(frozen=True, slots=True)
class Update:
    """`queue` names the lane in which webhooks keep order; `created` is a perf_counter value for latencies."""

    id: int
    kind: str
    body: bytes
    queue: str
    chat: int | None
    expires: float
    created: float = field(default_factory=time.perf_counter)


class Updates:
    def __init__(self, clock: Clock, first_id: int, check: Check) -> None:
        self._clock = clock
        self._check = check
        self._pending: deque[Update] = deque()
        self._again: list[Update] = []
        self._listeners: list[Callable[[], None]] = []
        self._soonest = math.inf
        self.taken: Callable[[], None] = lambda: None
        """Called when the bot has confirmed something."""
        self.next_id = first_id
        self.gap = 0
        """Ids to leave out before each new update."""
        self.allowed = DEFAULT
        self.paused = False
        self.reversed_once = False
        self.made: dict[int, Update] = {}
        """Every update that was ever queued, by id."""

    def listen(self, heard: Callable[[], None]) -> None:
        """`heard` is called whenever there may be something new to deliver."""
        self._listeners.append(heard)

    def add(self, kind: str, payload: Json, *, queue: str, chat: int | None, life: float = MESSAGE_LIFE) -> int | None:
        """Queue an update and give its id; None when the bot did not ask for this kind."""
        if kind not in self.allowed:
            return None
        if mistake := self._check("update", {"update_id": self.next_id, kind: payload}):
            raise BrokenFake(f"this server was about to deliver a malformed {kind}: {mistake}")
        return self.put(kind, {kind: payload}, queue=queue, chat=chat, life=life)

    def put(self, kind: str, fields: Json, *, queue: str, chat: int | None, life: float = MESSAGE_LIFE) -> int:
        """Queue whatever `fields` hold, unasked and unchecked; an `update_id` of their own is kept as it is."""
        self.next_id += self.gap
        number = self.next_id
        self.next_id += 1
        body = json.dumps({"update_id": number, **fields}, ensure_ascii=False, separators=(",", ":")).encode()
        update = Update(number, kind, body, queue, chat, self._clock.now() + life)
        self._pending.append(update)
        self._soonest = min(self._soonest, update.expires)
        self.made[number] = update
        self.ring()
        return number

    def ring(self) -> None:
        for heard in self._listeners:
            heard()

    def repeat(self, number: int) -> None:
        """Deliver an update once more, whatever was confirmed."""
        self._again.append(self.made[number])
        self.ring()

    def fetch(self, offset: int, limit: int) -> list[Update]:
        """What getUpdates answers; confirms by `offset` on the way."""
        self._confirm(offset)
        self._drop_expired()
        if self.paused:
            return []
        again, self._again = self._again, []
        batch = [*again, *islice(self._pending, limit - len(again))]
        if self.reversed_once and batch:
            self.reversed_once = False
            batch.reverse()
        return batch

    def _confirm(self, offset: int) -> None:
        if offset < 0:
            while len(self._pending) > -offset:
                self._pending.popleft()
            return
        if offset > self.next_id + _FUTURE:
            return
        if not self._pending or self._pending[0].id >= offset:
            return
        while self._pending and self._pending[0].id < offset:
            self._pending.popleft()
        self.taken()

    def _drop_expired(self) -> None:
        now = self._clock.now()
        if now < self._soonest:
            return
        self._pending = deque(update for update in self._pending if update.expires > now)
        self._soonest = min((update.expires for update in self._pending), default=math.inf)

    def take(self) -> list[Update]:
        """Hand everything over to the webhook, which now answers for it."""
        if self.paused:
            return []
        taken = [*self._again, *self._pending]
        if self.reversed_once and taken:
            self.reversed_once = False
            taken.reverse()
        self._again = []
        self._pending.clear()
        return taken

    def give_back(self, updates: Iterable[Update]) -> None:
        self._pending = deque(sorted((*updates, *self._pending), key=lambda update: update.id))

    def clear(self) -> None:
        self._pending.clear()
        self._again = []

    def __len__(self) -> int:
        return len(self._pending)
