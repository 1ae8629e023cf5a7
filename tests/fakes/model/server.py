"""The two model wires over HTTP: check, choose, answer as scripted."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from aiohttp import web

from tests.fakes.model import anthropic_check, anthropic_wire, openai_check, openai_wire
from tests.fakes.model.desk import Desk
from tests.fakes.model.script import Call, Heard, Reply

Calls = tuple[tuple[Call, str], ...]


@dataclass(frozen=True, slots=True)
class Wire:
    """How one provider checks and words things."""

    name: Literal["openai", "anthropic"]
    faults: Callable[[Any], list[str]]
    heard: Callable[[dict[str, Any]], Heard]
    error: Callable[[int, str, str], dict[str, Any]]
    body: Callable[[Reply, str, Calls, Heard], dict[str, Any]]
    chunks: Callable[[Reply, str, Calls, Heard], list[str]]


OPENAI = Wire(
    "openai", openai_check.faults, openai_check.heard, openai_wire.error, openai_wire.body, openai_wire.chunks
)
ANTHROPIC = Wire(
    "anthropic",
    anthropic_check.faults,
    anthropic_check.heard,
    anthropic_wire.error,
    anthropic_wire.body,
    anthropic_wire.chunks,
)


class Server:
    """Answers both wires from one desk."""

    def __init__(self, desk: Desk, models: tuple[str, ...]) -> None:
        self._desk = desk
        self._models = models

    def app(self) -> web.Application:
        """`/v1/chat/completions` and `/v1/messages`."""
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.add_routes([web.post("/v1/chat/completions", self._openai), web.post("/v1/messages", self._anthropic)])
        return app

    async def _openai(self, request: web.Request) -> web.StreamResponse:
        key = request.headers.get("Authorization", "")
        return await self._serve(OPENAI, request, authorized=key.startswith("Bearer ") and len(key) > len("Bearer "))

    async def _anthropic(self, request: web.Request) -> web.StreamResponse:
        # Either is taken; the vendor's library sends the bearer form since its second major version.
        key = request.headers.get("x-api-key") or request.headers.get("Authorization", "").removeprefix("Bearer ")
        return await self._serve(ANTHROPIC, request, authorized=bool(key))

    async def _serve(self, wire: Wire, request: web.Request, *, authorized: bool) -> web.StreamResponse:
        status, faults, body = await self._checked(wire, request, authorized=authorized)
        number = await self._desk.note(wire.name, body, dict(request.headers), faults)
        if faults:
            await self._desk.end(number, "refused")
            return web.json_response(wire.error(status, "", "; ".join(faults)), status=status)
        heard = wire.heard(body)
        reply = self._desk.choose(heard)
        if reply is None:
            await self._desk.end(number, "refused")
            return web.json_response(wire.error(500, "", "nothing is scripted for this request"), status=500)
        how: Literal["answered", "refused", "left", "cut"] = "left"
        try:
            response = await self._reply(wire, request, reply, heard)
            how = "cut" if response is None else "answered" if reply.status == 200 else "refused"
        finally:
            await self._desk.end(number, how)
        if response is None:
            return web.Response()  # for nobody: the connection is gone
        return response

    async def _checked(self, wire: Wire, request: web.Request, *, authorized: bool) -> tuple[int, list[str], Any]:
        try:
            body = await request.json()
        except ValueError:
            return 400, ["the body is not JSON"], None
        if not authorized:
            return 401, ["the key is missing"], body
        if wire.name == "anthropic" and not request.headers.get("anthropic-version"):
            return 400, ["anthropic-version is missing"], body
        faults = wire.faults(body)
        if faults:
            return 400, faults, body
        return (
            (200, [], body)
            if body.get("model") in self._models
            else (404, [f"unknown model {body.get('model')!r}"], body)
        )

    async def _reply(self, wire: Wire, request: web.Request, reply: Reply, heard: Heard) -> web.StreamResponse | None:
        """The response as it was sent; None if the connection was dropped."""
        await asyncio.sleep(reply.delay)
        if reply.hold and reply.hold_after is None:
            await self._desk.held(reply.hold)
        if reply.hang_up:
            _drop(request)
            return None
        if reply.status != 200:
            headers = {} if reply.retry_after is None else {"Retry-After": f"{reply.retry_after:g}"}
            return web.json_response(
                wire.error(reply.status, reply.code, reply.message), status=reply.status, headers=headers
            )
        if reply.raw_body is not None:
            kind = "text/event-stream" if heard.stream else "application/json"
            return web.Response(text=reply.raw_body, content_type=kind)
        text = (reply.text or "".join(reply.pieces)).replace("{user}", heard.words).replace("{result}", heard.result)
        calls = tuple((call, self._desk.fresh_id() if call.id is None else call.id) for call in reply.calls)
        if not heard.stream:
            return web.json_response(wire.body(reply, text, calls, heard))
        return await self._stream(wire, request, reply, wire.chunks(reply, text, calls, heard))

    async def _stream(
        self, wire: Wire, request: web.Request, reply: Reply, chunks: list[str]
    ) -> web.StreamResponse | None:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for number, chunk in enumerate(chunks):
            if number == reply.cut_after:
                _drop(request)
                return None
            if number == reply.end_after:
                break
            if number == reply.error_after:
                chunk = json.dumps(wire.error(529 if wire is ANTHROPIC else 500, reply.code, reply.message))
            if number == reply.hold_after:
                await self._desk.held(reply.hold)
            await response.write(_event(wire, chunk))
            if number == reply.error_after:
                break
            await asyncio.sleep(reply.drip)
        await response.write_eof()
        return response


def _event(wire: Wire, chunk: str) -> bytes:
    name = f"event: {json.loads(chunk)['type']}\n" if wire is ANTHROPIC else ""
    return f"{name}data: {chunk}\n\n".encode()


def _drop(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()
