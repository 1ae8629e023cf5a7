"""The log of a run → the events that others are told. Pure; no argument of a tool and no result is among them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, assert_never

from pydantic import JsonValue

from bot.store.entries import Entry
from bot.web.api.endpoint import Shown

EventName = Literal[
    "queued",
    "started",
    "model_called",
    "text",
    "tool_started",
    "tool_finished",
    "approval_requested",
    "approval_decided",
    "input_requested",
    "input_given",
    "completed",
    "failed",
    "cancelled",
]


class Event(Shown):
    """`id` grows within a run. `worker`: the call that opened the worker it belongs to, null for the persona itself."""

    id: int
    event: EventName
    at: float
    worker: str | None
    data: dict[str, JsonValue]


Numbered = tuple[int, Entry]


def events(log: Iterable[Numbered], after: int, clean: Callable[[str], str]) -> Iterator[Event]:
    """Those with a higher id than `after`. What a model said has an event of its own, right after that of the call."""
    for number, entry in log:
        for place, (name, data) in enumerate(_events(entry)):
            if 2 * number + place > after:
                yield Event(
                    id=2 * number + place, event=name, at=entry.at, worker=entry.frame, data=_cleaned(data, clean)
                )


def entry_before(event_id: int) -> int:
    """The id of the last entry all of whose events have an id of at most this."""
    return (event_id - 1) // 2


def _events(entry: Entry) -> Sequence[tuple[EventName, dict[str, JsonValue]]]:
    said = entry.body
    match entry.kind:
        case "queued":
            return (("queued", {}),)
        case "started":
            return (("started", {}),)
        case "model_called":
            return _answer(said)
        case "tool_started":
            return (("tool_started", _picked(said, "call", "tool")),)
        case "tool_finished":
            return (("tool_finished", _picked(said, "call", "tool", "failure")),)
        case "approval_requested":
            return (("approval_requested", _picked(said, "approval", "call", "code")),)
        case "approval_decided":
            return (("approval_decided", _picked(said, "approval", "call", "state", "by", "reason")),)
        case "input_requested":
            return (("input_requested", _picked(said, "question", "call", "server")),)
        case "input_given":
            return (("input_given", _picked(said, "question", "call", "state", "by", "reason")),)
        case "completed":
            return (("completed", _picked(said, "silent")),)
        case "failed":
            return (("failed", _picked(said, "code", "message")),)
        case "cancelled":
            return (("cancelled", _picked(said, "by", "reason")),)
        case _:
            assert_never(entry.kind)


def _answer(said: dict[str, Any]) -> Sequence[tuple[EventName, dict[str, JsonValue]]]:
    called = _picked(said, "turn", "model", "usage", "cost") | {"tools": [call["name"] for call in said["calls"]]}
    if not said["text"]:
        return (("model_called", called),)
    return (("model_called", called), ("text", {"text": said["text"]}))


def _picked(said: dict[str, Any], *names: str) -> dict[str, JsonValue]:
    return {name: said.get(name) for name in names}


def _cleaned(data: dict[str, JsonValue], clean: Callable[[str], str]) -> dict[str, JsonValue]:
    return {name: clean(value) if isinstance(value, str) else value for name, value in data.items()}
