"""The events of a run: as a list, or as they happen (server-sent events)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from gettext import gettext as _

from aiohttp import web

from bot.store import api_tokens, listings
from bot.store.database import Tx
from bot.web.api.desk import Desk
from bot.web.api.endpoint import Apart, Asked, ById, Caller, Endpoint, Nothing
from bot.web.api.happenings import Event, entry_before, events
from bot.web.api.paging import Page, Paged, number, page
from bot.web.api.runs import known
from bot.web.errors import Refusal

_HEADERS = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # else nginx holds the stream back
}


@dataclass(frozen=True, slots=True)
class News:
    """What is new of a run. `more`: the rest can be read at once; `over`: nothing follows."""

    events: Sequence[Event]
    more: bool
    over: bool


async def _events(
    desk: Desk, asked: Asked[ById, Paged, Nothing], request: web.Request
) -> Page[Event] | Refusal | web.StreamResponse:
    said, run_id = asked.query, asked.path.id
    after = number(said.cursor) or 0
    if request.method == "HEAD" or not _wants_stream(request):
        found = await desk.store.light(_after, desk, run_id, after, said.limit + 1)
        return page(found, said.limit, lambda event: event, lambda event: event.id)
    await desk.store.light(known, run_id)
    if desk.streams.full:
        words = _("{most} streams are open, so this one was not opened. Close one.")
        return Refusal(429, "too_many_streams", words.format(most=desk.streams.pace.most), retry_after=5)
    with desk.streams.place():
        return await _stream(desk, asked.by, request, run_id, _last_seen(request, after))


def _after(tx: Tx, desk: Desk, run_id: str, after: int, most: int) -> list[Event]:
    """Raises Unknown."""
    known(tx, run_id)
    log = listings.entries(tx, run_id, entry_before(after), most + 1)  # the first may have been told already
    return list(events(log, after, desk.clean))[:most]


async def _stream(desk: Desk, by: Caller, request: web.Request, run_id: str, after: int) -> web.StreamResponse:
    """Until the run has ended and all of it is told, the token is revoked, or either side goes."""
    response = web.StreamResponse(headers=_HEADERS)
    await response.prepare(request)
    pipe = _Pipe(response, desk.streams.pace.slow)
    loop = asyncio.get_running_loop()
    spoke = loop.time()
    try:
        await pipe.write(b"retry: 1000\n\n")
        while not desk.streams.closed:
            news = await desk.store.light(_news, desk, by, run_id, after)
            if news.events:
                await pipe.write(b"".join(map(_frame, news.events)))
                after, spoke = news.events[-1].id, loop.time()
            if news.over:
                break
            if loop.time() - spoke >= desk.streams.pace.heartbeat:
                await pipe.write(b": still here\n\n")
                spoke = loop.time()
            if not news.more:
                await desk.streams.pause()
    except TimeoutError:
        if request.transport is not None:
            request.transport.abort()
    except ConnectionResetError:
        pass  # the reader went away
    return response


def _news(tx: Tx, desk: Desk, by: Caller, run_id: str, after: int) -> News:
    if by.token_id is not None and not api_tokens.in_use(tx, by.token_id):
        return News((), more=False, over=True)
    work = listings.work(tx, run_id)
    batch = desk.streams.pace.batch
    log = listings.entries(tx, run_id, entry_before(after), batch)
    more = len(log) == batch
    ended = work is None or work.ended_at is not None
    return News(list(events(log, after, desk.clean)), more, over=ended and not more)


class _Pipe:
    def __init__(self, response: web.StreamResponse, slow: float) -> None:
        self._response = response
        self._slow = slow

    async def write(self, data: bytes) -> None:
        """Raises TimeoutError for a reader that takes nothing, ConnectionResetError for one that is gone."""
        async with asyncio.timeout(self._slow):
            await self._response.write(data)


def _frame(event: Event) -> bytes:
    return f"id: {event.id}\nevent: {event.event}\ndata: {event.model_dump_json()}\n\n".encode()


def _wants_stream(request: web.Request) -> bool:
    kinds = request.headers.get("Accept", "").lower().split(",")
    return any(kind.partition(";")[0].strip() == "text/event-stream" for kind in kinds)


def _last_seen(request: web.Request, after: int) -> int:
    """Where a reader that comes back goes on; what is not a number counts as not said."""
    given = request.headers.get("Last-Event-ID", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 16 else after


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/runs/{id}/events",
        "What happened in a run; with Accept: text/event-stream as it happens, resumed by Last-Event-ID",
        "read",
        in_path=ById,
        in_query=Paged,
        in_body=Nothing,
        answer=Page[Event],
        handler=Apart(_events),
        streams=True,
    ),
)
