"""A line of the transcript → what the page draws. Pure."""

from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import assert_never

from pydantic import TypeAdapter

from channels.outgoing import Button
from channels.text.markup import html
from channels.text.parse import blocks
from channels.web.body import Said, Shown, load
from channels.web.given import link
from channels.web.hub import Live
from channels.web.transcript import Line, Page


@dataclass(frozen=True, slots=True)
class MessageView:
    """`html` is safe to put into the page as it is. `author` is empty for the visitor's own. `state` says whether
    a card still waits for its decision."""

    id: str
    order: int
    author: str
    html: str
    rows: tuple[tuple[Button, ...], ...]
    state: str
    at: float


@dataclass(frozen=True, slots=True)
class LiveView:
    activity: str
    partial: str | None


@dataclass(frozen=True, slots=True)
class PageView:
    messages: tuple[MessageView, ...]
    more: bool


@dataclass(frozen=True, slots=True)
class Removal:
    id: str


PARTIAL = 8_000
"""Characters of a text that is being written which a page shows at a time."""

_message_json = TypeAdapter(MessageView)
_live_json = TypeAdapter(LiveView)
_page_json = TypeAdapter(PageView)
_removal_json = TypeAdapter(Removal)


def message(line: Line) -> MessageView:
    body = load(line.body)
    match body:
        case Said(text):
            return MessageView(line.id, line.order, "", escape(text), (), "said", line.at)
        case Shown(outgoing, voice, card):
            state = "plain" if not card else "waiting" if outgoing.rows else "settled"
            drawn = html(outgoing.blocks) + ("" if outgoing.file is None else link(outgoing.file))
            return MessageView(line.id, line.order, voice, drawn, outgoing.rows, state, line.at)
        case _:
            assert_never(body)


def frame(line: Line, *, number: bool) -> bytes:
    """As a server-sent event. `number` lets the browser resume after it."""
    if line.removed:
        event, data = "removal", _removal_json.dump_json(Removal(line.id))
    else:
        event, data = "message", _message_json.dump_json(message(line))
    return sse(event, data, line.change if number else None)


def live_frame(live: Live) -> bytes:
    return sse("live", _live_json.dump_json(LiveView(live.activity, _drawn(live.partial))))


@lru_cache(maxsize=32)
def _drawn(partial: str | None) -> str | None:
    """Text that is being written: drawn once for all pages that look, and from some length on only its end."""
    if partial is None:
        return None
    return html(blocks(partial if len(partial) <= PARTIAL else "… " + partial[-PARTIAL:]))


def page_json(page: Page) -> bytes:
    return _page_json.dump_json(PageView(tuple(message(line) for line in page.lines), page.more))


def sse(event: str, data: bytes, number: int | None = None) -> bytes:
    """`data` is JSON, so it is one line."""
    head = f"event: {event}\n" if number is None else f"id: {number}\nevent: {event}\n"
    return head.encode() + b"data: " + data + b"\n\n"
