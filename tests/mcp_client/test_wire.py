"""A single request to a server by url: where it goes, and what is known of it when the answer is odd."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import httpx2
import pytest

from bot.mcp_client.addresses import Origin, system_look_up
from bot.mcp_client.http import Wire
from bot.mcp_client.words import NOT_SENT, REFUSED, UNCLEAR

CALL = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "put"}}
LARGE = b"x" * (1 << 20)


@dataclass
class Place:
    """Answers every request with the same pieces."""

    pieces: Any
    port: int = 0
    heard: list[bytes] = field(default_factory=list)

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            self.heard.append(await reader.readuntil(b"\r\n\r\n"))
            for piece in self.pieces:
                writer.write(piece)
                await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def standing(*pieces: bytes, endless: bytes = b"") -> AsyncIterator[Place]:
    place = Place([*pieces, *repeat(endless, 64)] if endless else pieces)
    server = await asyncio.start_server(place.take, "127.0.0.1", 0)
    place.port = server.sockets[0].getsockname()[1]
    async with server:
        yield place


def answer(status: str, body: bytes = b"", kind: str = "text/plain", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"content-type: {kind}", f"content-length: {len(body)}", "connection: close"]
    return "\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers.items()), "", ""]).encode() + body


async def asked(place: Place, host: str = "127.0.0.1", **how: Any) -> Any:
    """What the SDK gets for a call."""
    how = {"allow_private": True, "look_up": system_look_up, **how}
    wire = Wire(
        Origin("http", host, place.port),
        failed=lambda _why: None,
        session_lost=lambda: None,
        answered=lambda _status: None,
        **how,
    )
    async with httpx2.AsyncClient(transport=wire, trust_env=False) as client:
        response = await client.post(f"http://{host}:{place.port}/mcp", json=CALL)
    return json.loads(response.content)


def told(*addresses: str) -> Any:
    """A look-up that gives another address each time."""
    left = iter(addresses)

    async def look_up(_host: str, port: int) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(left), port))]

    return look_up


DONE = answer("200 OK", b'{"jsonrpc": "2.0", "id": 7, "result": {}}', "application/json")


async def test_a_request_goes_to_the_address_that_was_looked_at_under_the_name_that_was_given() -> None:
    async with standing(DONE) as place:
        assert (await asked(place, "mcp.example", look_up=told("127.0.0.1")))["result"] == {}
    [request] = place.heard
    assert f"host: mcp.example:{place.port}".encode() in request.lower()


async def test_a_name_that_leads_to_a_private_address_by_now_is_not_followed() -> None:
    async with standing(DONE) as place:
        refused = await asked(place, "mcp.example", allow_private=False, look_up=told("127.0.0.1"))
    assert refused["error"]["code"] == NOT_SENT
    assert "no public address" in refused["error"]["message"]
    assert place.heard == []


METADATA = 'Bearer resource_metadata="http://169.254.169.254/latest", authorization_uri="file:///etc/passwd"'

ANSWERS: dict[str, tuple[bytes, int, str]] = {
    "a token that is not taken": (answer("401 No", b"no"), REFUSED, "HTTP 401: no"),
    "a token that is to be got elsewhere": (
        answer("401 No", b"", **{"www-authenticate": METADATA}),
        REFUSED,
        "HTTP 401: nothing more.",
    ),
    "too much asked": (answer("429 Slow", b"later", **{"retry-after": "1"}), REFUSED, "HTTP 429: later"),
    "a fault in the middle": (answer("500 Oh", b"oh"), UNCLEAR, "HTTP 500: oh"),
    "a proxy that waited": (answer("504 Oh", b"<html>x", "text/html"), UNCLEAR, "a web page instead of an answer."),
    "a page of a login": (
        answer("200 OK", b"<!doctype html>", "text/html"),
        UNCLEAR,
        "a web page instead of an answer.",
    ),
    "words": (answer("200 OK", b"done"), UNCLEAR, "HTTP 200: done"),
    "nothing": (answer("204 No content"), UNCLEAR, "HTTP 204: nothing more."),
    "what is packed": (
        answer("200 OK", b"x", "application/json", **{"content-encoding": "br"}),
        UNCLEAR,
        "It packed its answer",
    ),
    "half of it": (
        answer("200 OK", b"{}", "application/json").replace(b": 2\r", b": 9\r"),
        UNCLEAR,
        "broke in its answer",
    ),
    "no HTTP": (b"SSH-2.0-x\r\n\r\n", UNCLEAR, "The connection broke"),
}


@pytest.mark.parametrize(("said", "code", "words"), ANSWERS.values(), ids=ANSWERS.keys())
async def test_what_is_known_of_a_call_is_told_by_what_came_back(said: bytes, code: int, words: str) -> None:
    async with standing(said) as place:
        error = (await asked(place))["error"]
    assert error["code"] == code
    assert words in error["message"]
    assert len(place.heard) == 1


async def test_an_answer_without_end_is_given_up() -> None:
    head = answer("200 OK", b"", "application/json").replace(b"content-length: 0\r\n", b"")
    async with standing(head, endless=LARGE) as place:
        error = (await asked(place))["error"]
    assert (error["code"], error["message"]) == (UNCLEAR, "Its answer was larger than 32 MB.")
