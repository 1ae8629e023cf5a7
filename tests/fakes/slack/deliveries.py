"""What the app is told, over whichever transport it uses: at least once, with Slack's retries."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from tests.fakes.slack.errors import Json
from tests.fakes.telegram.clock import Clock

DeliveryKind = Literal["events_api", "interactive", "slash_commands"]

RETRIES = (0.0, 60.0, 300.0)
"""Seconds before the second, third and fourth try of an event. Interactions and commands have one try."""


@dataclass(slots=True)
class Delivery:
    """`created` is a perf_counter value for latencies; `answered` is told how a try of an interaction went."""

    kind: DeliveryKind
    payload: Json
    event_id: str
    chat: str | None
    tries: int = 0
    last_failure: str = ""
    state: Literal["waiting", "taken", "lost"] = "waiting"
    created: float = field(default_factory=time.perf_counter)
    answered: Callable[["Taken | Failed"], None] = lambda outcome: None


@dataclass(frozen=True, slots=True)
class Taken:
    """The app acknowledged. `body` is what it sent along: JSON, a text, or None."""

    body: Json | str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """`final`: the app asked for no more tries."""

    reason: str
    final: bool = False


class Transport(Protocol):
    def ready(self) -> bool:
        """Whether anything could be sent now."""

    async def attempt(self, delivery: Delivery) -> Taken | Failed: ...


class Deliveries:
    def __init__(self, clock: Clock, changed: Callable[[], None]) -> None:
        self._clock = clock
        self._changed = changed
        self._gathered: list[Delivery] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.transport: Transport | None = None
        self.paused = False
        self.reversed_once = False
        self.lose_unheard = False
        """Count a try as failed when nobody listens, instead of waiting for someone who does."""
        self.made: dict[str, Delivery] = {}
        """Every event that was ever to be told, by its id."""
        self.pending = 0

    def put(self, delivery: Delivery) -> None:
        self.pending += 1
        if delivery.event_id:
            self.made[delivery.event_id] = delivery
        self._submit(delivery)

    def repeat(self, event_id: str) -> None:
        """Tell an event once more, though it was taken. Raises KeyError."""
        again = replace(self.made[event_id], tries=0, last_failure="", state="waiting")
        self.pending += 1
        self._submit(again)

    def ring(self) -> None:
        """Someone listens, or the pause is over: go on with what has gathered."""
        if self.paused or not self._heard():
            return
        gathered, self._gathered = self._gathered, []
        if self.reversed_once and gathered:
            self.reversed_once = False
            gathered.reverse()
        for delivery in gathered:
            self._start(delivery)

    def _heard(self) -> bool:
        return self.transport is not None and self.transport.ready()

    def _submit(self, delivery: Delivery) -> None:
        if self.paused or (not self._heard() and delivery.kind == "events_api" and not self.lose_unheard):
            self._gathered.append(delivery)
            return
        self._start(delivery)

    def _start(self, delivery: Delivery) -> None:
        task = asyncio.create_task(self._try(delivery))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _try(self, delivery: Delivery) -> None:
        if self.transport is None or not self.transport.ready():
            if delivery.kind == "events_api" and not self.lose_unheard:
                self._gathered.append(delivery)  # whoever listened has gone since
                return
            outcome: Taken | Failed = Failed("connection_failed")
        else:
            outcome = await self.transport.attempt(delivery)
        delivery.tries += 1
        delivery.answered(outcome)
        if isinstance(outcome, Taken):
            self._end(delivery, "taken")
            return
        delivery.last_failure = outcome.reason
        if outcome.final or delivery.kind != "events_api" or delivery.tries > len(RETRIES):
            self._end(delivery, "lost")
            return
        self._changed()
        await self._clock.sleep(RETRIES[delivery.tries - 1])
        self._submit(delivery)

    def _end(self, delivery: Delivery, state: Literal["taken", "lost"]) -> None:
        delivery.state = state
        self.pending -= 1
        self._changed()

    def forget(self) -> None:
        """What has been seen to its end."""
        self.made = {number: each for number, each in self.made.items() if each.state == "waiting"}

    async def close(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._gathered.clear()
