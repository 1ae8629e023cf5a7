"""Keeps named tasks alive, and is the one place where an unforeseen error is caught."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from bot.log import logger

T = TypeVar("T")

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
STEADY_AFTER_S = 60.0
"""A task that ran this long is well again: its next failure is a first one."""

log = logger("askfirst.supervisor")


@dataclass(frozen=True, slots=True)
class Crash:
    """A piece of work ended by an error that nobody foresaw; it has been logged."""

    error: Exception


async def attempt(what: str, work: Awaitable[T]) -> T | Crash:
    """The outcome of `work`, or the Crash that it ended in. Cancellation passes through."""
    try:
        return await work
    except Exception as error:
        log.exception("a piece of work crashed", what=what)
        return Crash(error)


class Supervisor:
    """Runs tasks by name. One that fails is started again after a pause that doubles; one that returns is done.

    `fatal` errors end a task for good: starting again cannot help. `foreseen` ones are told in a line.
    """

    def __init__(self, fatal: tuple[type[Exception], ...] = (), foreseen: tuple[type[Exception], ...] = ()) -> None:
        self._fatal = fatal
        self._foreseen = foreseen
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start(self, name: str, work: Callable[[], Awaitable[None]], on_failure: Callable[[Exception], None]) -> None:
        """Keep `work` running under this name; `on_failure` hears each error, for the health report."""
        self._tasks[name] = asyncio.create_task(self._keep(name, work, on_failure), name=name)

    def running(self, name: str) -> bool:
        task = self._tasks.get(name)
        return task is not None and not task.done()

    async def stop(self, name: str) -> None:
        """Cancel a task and wait until it is gone; nothing happens if there is none."""
        task = self._tasks.pop(name, None)
        if task is None:
            return
        task.cancel()
        await asyncio.wait([task])

    async def stop_all(self) -> None:
        await asyncio.gather(*(self.stop(name) for name in list(self._tasks)))

    async def _keep(
        self, name: str, work: Callable[[], Awaitable[None]], on_failure: Callable[[Exception], None]
    ) -> None:
        loop = asyncio.get_running_loop()
        pause = FIRST_PAUSE_S
        while True:
            begun = loop.time()
            try:
                await work()
                return
            except self._fatal as error:
                log.error("a task ended for good", task=name, why=str(error))
                on_failure(error)
                return
            except self._foreseen as error:
                log.warning("a task failed and is started again", task=name, why=str(error))
                on_failure(error)
            except Exception as error:
                log.exception("a task failed and is started again", task=name)
                on_failure(error)
            if loop.time() - begun > STEADY_AFTER_S:
                pause = FIRST_PAUSE_S
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)
