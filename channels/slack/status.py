"""The status below a thread ("is thinking …"): written in sequence, so that the last word is the last one shown."""

import asyncio
import time

import structlog

from channels.adapter import Activity
from channels.errors import ChannelError, RateLimited, Refused
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
PATIENCE_S = 1.0
"""How long whoever shows something waits for it to be written."""
MOST = 2000

_log = structlog.stdlib.get_logger(__name__)

Thread = tuple[str, str]


class Statuses:
    """Each thread has a writer while there is something to write: a write that hangs, or whose caller has gone, is seen to
    its end before the next, and holds no other thread up."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._shown: dict[Thread, tuple[str, float]] = {}
        self._wanted: dict[Thread, str] = {}
        self._writers: dict[Thread, asyncio.Task[ChannelError | None]] = {}
        self._refused = False

    async def show(self, chat: str, thread: str, activity: Activity) -> bool:
        """False where there is no such thing. What takes its time is written behind. Raises a ChannelError."""
        words, key = _WORDS[activity], (chat, thread)
        if self._refused:
            return False
        before, at = self._shown.get(key, ("", 0.0))
        if key not in self._writers and words == before and (not words or time.monotonic() - at < AGAIN_S):
            return True
        self._wanted[key] = words
        writer = self._writers.get(key) or self._start(key)
        await asyncio.wait([writer], timeout=PATIENCE_S)
        if writer.done() and (error := writer.result()) is not None:
            raise error
        return not self._refused

    def forget(self, chat: str, thread: str) -> None:
        """A message of ours in the thread takes the status away."""
        self._shown.pop((chat, thread), None)

    async def finish(self) -> None:
        """Let go of what is not written yet: Slack takes every status away by itself."""
        writers = list(self._writers.values())
        for writer in writers:
            writer.cancel()
        await asyncio.gather(*writers, return_exceptions=True)

    def _start(self, key: Thread) -> "asyncio.Task[ChannelError | None]":
        self._writers[key] = asyncio.create_task(self._write(key), name=f"slack status {key[1]}")
        return self._writers[key]

    async def _write(self, key: Thread) -> ChannelError | None:
        """Until nothing more is wanted there; what went wrong with the last of it."""
        trouble: ChannelError | None = None
        try:
            while (words := self._wanted.pop(key, None)) is not None:
                trouble = await self._written(key, words)
                if isinstance(trouble, RateLimited):
                    self._wanted.setdefault(key, words)
                    await asyncio.sleep(trouble.retry_after)
        finally:
            del self._writers[key]
        return trouble

    async def _written(self, key: Thread, words: str) -> ChannelError | None:
        try:
            await self._client.set_status(*key, words)
        except Refused as refusal:
            self._refused = True  # the app has no such feature, and will not get it while we run
            _log.warning("slack_status_refused", reason=str(refusal))
            return None
        except ChannelError as error:
            self._note(key, words or "…")  # whatever stands there now is to be taken away in the end
            return error
        self._note(key, words)
        return None

    def _note(self, key: Thread, words: str) -> None:
        self._shown.pop(key, None)
        if words:
            self._shown[key] = (words, time.monotonic())
        if len(self._shown) > MOST:
            del self._shown[next(iter(self._shown))]
