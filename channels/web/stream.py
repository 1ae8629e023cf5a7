"""The stream of one open page: what it missed, then what is new, as server-sent events."""

import asyncio

from aiohttp import web

from channels.web import limits, view
from channels.web.hub import Hub, Listener, Live
from channels.web.transcript import Transcript

_HEADERS = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # else nginx holds the stream back
}


async def serve(request: web.Request, key: str, transcript: Transcript, hub: Hub) -> web.StreamResponse:
    """Until the browser goes, the hub closes, or the browser takes nothing for too long. Raises NotSent before the
    first byte when the transcript cannot be read."""
    change = resume_point(request)
    with hub.listen(key) as listener:
        listener.changed = False
        first, change = await _first(transcript, key, change)
        response = web.StreamResponse(headers=_HEADERS)
        await response.prepare(request)
        pipe = _Pipe(response)
        try:
            await pipe.write(b"retry: 1000\n\n" + first)
            await _follow(pipe, listener, key, change, transcript, hub)
        except TimeoutError:
            _cut(request)
        except ConnectionResetError:
            pass  # the browser went away
    return response


def resume_point(request: web.Request) -> int:
    """The number of the last change that the browser has; 0 for none. What is not a number counts as none."""
    given = request.headers.get("Last-Event-ID") or request.query.get("since", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 16 else 0


class _Pipe:
    def __init__(self, response: web.StreamResponse) -> None:
        self._response = response

    async def write(self, data: bytes) -> None:
        """Raises TimeoutError for a browser that takes nothing, ConnectionResetError for one that is gone."""
        async with asyncio.timeout(limits.SLOW_S):
            await self._response.write(data)


async def _first(transcript: Transcript, key: str, change: int) -> tuple[bytes, int]:
    """What a page gets at once, and the change it then has: the changes it missed, or a fresh start."""
    if change:
        missed = await transcript.since(key, change, limits.CATCH_UP + 1)
        newest = (await transcript.page(key, None, 0)).change
        if len(missed) <= limits.CATCH_UP and change <= newest:
            frames = b"".join(view.frame(line, number=True) for line in missed)
            return frames + view.sse("ready", b"{}"), missed[-1].change if missed else change
    page = await transcript.page(key, None, limits.PAGE)
    frames = b"".join(view.frame(line, number=False) for line in page.lines)
    more = b'{"more":true}' if page.more else b'{"more":false}'
    return view.sse("fresh", more) + frames + view.sse("ready", b"{}", page.change), page.change


async def _follow(pipe: _Pipe, listener: Listener, key: str, change: int, transcript: Transcript, hub: Hub) -> None:
    shown: Live | None = None
    while not listener.closed:
        listener.news.clear()
        if listener.changed:
            listener.changed = False
            change = await _changes(pipe, key, change, transcript)
        if (live := hub.live(key)) != shown:
            shown = live
            await pipe.write(view.live_frame(live))
            await asyncio.sleep(limits.LIVE_S)  # what comes meanwhile is told as one
        await _news(pipe, listener)


async def _changes(pipe: _Pipe, key: str, change: int, transcript: Transcript) -> int:
    while lines := await transcript.since(key, change, limits.PAGE):
        await pipe.write(b"".join(view.frame(line, number=True) for line in lines))
        change = lines[-1].change
    return change


async def _news(pipe: _Pipe, listener: Listener) -> None:
    """Wait for news; in between, keep the connection alive and look whether another process wrote something."""
    try:
        async with asyncio.timeout(limits.HEARTBEAT_S):
            await listener.news.wait()
    except TimeoutError:
        await pipe.write(b": still here\n\n")
        listener.changed = True


def _cut(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()
