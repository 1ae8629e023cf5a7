"""One call while it is under way: its limits, its progress, and the questions that come back."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from bot.config.mcp import TimeoutsConfig
from bot.mcp_client.characters import cut, one_line
from bot.mcp_client.spoken import Answer, Cancelled, Declined, Elicit, Progress

QUESTIONS = 10
"""So many in one call; further ones are declined."""
_WORDS = 2_000
_REPORT_EVERY_S = 0.2


class Call:
    """Time that a person takes to answer does not count."""

    def __init__(self, timeouts: TimeoutsConfig, progress: Progress | None, ask: Elicit | None) -> None:
        self._loop = asyncio.get_running_loop()
        self._idle_s = timeouts.idle_s
        self._call_s = timeouts.call_s
        self._idle_until = self._loop.time() + timeouts.idle_s
        self._until = self._loop.time() + timeouts.call_s
        self._progress = progress
        self._ask = ask
        self._asking = 0
        self._asked = 0
        self._answered = asyncio.Event()
        self._news: tuple[float, float | None, str] | None = None
        self._told = asyncio.Event()

    async def expired(self) -> str:
        """Returns when a limit is reached, with the words for it."""
        while True:
            if self._asking:
                await self._answered.wait()
                continue
            now = self._loop.time()
            if now >= self._until:
                return f"did not finish within {self._call_s:g} seconds"
            if now >= self._idle_until:
                return f"did not answer, nor report progress, within {self._idle_s:g} seconds"
            await asyncio.sleep(min(self._until, self._idle_until) - now)

    async def progressed(self, progress: float, total: float | None, message: str | None) -> None:
        """The SDK's callback. What is told in quick succession is passed on by the last."""
        self._idle_until = self._loop.time() + self._idle_s
        self._news = (progress, total, one_line(message or "", 200))
        self._told.set()

    async def report(self) -> None:
        """Passes progress on for as long as it runs."""
        while self._progress is not None:
            await self._told.wait()
            self._told.clear()
            if self._news is not None:
                await self._progress(*self._news)
            await asyncio.sleep(_REPORT_EVERY_S)

    @contextlib.contextmanager
    def _paused(self) -> Iterator[None]:
        begun = self._loop.time()
        self._asking += 1
        self._answered.clear()
        try:
            yield
        finally:
            self._asking -= 1
            now = self._loop.time()
            if not self._asking:
                self._until += now - begun
                self._idle_until = now + self._idle_s
                self._answered.set()

    async def form(self, message: str, schema: Mapping[str, Any]) -> Answer:
        if self._ask is None or not self._may_ask():
            return Declined()
        with self._paused():
            return await self._ask.form(cut(message, _WORDS), schema)

    async def url(self, message: str, url: str) -> Answer:
        if self._ask is None or not self._may_ask():
            return Declined()
        if not shown_whole(url):
            return Cancelled()
        with self._paused():
            return await self._ask.url(cut(message, _WORDS), url)

    def _may_ask(self) -> bool:
        self._asked += 1
        return self._asked <= QUESTIONS


def shown_whole(url: str) -> bool:
    """Whether an address can be put before a person as it is: http or https, in plain characters, and not too long."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https")
        and bool(parts.hostname)
        and parts.username is None
        and url.isascii()
        and url.isprintable()
        and " " not in url
        and len(url) <= _WORDS
    )


@contextlib.asynccontextmanager
async def running(*works: Any) -> AsyncIterator[tuple[asyncio.Task[Any], ...]]:
    """Each as a task, ended with the block; nobody waits for one that does not heed its end at once."""
    tasks = tuple(asyncio.ensure_future(work) for work in works)
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
            task.add_done_callback(_noticed)


def _noticed(task: asyncio.Task[Any]) -> None:
    """An error of a task that nobody waits for any more is no news."""
    if not task.cancelled():
        task.exception()
