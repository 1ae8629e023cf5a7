"""aiohttp → the SDK's streamable HTTP: a request in, a stream out, and an end to both."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from aiohttp import web
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

BODY = 4 << 20
"""Largest body, in bytes."""

LAST_WORDS_S = 0.5

GONE_S = 0.25
"""How often it is looked whether the client has hung up: aiohttp says so to nobody but whom it cancels."""

Message = MutableMapping[str, Any]
Extra = Callable[[web.Request], Awaitable[Mapping[str, Any]]]
"""What the scope of a request holds beside what ASGI has: who it is from. Raises what refuses it."""


class Bridge:
    def __init__(self, server: Server[Any], extra: Extra, *, stateless: bool = True) -> None:
        """Without state every request stands for itself: it outlives a restart of ours, and whoever hangs up cancels."""
        self._manager = StreamableHTTPSessionManager(server, stateless=stateless, max_request_body_size=BODY)
        self._extra = extra
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._live: set[asyncio.Task[Any]] = set()

    async def start(self) -> None:
        started = asyncio.Event()
        self._task = asyncio.create_task(self._run(started), name="mcp sessions")
        waiting = asyncio.create_task(started.wait())
        await asyncio.wait([self._task, waiting], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if self._task.done():
            self._task.result()

    async def stop(self) -> None:
        """What has its answer is let write it; then calls under way are cancelled: many are served by their requests, of which
        the manager knows nothing."""
        if self._live:
            await asyncio.wait(self._live.copy(), timeout=LAST_WORDS_S)
        live = list(self._live)
        for each in live:
            each.cancel()
        if live:
            await asyncio.wait(live, timeout=2)
        self._stop.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self, started: asyncio.Event) -> None:
        """Entered and left by one task: the SDK's scopes allow nothing else."""
        async with self._manager.run():
            started.set()
            await self._stop.wait()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        extra = await self._extra(request)
        answer = _Answer(request)
        task = asyncio.current_task()
        assert task is not None
        self._live.add(task)
        try:
            await self._manager.handle_request({**_scope(request), **extra}, answer.receive, answer.send)
        finally:
            self._live.discard(task)
        return answer.finished()

    async def ask(self, body: bytes, headers: Mapping[str, str], extra: Mapping[str, Any]) -> tuple[int, bytes]:
        """A request that we make to ourselves, by the same way: status and body."""
        asked = _Asked(body)
        scope = _bare_scope("POST", "/", [(k.encode(), v.encode()) for k, v in headers.items()])
        await self._manager.handle_request({**scope, **extra}, asked.receive, asked.send)
        return asked.status, bytes(asked.body)


class _Answer:
    """One request in ASGI's terms."""

    def __init__(self, request: web.Request) -> None:
        self._request = request
        self._response: web.StreamResponse | None = None
        self._gone = False
        self._whole = False

    async def receive(self) -> Message:
        if not self._whole:
            content = self._request.content
            try:
                chunk = b"" if content.at_eof() else await content.readany()
            except ConnectionError:
                self._gone = self._whole = True
                return {"type": "http.disconnect"}
            self._whole = content.at_eof()
            return {"type": "http.request", "body": chunk, "more_body": not self._whole}
        while not self._hung_up():  # noqa: ASYNC110  nobody sets an event for it
            await asyncio.sleep(GONE_S)
        return {"type": "http.disconnect"}

    def _hung_up(self) -> bool:
        transport = self._request.transport
        return self._gone or transport is None or transport.is_closing()

    async def send(self, message: Message) -> None:
        """Clients hang up before the last bytes: that is theirs to do, and no error of the SDK's."""
        if self._gone:
            return
        try:
            await self._write(message)
        except ConnectionError:
            self._gone = True

    async def _write(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._response = web.StreamResponse(status=message["status"])
            for name, value in message.get("headers", ()):
                if name.lower() not in (b"content-length", b"transfer-encoding", b"connection"):
                    self._response.headers.add(name.decode("latin-1"), value.decode("latin-1"))
            self._response.headers["Cache-Control"] = "no-store"
            if self._response.status == 401:
                self._response.headers.setdefault("WWW-Authenticate", "Bearer")
            await self._response.prepare(self._request)
            return
        assert self._response is not None, "a body before its head"
        if message.get("body"):
            await self._response.write(message["body"])
        if not message.get("more_body", False):
            await self._response.write_eof()

    def finished(self) -> web.StreamResponse:
        """What was sent, or an answer for whoever did not wait for one."""
        return self._response if self._response is not None else web.Response(status=500)


class _Asked:
    """A request of our own, and what came of it."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self.status = 0
        self.body = bytearray()
        self._done = asyncio.Event()

    async def receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._done.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            return
        self.body += message.get("body", b"")
        if not message.get("more_body", False):
            self._done.set()


def _scope(request: web.Request) -> dict[str, Any]:
    """The query is left out: nothing here reads it, and a secret in it must not be worked with."""
    headers = [(name.lower(), value) for name, value in request.raw_headers]
    return _bare_scope(request.method, request.path, headers) | {
        "scheme": request.scheme,
        "client": (request.remote or "", 0),
    }


def _bare_scope(method: str, path: str, headers: list[tuple[bytes, bytes]]) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "client": ("", 0),
    }
