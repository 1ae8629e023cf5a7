"""One update on its way in, by polling or by webhook: parsed, stored, and only then done with."""

import asyncio
import json
import time

import structlog

from channels.adapter import Inlet, Receipt
from channels.delivery import Deliveries
from channels.errors import ChannelError
from channels.fields import Json, Unreadable
from channels.telegram.client import Client
from channels.telegram.limits import LIMITS
from channels.telegram.parse import Parser, query_id, update_id

TRIES = 5
"""How often an update is offered before it counts as one that cannot be taken."""

_log = structlog.stdlib.get_logger(__name__)


class Intake:
    def __init__(self, parser: Parser, inlet: Inlet, client: Client) -> None:
        self._parser = parser
        self._deliveries = Deliveries(parser.channel, inlet, TRIES)
        self._client = client
        self._answers: set[asyncio.Task[None]] = set()

    async def take(self, update: Json) -> None:
        """Return when the update is stored, set aside, or none of our business. Raises NotStored.

        An update that has failed often while the store works is set aside: it must not hold up its neighbours.
        """
        try:
            event = self._parser.event(update, time.time())
        except Unreadable as error:
            await self._deliveries.set_aside(error.event_id, json.dumps(update), str(error))
            self._answer(update, Receipt())
            return
        receipt = Receipt() if event is None else await self._deliveries.receive(event, update)
        self._answer(update, receipt)

    async def take_unparsed(self, event_id: str, raw: str, reason: str) -> None:
        """Set aside what is no update at all. Raises NotStored."""
        await self._deliveries.set_aside(event_id, raw, reason)

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
