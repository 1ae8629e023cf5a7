"""One update on its way in, by polling or by webhook: parsed, stored, and only then done with."""

import asyncio
import json
import time
from collections import OrderedDict

import structlog

from channels.adapter import Inlet, Receipt
from channels.errors import ChannelError, NotSent
from channels.events import Event
from channels.fields import Json, Unreadable
from channels.telegram.client import Client
from channels.telegram.limits import LIMITS
from channels.telegram.parse import Parser, query_id, update_id

TRIES = 5
"""How often an update is offered before it counts as one that cannot be taken."""
_REMEMBERED = 1000
"""Updates whose failures are counted."""

_log = structlog.stdlib.get_logger(__name__)


class NotStored(ChannelError):
    """The update could not be stored: offer it again later."""


class Intake:
    def __init__(self, parser: Parser, inlet: Inlet, client: Client) -> None:
        self._parser = parser
        self._inlet = inlet
        self._client = client
        self._failures: OrderedDict[str, int] = OrderedDict()
        self._answers: set[asyncio.Task[None]] = set()

    async def take(self, update: Json) -> None:
        """Return when the update is stored, set aside, or none of our business. Raises NotStored.

        An update that has failed often while the store works is set aside: it must not hold up its neighbours.
        """
        try:
            event = self._parser.event(update, time.time())
        except Unreadable as error:
            await self._set_aside(error.event_id, json.dumps(update), str(error))
            self._answer(update, Receipt())
            return
        receipt = Receipt() if event is None else await self._receive(event, update)
        self._answer(update, receipt)

    async def take_unparsed(self, event_id: str, raw: str, reason: str) -> None:
        """Set aside what is no update at all. Raises NotStored."""
        await self._set_aside(event_id, raw, reason)

    async def _receive(self, event: Event, update: Json) -> Receipt:
        try:
            receipt = await self._inlet.receive(event)
        except NotSent as error:  # the store is away: no update is to blame
            raise NotStored(f"update {event.id} could not be stored") from error
        except Exception as error:  # whatever an event does to its taker, the others must get through
            tried = self._failed(event.id)
            _log.warning("telegram_update_not_stored", update=event.id, tried=tried, error=type(error).__name__)
            if tried < TRIES:
                raise NotStored(f"update {event.id} could not be stored") from error
            await self._set_aside(event.id, json.dumps(update), f"it could not be taken: {type(error).__name__}")
            receipt = Receipt()
        self._failures.pop(event.id, None)
        return receipt

    async def _set_aside(self, event_id: str, raw: str, reason: str) -> None:
        try:
            await self._inlet.set_aside(self._parser.channel, event_id, raw, reason)
        except Exception as error:
            # Not even this could be stored: it is the store that fails, not the update.
            self._failures.pop(event_id, None)
            raise NotStored(f"{event_id} could not be set aside") from error
        _log.warning("telegram_update_set_aside", update=event_id, reason=reason)

    def _failed(self, event_id: str) -> int:
        self._failures[event_id] = self._failures.get(event_id, 0) + 1
        if len(self._failures) > _REMEMBERED:
            self._failures.popitem(last=False)
        return self._failures[event_id]

    def _answer(self, update: Json, receipt: Receipt) -> None:
        """A press is answered at once and beside everything else: until then the button spins."""
        query = query_id(update)
        if query is None:
            return
        task = asyncio.create_task(self._answer_query(query, receipt))
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)

    async def _answer_query(self, query: str, receipt: Receipt) -> None:
        notice = receipt.notice or ""
        if len(notice) > LIMITS.notice:
            notice = notice[: LIMITS.notice - 1] + "…"
        try:
            await self._client.answer(query, notice, alert=receipt.alert)
        except ChannelError as error:
            _log.warning("telegram_press_not_answered", reason=str(error))

    async def finish(self) -> None:
        """Wait for the answers that are under way."""
        await asyncio.gather(*self._answers)


def identified(update: Json) -> str | None:
    try:
        return update_id(update)
    except Unreadable:
        return None
