"""Every request that came, and what was wrong with it."""

from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter
from typing import Literal

from tests.fakes.slack.errors import Json

Verdict = Literal["pending", "ok", "refused", "breach", "fault", "lost"]


@dataclass(slots=True)
class Call:
    """One request, or an answer to a delivery (method `ack`) or to an interaction (method `response_url`).

    `at` and `ended` are perf_counter seconds, `time` is the server's clock; `verdict` `fault` means that the answer was
    made up, `lost` that the call was dropped before it was applied.
    """

    number: int
    method: str
    args: Json
    chat: str | None
    team: str
    connection: int
    time: float
    at: float = field(default_factory=perf_counter)
    ended: float = 0.0
    verdict: Verdict = "pending"
    status: int = 0
    response: Json | None = None
    held: Literal["", "before", "after"] = ""


@dataclass(frozen=True, slots=True)
class Violation:
    call: int
    method: str
    reason: str


class Record:
    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.violations: list[Violation] = []
        self.counts: Counter[str] = Counter()
        """Calls that arrived, by method."""

    def arrived(self, method: str, args: Json, now: float, *, connection: int = 0, chat: str | None = None) -> Call:
        if chat is None:
            named = args.get("channel", args.get("channel_id"))
            chat = named if isinstance(named, str) else None
        call = Call(len(self.calls) + 1, method, args, chat, "", connection, now)
        self.calls.append(call)
        self.counts[method] += 1
        return call

    def breach(self, call: Call, reason: str) -> None:
        self.violations.append(Violation(call.number, call.method, reason))

    def clear(self) -> None:
        self.calls.clear()
        self.violations.clear()
        self.counts.clear()
