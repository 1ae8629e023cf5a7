"""Waits that Slack asked for: by method, and for posts by chat, so that none stalls another."""

import time

from channels.errors import ChannelError, RateLimited

POST = "chat.postMessage"
"""Limited in each channel by itself (https://docs.slack.dev/apis/web-api/rate-limits)."""


class Pace:
    def __init__(self) -> None:
        self._until: dict[tuple[str, str], float] = {}

    def check(self, method: str, place: str) -> None:
        """Raises RateLimited while it is not our turn: asking all the same would only make it longer."""
        key = _key(method, place)
        left = self._until.get(key, 0.0) - time.monotonic()
        if left > 0:
            raise RateLimited(left)
        self._until.pop(key, None)

    def note(self, method: str, place: str, error: ChannelError) -> ChannelError:
        """Remember a wait that was asked for; the error again."""
        if isinstance(error, RateLimited):
            self._until[_key(method, place)] = time.monotonic() + error.retry_after
        return error


def _key(method: str, place: str) -> tuple[str, str]:
    return method, place if method == POST else ""
