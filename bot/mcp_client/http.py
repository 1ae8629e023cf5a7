"""A server that is reached by url: one origin, addresses checked at each request, and a failure that stays with its call."""

import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Callable
from functools import cache
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from bot.config.mcp import McpServerConfig
from bot.mcp_client.addresses import LookUp, Origin, origin, resolved, system_look_up
from bot.mcp_client.characters import AS_IT_CAME, one_line
from bot.mcp_client.pump import BURST_BYTES, BYTES_PER_S, LONGEST, Pace
from bot.mcp_client.rejections import Rejections
from bot.mcp_client.sse import sse_streams
from bot.mcp_client.words import NOT_SENT, REFUSED, SESSION_LOST, UNCLEAR, Unusable

CONNECT_S = 30.0
_NOT_DONE = frozenset((400, 401, 403, 404, 405, 406, 407, 410, 411, 413, 414, 415, 417, 421, 426, 429, 431, 451))
"""Statuses that say that the request was turned away, not that something went wrong while it was carried out."""
_NEVER_CONNECTED = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)
_SESSION = "mcp-session-id"
_GOODBYE = {"connect": 2.0, "read": 2.0, "write": 2.0, "pool": 2.0}
"""A server that is told to forget our session need not hold us up."""


class Wire(httpx2.AsyncBaseTransport):
    """Sends requests to one origin and no other.

    A POST that fails is answered with a JSON-RPC error, so that the SDK fails this call and keeps the rest. `failed` is called
    when the connection as a whole is of no use any more, `session_lost` when the server has forgotten it, `answered` with each
    status.
    """

    def __init__(
        self,
        at: Origin,
        *,
        allow_private: bool,
        failed: Callable[[str], None],
        session_lost: Callable[[], None],
        answered: Callable[[int], None],
        look_up: LookUp = system_look_up,
    ) -> None:
        self._at = at
        self._look_up = look_up
        self._allow_private = allow_private
        self._failed = failed
        self._session_lost = session_lost
        self._inner = httpx2.AsyncHTTPTransport(
            verify=_tls(), trust_env=False, limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20)
        )
        self._answered_with = answered
        self._failed_streams = 0
        self._pace = Pace(BYTES_PER_S, BURST_BYTES)

    async def __aenter__(self) -> "Wire":
        await self._inner.__aenter__()
        return self

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        posts = request.method == "POST"
        try:
            response = await self._inner.handle_async_request(await self._pinned(request))
        except _NEVER_CONNECTED as error:
            self._note(request)
            if not posts:
                raise
            return _error(
                request, NOT_SENT, f"It could not be reached: {one_line(str(error), 200) or 'no connection'}."
            )
        except Unusable as error:
            if not posts:
                raise httpx2.ConnectError(str(error), request=request) from error
            return _error(request, NOT_SENT, str(error))
        except (httpx2.TransportError, ssl.SSLError) as error:
            self._note(request)
            if not posts:
                raise
            return _error(request, UNCLEAR, f"The connection broke: {type(error).__name__}.")
        self._answered_with(response.status_code)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            return _error(request, UNCLEAR, "It packed its answer, which it was asked not to do.")
        if _kind(response) == "text/event-stream" and response.status_code < 400:
            return _paced(response, self._pace)
        if not posts:
            return response
        return await self._answered(request, response)

    async def _pinned(self, request: httpx2.Request) -> httpx2.Request:
        """The same request, to an address that was looked at; the name stays in Host and in TLS."""
        url = request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        upgraded = self._at.scheme == "http" and url.scheme == "https" and (self._at.port, port) == (80, 443)
        if (url.scheme, url.host.lower(), port) != (self._at.scheme, self._at.host, self._at.port) and not upgraded:
            raise Unusable("It wanted to send us to another server, where nothing was sent.")
        address = await resolved(url.host, port, allow_private=self._allow_private, look_up=self._look_up)
        timeout = {"timeout": _GOODBYE} if request.method == "DELETE" else {}
        return httpx2.Request(
            request.method,
            url.copy_with(host=address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, **timeout, "sni_hostname": url.host},
        )

    def _note(self, request: httpx2.Request) -> None:
        """The standing stream is opened again by the SDK, twice; then nobody would hear any more that tools change."""
        if request.method == "GET":
            self._failed_streams += 1
            if self._failed_streams > 1:
                self._failed("Its stream of messages broke off.")

    async def _answered(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        status, kind = response.status_code, _kind(response)
        try:
            body = await _bounded(response)
        except httpx2.TransportError as error:
            return _error(request, UNCLEAR, f"The connection broke in its answer: {type(error).__name__}.")
        finally:
            await response.aclose()
        if body is None:
            return _error(request, UNCLEAR, f"Its answer was larger than {LONGEST >> 20} MB.")
        if status == 404 and _SESSION in request.headers:
            self._session_lost()
            return _error(request, SESSION_LOST, "It has forgotten our session.")
        headers = {name: value for name, value in response.headers.items() if name not in ("content-length",)}
        if status < 400 and (status == 202 or kind == "application/json" or not _asks(request)):
            return httpx2.Response(status, headers=headers, content=body)
        if 300 <= status < 400:
            return httpx2.Response(status, headers=headers, content=b"")
        if _is_message(body):
            headers.pop(_SESSION, None)
            return httpx2.Response(status, headers={**headers, "content-type": "application/json"}, content=body)
        code = REFUSED if status in _NOT_DONE else UNCLEAR
        return _error(request, code, f"It answered with HTTP {status}: {_readable(body, kind)}", status)


class _Paced(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, pace: Pace) -> None:
        self._inner = inner
        self._pace = pace

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._inner:
            await self._pace.spend(len(piece))
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


def _paced(response: httpx2.Response, pace: Pace) -> httpx2.Response:
    """A stream of events that leaves time for everybody else; what it is made of is looked at by the SDK."""
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    stream = _Paced(response.stream, pace)
    return httpx2.Response(
        response.status_code, headers=response.headers, stream=stream, extensions=response.extensions
    )


def _kind(response: httpx2.Response) -> str:
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


async def _bounded(response: httpx2.Response) -> bytes | None:
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece
        if len(body) > LONGEST:
            return None
    return bytes(body)


def _readable(body: bytes, kind: str) -> str:
    if kind == "text/html" or body.lstrip()[:1] == b"<":
        return "a web page instead of an answer."
    return one_line(body[:AS_IT_CAME].decode("utf-8", "replace"), AS_IT_CAME) or "nothing more."


def _is_message(body: bytes) -> bool:
    if not body.lstrip().startswith(b"{"):
        return False
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and isinstance(message.get("error"), dict) and message.get("jsonrpc") == "2.0"


def _asks(request: httpx2.Request) -> bool:
    """Whether it is a request that waits for an answer, and no notification."""
    return _request_id(request) is not None


def _request_id(request: httpx2.Request) -> Any:
    try:
        message = json.loads(request.content)
    except (ValueError, RecursionError, httpx2.RequestNotRead):
        return None
    return message.get("id") if isinstance(message, dict) and "method" in message else None


def _error(request: httpx2.Request, code: int, text: str, status: int = 200) -> httpx2.Response:
    asked = _request_id(request)
    if asked is None:
        return httpx2.Response(202 if request.method == "POST" else 502)
    message = {"jsonrpc": "2.0", "id": asked, "error": {"code": code, "message": text, "data": {"status": status}}}
    return httpx2.Response(200, json=message)


@cache
def _tls() -> ssl.SSLContext:
    """Made once: reading the certificates takes tens of milliseconds."""
    return ssl.create_default_context()


@contextlib.asynccontextmanager
async def streams(
    spec: McpServerConfig,
    failed: Callable[[str], None],
    session_lost: Callable[[], None],
    answered: Callable[[int], None],
    rejections: Rejections,
    *,
    sse: bool,
) -> AsyncIterator[Any]:
    """The two streams that the SDK speaks over, to a server that a filled configuration names. Raises Refused."""
    at = origin(spec.url)
    await resolved(at.host, at.port, allow_private=spec.allow_private)
    wire = Wire(at, allow_private=spec.allow_private, failed=failed, session_lost=session_lost, answered=answered)

    def client() -> httpx2.AsyncClient:
        return httpx2.AsyncClient(
            transport=wire,
            headers={"accept-encoding": "identity", **spec.headers},
            timeout=httpx2.Timeout(CONNECT_S, read=None, pool=None),
            trust_env=False,
            max_redirects=5,
        )

    if sse:
        async with client() as http, sse_streams(http, spec.url, rejections) as older:
            yield older
        return
    async with (
        client() as http,
        streamable_http_client(spec.url, http_client=http, max_sse_event_size=2 * LONGEST) as pair,
    ):
        yield pair
