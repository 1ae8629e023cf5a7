"""One process: a task for each busy conversation, woken by a call."""

import asyncio
from typing import TYPE_CHECKING

from bot.dispatch.dispatcher import Dispatcher, Take
from bot.log import logger
from bot.store import runs
from bot.store.database import Signal, Store
from bot.supervisor import Crash, attempt

log = logger("askfirst.dispatch")


class Embedded:
    def __init__(self, store: Store, parallel: int) -> None:
        """At most `parallel` runs at once; a busy conversation goes to the back of the line after each."""
        self._store = store
        self._slots = asyncio.Semaphore(parallel)
        self._take: Take | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()

    async def start(self, take: Take) -> None:
        self._take = take
        await self.sweep()

    def heed(self, signal: Signal) -> None:
        if signal.topic == "wake":
            self._wake(signal.subject)

    async def sweep(self) -> None:
        for conversation in await self._store.tx(runs.drivable):
            self._wake(conversation)

    async def stop(self) -> None:
        self._take = None
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _wake(self, conversation: str) -> None:
        if self._take is None:
            return
        if conversation in self._tasks:
            self._again.add(conversation)
            return
        self._tasks[conversation] = asyncio.create_task(
            self._drain(conversation, self._take), name=f"drain {conversation}"
        )

    async def _drain(self, conversation: str, take: Take) -> None:
        try:
            while True:
                self._again.discard(conversation)
                async with self._slots:
                    more = await attempt("drain", take(conversation))
                if isinstance(more, Crash) or (not more and conversation not in self._again):
                    return  # a crash is left to the sweep: it must not spin
        finally:
            del self._tasks[conversation]


if TYPE_CHECKING:
    _: type[Dispatcher] = Embedded
