"""The status below a thread ("is thinking …"): written in sequence, so that the last word is the last one shown."""

import asyncio
import time

from channels.adapter import Activity
from channels.errors import ChannelError, Refused
from channels.slack.client import Client
from channels.slack.limits import LIMITS

_WORDS: dict[Activity, str] = {
    "idle": "",
    "queued": "",
    "thinking": "is thinking…",
    "acting": "is working…",
    "waiting": "waits for a decision…",
}
AGAIN_S = (LIMITS.activity_s or 0.0) * 0.75
"""It goes by itself, so one that still holds is written again before."""
MOST = 2000


class Statuses:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._shown: dict[tuple[str, str], tuple[str, float]] = {}
        self._lock = asyncio.Lock()
        self._refused = False

    async def show(self, chat: str, thread: str, activity: Activity) -> bool:
        """False where there is no such thing. Raises a ChannelError."""
        words, key = _WORDS[activity], (chat, thread)
        async with self._lock:
            before, at = self._shown.get(key, ("", 0.0))
            if self._refused or (words == before and (not words or time.monotonic() - at < AGAIN_S)):
                return not self._refused
            try:
                await self._client.set_status(chat, thread, words)
            except Refused:
                self._refused = True  # the app has no such feature, and will not get it while we run
                return False
            except ChannelError:
                self._shown.pop(key, None)
                raise
            self._note(key, words)
            return True

    def forget(self, chat: str, thread: str) -> None:
        """A message of ours in the thread takes the status away."""
        self._shown.pop((chat, thread), None)

    def _note(self, key: tuple[str, str], words: str) -> None:
        self._shown.pop(key, None)
        if words:
            self._shown[key] = (words, time.monotonic())
        if len(self._shown) > MOST:
            del self._shown[next(iter(self._shown))]
