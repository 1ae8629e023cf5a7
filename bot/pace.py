"""How much one conversation may send in a minute, so that a flood starves nobody else."""

from collections import OrderedDict, deque
from typing import Literal

WINDOW_S = 60.0
MOST_CONVERSATIONS = 10_000
"""Remembered at once; the one that was quiet longest is forgotten first."""

Verdict = Literal["fine", "first_over", "over"]


class Pace:
    def __init__(self, per_minute: int) -> None:
        self._most = per_minute
        self._seen: OrderedDict[str, deque[float]] = OrderedDict()
        self._told: dict[str, float] = {}

    def judge(self, conversation: str, now: float) -> Verdict:
        """Count one event. `first_over` once for each flood: the sender is to be told then, and only then."""
        times = self._seen.setdefault(conversation, deque())
        self._seen.move_to_end(conversation)
        while times and times[0] <= now - WINDOW_S:
            times.popleft()
        if len(times) < self._most:
            times.append(now)
            self._forget_quiet()
            return "fine"
        if now - self._told.get(conversation, -WINDOW_S) < WINDOW_S:
            return "over"
        self._told[conversation] = now
        return "first_over"

    def _forget_quiet(self) -> None:
        while len(self._seen) > MOST_CONVERSATIONS:
            gone, _times = self._seen.popitem(last=False)
            self._told.pop(gone, None)
