"""What the server knows: its script, what it was asked, and who waits for whom."""

import asyncio
import time
from typing import Literal

from tests.fakes.model.script import Asked, Heard, Reply, Rule


class Desk:
    """Rules first, then the queue, then the standing reply; without any the request is a fault of the test."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []
        self._used: list[int] = []
        self._queue: list[Reply] = []
        self._otherwise: Reply | None = None
        self._asked: list[Asked] = []
        self._released: set[str] = set()
        self._moved = asyncio.Condition()
        self._ids = 0

    def reset(self) -> None:
        """Forgets script and requests; what is being answered goes on."""
        self._rules, self._used, self._queue, self._otherwise = [], [], [], None
        self._asked, self._released = [], set()

    def add_rules(self, rules: list[Rule]) -> None:
        self._rules += rules
        self._used += [0] * len(rules)

    def add_replies(self, replies: list[Reply]) -> None:
        self._queue += replies

    def stand_by(self, reply: Reply | None) -> None:
        """The reply to everything that neither a rule nor the queue answers."""
        self._otherwise = reply

    def choose(self, heard: Heard) -> Reply | None:
        """The reply to a request; None if nothing was scripted."""
        for index, rule in enumerate(self._rules):
            if _fits(rule, heard) and (not rule.times or self._used[index] < rule.times):
                self._used[index] += 1
                return rule.reply
        return self._queue.pop(0) if self._queue else self._otherwise

    def fresh_id(self) -> str:
        """An id for a call that was scripted without one."""
        self._ids += 1
        return f"call_fresh_{self._ids}"

    @property
    def asked(self) -> list[Asked]:
        return list(self._asked)

    async def note(
        self, wire: Literal["openai", "anthropic"], body: object, headers: dict[str, str], faults: list[str]
    ) -> int:
        """Writes a request down and gives its number, counted from 1."""
        number = len(self._asked) + 1
        asked = Asked(n=number, wire=wire, at=time.monotonic(), body=body, headers=headers, faults=tuple(faults))
        self._asked.append(asked)
        await self._tell()
        return number

    async def end(self, number: int, how: Literal["answered", "refused", "left", "cut"]) -> None:
        """Writes down how a request ended; after a reset it is forgotten."""
        if number <= len(self._asked):
            self._asked[number - 1] = self._asked[number - 1].model_copy(update={"ended": time.monotonic(), "how": how})
        await self._tell()

    async def release(self, name: str) -> None:
        """Lets go everything that is held under the name, now and later."""
        self._released.add(name)
        await self._tell()

    async def held(self, name: str) -> None:
        """Returns when the name is released."""
        async with self._moved:
            await self._moved.wait_for(lambda: name in self._released)

    async def wait(self, number: int, *, ended: bool, seconds: float) -> bool:
        """Waits until that many requests came (or the one of that number ended); False if time ran out."""

        def there() -> bool:
            return len(self._asked) >= number and (not ended or self._asked[number - 1].ended is not None)

        try:
            async with asyncio.timeout(seconds), self._moved:
                await self._moved.wait_for(there)
        except TimeoutError:
            return False
        return True

    async def _tell(self) -> None:
        async with self._moved:
            self._moved.notify_all()


def _fits(rule: Rule, heard: Heard) -> bool:
    return (
        rule.contains.lower() in heard.words.lower()
        and rule.after in (heard.ends_with, "either")
        and rule.result.lower() in heard.result.lower()
        and rule.system.lower() in heard.system.lower()
    )
