"""The stream of one open page: what it missed, then what is new, as server-sent events."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from channels.errors import NotSent
from channels.web import limits, view
from channels.web.hub import Hub, Listener, Live
from channels.web.transcript import Line, Transcript

_HEADERS = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # else nginx holds the stream back
}


@dataclass(frozen=True, slots=True)
class Stream:
    transcript: Transcript
    hub: Hub
    pace: limits.Pace

    async def serve(self, request: web.Request, key: str) -> web.StreamResponse:
        """Until the browser goes, the hub closes, or the browser takes nothing for too long. Raises NotSent before the
        first byte when the transcript cannot be read."""
        with self.hub.listen(key) as listener:
            first, change = await self._first(key, resume_point(request))
            response = web.StreamResponse(headers=_HEADERS)
            await response.prepare(request)
            pipe = _Pipe(response, self.pace.slow)
            try:
                await pipe.write(b"retry: 1000\n\n" + first)
                await self._follow(pipe, listener, key, change)
            except (TimeoutError, NotSent):
                _cut(request)  # it comes back, and resumes
            except ConnectionResetError:
                pass  # the browser went away
        return response

    async def _first(self, key: str, change: int) -> tuple[bytes, int]:
        """What a page gets at once, and the change it then has: the changes it missed, or a fresh start."""
        if change and (missed := await self._missed(key, change)) is not None:
            frames = b"".join(view.frame(line, number=True) for line in missed)
            return frames + view.sse("ready", b"{}"), missed[-1].change if missed else change
        page = await self.transcript.page(key, None, limits.PAGE)
        frames = b"".join(view.frame(line, number=False) for line in page.lines)
        more = b'{"more":true}' if page.more else b'{"more":false}'
        return view.sse("fresh", more) + frames + view.sse("ready", b"{}", page.change), page.change

    async def _missed(self, key: str, change: int) -> Sequence[Line] | None:
        """None: so much that a fresh start is shorter, or `change` is not from this transcript."""
        missed = await self.transcript.since(key, change - 1, limits.CATCH_UP + 2)
        if not missed or len(missed) > limits.CATCH_UP + 1:
            return None
        return [line for line in missed if line.change > change]

    async def _follow(self, pipe: "_Pipe", listener: Listener, key: str, change: int) -> None:
        shown: Live | None = None
        while not listener.closed:
            listener.news.clear()
            if listener.changed:
                listener.changed = False
                change = await self._changes(pipe, key, change)
            if (live := self.hub.live(key)) != shown:
                shown = live
                await pipe.write(view.live_frame(live))
                await asyncio.sleep(self.pace.live)  # what comes meanwhile is told as one
            await self._news(pipe, listener)

    async def _changes(self, pipe: "_Pipe", key: str, change: int) -> int:
        while lines := await self.transcript.since(key, change, limits.PAGE):
            await pipe.write(b"".join(view.frame(line, number=True) for line in lines))
            change = lines[-1].change
        return change

    async def _news(self, pipe: "_Pipe", listener: Listener) -> None:
        """Wait for news; in between, keep the connection alive and look whether another process wrote something."""
        try:
            async with asyncio.timeout(self.pace.heartbeat):
                await listener.news.wait()
        except TimeoutError:
            await pipe.write(b": still here\n\n")
            listener.changed = True


def resume_point(request: web.Request) -> int:
    """The number of the last change that the browser has; 0 for none. What is not a number counts as none."""
    given = request.headers.get("Last-Event-ID") or request.query.get("since", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 16 else 0


class _Pipe:
    def __init__(self, response: web.StreamResponse, slow: float) -> None:
        self._response = response
        self._slow = slow

    async def write(self, data: bytes) -> None:
        """Raises TimeoutError for a browser that takes nothing, ConnectionResetError for one that is gone."""
        async with asyncio.timeout(self._slow):
            await self._response.write(data)


def _cut(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()
