"""Faults that a test plants: which call they hit, and what happens to it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from tests.fakes.slack.record import Call

Act = Literal["error", "body", "delay", "hold", "drop"]
When = Literal["before", "after"]


@dataclass(slots=True)
class Fault:
    """Hits calls of `method` ("*": any) for `chat` (None: any), after `skip` such calls, `times` times (None: always).

    error: answer with the code `error`, or with `status` where that is no 200, and do nothing; `retry_after` is a header.
    body: answer `status` with `body` as it stands (when=after: apply the call first).
    delay: wait `seconds`, then go on. hold: wait until released, before or after the call is applied.
    drop: close the connection without an answer, before or after the call is applied.
    """

    number: int
    act: Act
    method: str = "*"
    chat: str | None = None
    skip: int = 0
    times: int | None = 1
    when: When = "before"
    error: str = ""
    status: int = 200
    retry_after: int | None = None
    body: str = ""
    content_type: str = "application/json"
    seconds: float = 0.0

    def hits(self, call: Call) -> bool:
        return self.method in ("*", call.method) and self.chat in (None, call.chat)


@dataclass(slots=True)
class Held:
    """A call that waits. `discard` lets it end without being applied (or without an answer)."""

    call: Call
    released: asyncio.Event = field(default_factory=asyncio.Event)
    discard: bool = False


class Faults:
    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._planted: list[Fault] = []
        self._made = 0
        self.held: dict[int, Held] = {}
        """By the number of the call."""

    def plant(self, fault: Fault) -> int:
        self._made += 1
        fault.number = self._made
        self._planted.append(fault)
        return fault.number

    def remove(self, number: int | None) -> None:
        """One fault, or all of them."""
        self._planted = [fault for fault in self._planted if number is not None and fault.number != number]

    def for_call(self, call: Call) -> Fault | None:
        """The first fault that this call meets; it is used up by that."""
        for fault in self._planted:
            if not fault.hits(call):
                continue
            if fault.skip > 0:
                fault.skip -= 1
                continue
            if fault.times is not None:
                fault.times -= 1
                if fault.times <= 0:
                    self._planted.remove(fault)
            return fault
        return None

    async def hold(self, call: Call, when: When) -> bool:
        """Wait for the release; False when the call is to be discarded."""
        held = Held(call)
        self.held[call.number] = held
        call.held = when
        self._changed()
        try:
            await held.released.wait()
        finally:
            self.held.pop(call.number, None)
            call.held = ""
            self._changed()
        return not held.discard

    def release(self, number: int | None, method: str, *, discard: bool) -> int:
        """Let one held call go on, or all of a method ("*": all); how many went on."""
        chosen = [
            held
            for held in self.held.values()
            if (number is None or held.call.number == number) and method in ("*", held.call.method)
        ]
        for held in chosen:
            held.discard = discard
            held.released.set()
        return len(chosen)
