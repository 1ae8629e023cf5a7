"""What was delivered and cannot be taken: it is offered again a few times, then set aside, so that its neighbours get by."""

import json
from collections import OrderedDict

import structlog

from channels.adapter import Inlet, Receipt
from channels.errors import NotSent, NotStored
from channels.events import Event
from channels.fields import Json

_REMEMBERED = 1000
"""Deliveries whose failures are counted."""

_log = structlog.stdlib.get_logger(__name__)


class Deliveries:
    """Of one channel. `tries`: how often one is offered before it counts as one that cannot be taken."""

    def __init__(self, channel: str, inlet: Inlet, tries: int) -> None:
        self._channel = channel
        self._inlet = inlet
        self._tries = tries
        self._failures: OrderedDict[str, int] = OrderedDict()

    async def receive(self, event: Event, payload: Json) -> Receipt:
        """Return when the event is stored, or its payload set aside. Raises NotStored."""
        try:
            receipt = await self._inlet.receive(event)
        except NotSent as error:  # the store is away: no delivery is to blame
            raise NotStored(f"{event.id} could not be stored") from error
        except Exception as error:  # whatever an event does to its taker, the others must get through
            tried = self._failed(event.id)
            _log.warning(
                "a delivery was not stored",
                channel=self._channel,
                event_id=event.id,
                tried=tried,
                error=type(error).__name__,
            )
            if tried < self._tries:
                raise NotStored(f"{event.id} could not be stored") from error
            await self.set_aside(event.id, json.dumps(payload), f"it could not be taken: {type(error).__name__}")
            receipt = Receipt()
        self._failures.pop(event.id, None)
        return receipt

    async def set_aside(self, event_id: str, raw: str, reason: str) -> None:
        """Keep it for the admins. Raises NotStored."""
        try:
            await self._inlet.set_aside(self._channel, event_id, raw, reason)
        except Exception as error:  # not even this could be stored: it is the store that fails
            self._failures.pop(event_id, None)
            raise NotStored(f"{event_id} could not be set aside") from error
        _log.warning("a delivery was set aside", channel=self._channel, event_id=event_id, reason=reason)

    def _failed(self, event_id: str) -> int:
        self._failures[event_id] = self._failures.get(event_id, 0) + 1
        if len(self._failures) > _REMEMBERED:
            self._failures.popitem(last=False)
        return self._failures[event_id]
