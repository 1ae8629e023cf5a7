"""Wakes the open pages of a conversation. Nothing queues up: a page is told that there is news and reads what is newest,
so one that takes its time costs one flag, and one that was away resumes from the transcript."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from channels.adapter import Activity
from channels.web.limits import BROWSERS


@dataclass(frozen=True, slots=True)
class Live:
    """What passes: what is going on, and the answer as far as it is written (markdown)."""

    activity: Activity = "idle"
    partial: str | None = None


@dataclass(eq=False, slots=True)
class Listener:
    """One open page."""

    news: asyncio.Event = field(default_factory=asyncio.Event)
    changed: bool = False
    """The transcript holds something that this page may not have."""
    closed: bool = False

    def wake(self) -> None:
        self.news.set()


@dataclass(eq=False, slots=True)
class _Room:
    live: Live = Live()
    listeners: list[Listener] = field(default_factory=list)


class Hub:
    """By conversation key. Used from one event loop."""

    def __init__(self) -> None:
        self._rooms: dict[str, _Room] = {}

    @contextmanager
    def listen(self, key: str) -> Iterator[Listener]:
        room = self._rooms.setdefault(key, _Room())
        while len(room.listeners) >= BROWSERS:
            _close(room.listeners.pop(0))
        listener = Listener()
        room.listeners.append(listener)
        try:
            yield listener
        finally:
            if listener in room.listeners:
                room.listeners.remove(listener)
            self._tidy(key)

    def live(self, key: str) -> Live:
        room = self._rooms.get(key)
        return room.live if room else Live()

    def changed(self, key: str) -> None:
        """The transcript has changed."""
        for listener in self._listeners(key):
            listener.changed = True
            listener.wake()

    def said(self, key: str) -> None:
        """A message of ours came or changed: an answer that was being written is in it, or will be written anew."""
        self._set(key, replace(self.live(key), partial=None))
        self.changed(key)

    def show(self, key: str, activity: Activity) -> None:
        live = self.live(key)
        self._set(key, Live(activity, None if activity == "idle" else live.partial))

    def write(self, key: str, partial: str) -> None:
        self._set(key, replace(self.live(key), partial=partial or None))

    def close(self) -> None:
        """End every open page's connection; it comes back when it can."""
        rooms, self._rooms = self._rooms, {}
        for room in rooms.values():
            for listener in room.listeners:
                _close(listener)

    def _listeners(self, key: str) -> list[Listener]:
        room = self._rooms.get(key)
        return room.listeners if room else []

    def _set(self, key: str, live: Live) -> None:
        if live == self.live(key):
            return
        self._rooms.setdefault(key, _Room()).live = live
        for listener in self._listeners(key):
            listener.wake()
        self._tidy(key)

    def _tidy(self, key: str) -> None:
        room = self._rooms.get(key)
        if room and not room.listeners and room.live == Live():
            del self._rooms[key]


def _close(listener: Listener) -> None:
    listener.closed = True
    listener.wake()
