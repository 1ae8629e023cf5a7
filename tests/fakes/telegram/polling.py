"""getUpdates: long polling, its throttle and its conflicts (source: tdlib/telegram-bot-api, Client)."""

import asyncio
import math
from typing import Any

from tests.fakes.telegram.arguments import Args
from tests.fakes.telegram.clock import Clock
from tests.fakes.telegram.errors import ApiError, conflict
from tests.fakes.telegram.updates import DEFAULT, KINDS, Update, Updates

OTHER_POLL = "terminated by other getUpdates request; make sure that only one bot instance is running"
WEBHOOK_SET = "terminated by setWebhook request"
_WEBHOOK_ACTIVE = "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
_PAUSE = 3.0


class Polling:
    def __init__(self, clock: Clock, updates: Updates) -> None:
        self._clock = clock
        self._updates = updates
        self._waiting: asyncio.Future[str | None] | None = None
        """Resolves to None when there may be updates, or to the reason of a conflict."""
        self._last_offset: int | None = None
        self._last_start = -math.inf
        self._next_conflict = -math.inf
        self.throttle = True
        self.webhook_active = False
        updates.listen(self._wake)

    async def get(self, args: Args) -> list[Update]:
        """The updates to answer with. Raises ApiError on a conflict."""
        if self.webhook_active:
            raise await self._conflict(_WEBHOOK_ACTIVE)
        set_allowed(self._updates, args)
        self.abort(OTHER_POLL)
        offset = args.integer("offset")
        limit = min(100, max(1, args.integer("limit", 100)))
        wait = float(min(50, max(0, args.integer("timeout"))))
        now = self._clock.now()
        if self.throttle and offset == self._last_offset:
            if wait < _PAUSE and now < self._last_start + _PAUSE:
                wait = _PAUSE
            if now < self._last_start + 0.5:
                limit = 1
        self._last_offset, self._last_start = offset, now
        return await self._wait_for_some(offset, limit, now + wait)

    async def _wait_for_some(self, offset: int, limit: int, end: float) -> list[Update]:
        while not (batch := self._updates.fetch(offset, limit)):
            left = end - self._clock.now()
            if left <= 0:
                break
            waiting: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
            self._waiting = waiting
            sleeping = asyncio.create_task(self._clock.sleep(left))
            ends: set[asyncio.Future[Any]] = {waiting, sleeping}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            sleeping.cancel()
            if self._waiting is waiting:
                self._waiting = None
            if waiting.done() and (reason := waiting.result()) is not None:
                raise await self._conflict(reason)
        return batch

    def abort(self, reason: str) -> None:
        """End the poll that waits, if there is one, with a conflict."""
        self._settle(reason)

    def _wake(self) -> None:
        self._settle(None)

    def _settle(self, reason: str | None) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_result(reason)

    async def _conflict(self, reason: str) -> ApiError:
        now = self._clock.now()
        if self.throttle and now < self._next_conflict:
            await self._clock.sleep(_PAUSE)
        else:
            self._next_conflict = now + _PAUSE
        return conflict(reason)


def set_allowed(updates: Updates, args: Args) -> None:
    """`allowed_updates` stays as it was when it is left out; an empty list is the default again."""
    wanted = args.json("allowed_updates")
    if isinstance(wanted, list):
        updates.allowed = frozenset(wanted) & KINDS if wanted else DEFAULT
