"""Serves the endpoints: who calls, may they, what do they say; then the work, and the entry in the audit."""

from collections.abc import Iterator, Sequence
from functools import partial
from gettext import gettext as _
from http import HTTPStatus
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler
from pydantic import BaseModel

from bot.clock import Clock
from bot.errors import AskfirstError
from bot.store import audit
from bot.store.database import Tx
from bot.supervisor import Crash, attempt
from bot.web.api import reading
from bot.web.api.desk import Desk
from bot.web.api.endpoint import AnyEndpoint, Asked, Caller, InTx, Nothing
from bot.web.api.gate import Gate
from bot.web.errors import API, Refusal, answer, errors, refusal_of, refuse, refused
from bot.web.hosts import Hosts, from_our_pages


class Clerk:
    def __init__(self, desk: Desk, endpoints: Sequence[AnyEndpoint], gate: Gate, hosts: Hosts, clock: Clock) -> None:
        self._desk = desk
        self._endpoints = endpoints
        self._gate = gate
        self._hosts = hosts
        self._clock = clock

    def routes(self) -> list[web.RouteDef]:
        """Of each address all methods, those of a fixed address before those that a name stands in; and whatever else is
        asked for below `/api/`."""
        known: dict[str, list[AnyEndpoint]] = {}
        for each in self._endpoints:
            known.setdefault(each.path, []).append(each)
        made = [
            route for path in sorted(known, key=lambda path: "{" in path) for route in self._address(path, known[path])
        ]
        return [*made, self._other(f"{API}{{rest:.*}}", frozenset())]

    def _address(self, path: str, endpoints: Sequence[AnyEndpoint]) -> Iterator[web.RouteDef]:
        for each in endpoints:
            yield web.route(each.method, path, partial(self._guarded, partial(self._serve, each)))
        methods = {each.method for each in endpoints}
        yield self._other(path, frozenset(methods | {"HEAD"} if "GET" in methods else methods))

    def _other(self, path: str, allowed: frozenset[str]) -> web.RouteDef:
        """Every method that the address does not know."""
        return web.route("*", path, partial(self._guarded, partial(self._elsewhere, allowed)))

    async def _guarded(self, work: Handler, request: web.Request) -> web.StreamResponse:
        """Whatever happens, the answer has the one form of all errors."""
        done = await attempt(f"{request.method} {request.path[:200]}", errors(request, work))
        if isinstance(done, Crash):
            return answer(request, 500, "failed", _("Something went wrong here; the log says what."))
        return done

    async def _elsewhere(self, allowed: frozenset[str], request: web.Request) -> web.StreamResponse:
        """Which addresses there are is told to whoever may know."""
        await self._gate.admit(request, self._clock())
        if allowed:
            raise web.HTTPMethodNotAllowed(request.method, sorted(allowed))
        raise web.HTTPNotFound

    async def _serve(self, endpoint: AnyEndpoint, request: web.Request) -> web.StreamResponse:
        now = self._clock()
        caller = await self._gate.admit(request, now)
        try:
            self._allow(endpoint, caller, request)
            asked: Asked[Any, Any, Any] = Asked(
                reading.in_path(request, endpoint.in_path),
                reading.in_query(request, endpoint.in_query),
                await reading.in_body(request, endpoint) if endpoint.changes and not endpoint.uploads else Nothing(),
                caller,
                now,
            )
            done = await self._work(endpoint, asked, request)
        except AskfirstError as error:
            refusal = refusal_of(error)
            if endpoint.changes and refusal.status == HTTPStatus.FORBIDDEN:
                await self._desk.store.tx(_record_refused, caller, _name(request), refusal, now)
            raise
        return _answered(endpoint, request, done)

    def _allow(self, endpoint: AnyEndpoint, caller: Caller, request: web.Request) -> None:
        if endpoint.changes and not from_our_pages(request, self._hosts):
            raise refused(403, "foreign_origin", _("This came from a page of another site, so nothing was done."))
        if endpoint.right == "admin" and caller.scope != "admin":
            words = _("This token may only read, so nothing was done. Use one of scope admin.")
            raise refused(403, "scope_too_small", words)

    async def _work(
        self, endpoint: AnyEndpoint, asked: Asked[Any, Any, Any], request: web.Request
    ) -> BaseModel | Refusal | web.StreamResponse:
        store = self._desk.store
        if isinstance(endpoint.handler, InTx):
            run = store.tx if endpoint.changes else store.light
            return await run(self._in_tx, endpoint, endpoint.handler, asked, _name(request))
        done = await endpoint.handler.do(self._desk, asked, request)
        if endpoint.changes:
            await store.tx(_record, endpoint, asked, _name(request), done)
        return done

    def _in_tx(
        self,
        tx: Tx,
        endpoint: AnyEndpoint,
        handler: InTx[Any, Any, Any, Any],
        asked: Asked[Any, Any, Any],
        name: str,
    ) -> BaseModel | Refusal:
        done: BaseModel | Refusal = handler.do(self._desk, tx, asked)
        if endpoint.changes:
            _record(tx, endpoint, asked, name, done)
        return done


def _record(
    tx: Tx,
    endpoint: AnyEndpoint,
    asked: Asked[Any, Any, Any],
    name: str,
    done: BaseModel | Refusal | web.StreamResponse,
) -> None:
    if isinstance(done, Refusal):
        _record_refused(tx, asked.by, name, done, asked.now)
        return
    audit.record(tx, asked.now, asked.by.who, "api_called", name, {"status": str(endpoint.status)})


def _record_refused(tx: Tx, by: Caller, name: str, refusal: Refusal, now: float) -> None:
    audit.record(tx, now, by.who, "api_refused", name, {"status": str(refusal.status), "code": refusal.code})


def _name(request: web.Request) -> str:
    """What was called, without the query."""
    return f"{request.method} {request.rel_url.raw_path}"[:300]


def _answered(
    endpoint: AnyEndpoint, request: web.Request, done: BaseModel | Refusal | web.StreamResponse
) -> web.StreamResponse:
    if isinstance(done, web.StreamResponse):
        return done
    if isinstance(done, Refusal):
        return refuse(request, done)
    headers = {"Cache-Control": "no-store"}
    if endpoint.answer is Nothing:
        return web.Response(status=endpoint.status, headers=headers)
    body = done.model_dump_json(by_alias=True)
    return web.Response(status=endpoint.status, text=body, content_type="application/json", headers=headers)
