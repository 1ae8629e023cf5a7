"""The Web API over HTTP: paths, arguments, tokens, faults, answers."""

import asyncio
import json
import time
from typing import Any

from aiohttp import web

from tests.fakes.slack.args import Request, read
from tests.fakes.slack.codes import UNKNOWN_METHOD, allowed
from tests.fakes.slack.desk import Desk
from tests.fakes.slack.errors import ApiError, BrokenFake, Json, wrong
from tests.fakes.slack.faults import Fault, Faults
from tests.fakes.slack.grants import check_app_token, check_scopes, install_of
from tests.fakes.slack.hooks import Hooks
from tests.fakes.slack.methods import APP_METHODS, METHODS, Method
from tests.fakes.slack.record import Call, Record
from tests.fakes.slack.response_check import checkable
from tests.fakes.slack.schema import arguments, known, missing
from tests.fakes.slack.uploads import fetch, take
from tests.fakes.telegram.waiters import Waiters

MAX_BODY = 64 * 1024 * 1024


class Dropped(Exception):
    """The connection is to end without an answer."""


class Answer(Exception):
    """A made-up answer stands in for the real one."""

    def __init__(self, response: web.Response) -> None:
        super().__init__()
        self.response = response


class WebApi:
    """`handle` is the whole HTTP surface of the fake but the control API."""

    def __init__(
        self,
        desk: Desk,
        record: Record,
        faults: Faults,
        waiters: Waiters,
        methods: tuple[Method, ...] = METHODS,
    ) -> None:
        self._desk = desk
        self._methods = {method.name: method for method in methods}
        self._record = record
        self._faults = faults
        self._waiters = waiters
        self._hooks = Hooks(desk, record)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        first, _, rest = request.path.lstrip("/").partition("/")
        if first == "link":
            return await self._desk.sockets.handle(request)
        try:
            if first == "api":
                return await self._api(request, rest)
            if first in ("actions", "commands"):
                return await self._hook(request)
            if first == "upload":
                return await take(self._desk, request.clone(client_max_size=MAX_BODY), rest)
            if first == "files":
                return fetch(self._desk, request)
        except Answer as made_up:
            return made_up.response
        except Dropped:
            if request.transport is not None:
                request.transport.abort()  # the client sees a reset
            return web.Response(status=500)
        return web.Response(status=404, text="Not Found")

    async def _api(self, request: web.BaseRequest, name: str) -> web.Response:
        connection = id(request.transport)
        now = self._desk.world.clock.now()
        try:
            asked = await read(request, name, arguments(name) if known(name) else {})
        except ApiError as error:
            call = self._record.arrived(name, {}, now, connection=connection)
            return self._refuse(call, error)
        call = self._record.arrived(name, asked.values, now, connection=connection)
        return await self._through_faults(call, self._respond, asked)

    async def _hook(self, request: web.BaseRequest) -> web.Response:
        payload = await self._hooks.payload(request)
        chat = self._hooks.chat(request.path)
        now = self._desk.world.clock.now()
        call = self._record.arrived("response_url", payload, now, connection=id(request.transport), chat=chat)
        return await self._through_faults(call, self._hooks.respond, request.path)

    async def _through_faults(self, call: Call, respond: Any, what: object) -> web.Response:
        self._waiters.changed()
        try:
            fault = self._faults.for_call(call)
            if fault is not None:
                await self._before(fault, call)
            response: web.Response = respond(call, what)
            if fault is not None and fault.when == "after":
                await self._after(fault, call)
        except (Dropped, Answer):
            call.verdict = "fault" if call.verdict == "pending" else call.verdict
            raise
        finally:
            call.ended = time.perf_counter()
            self._waiters.changed()
        return response

    async def _before(self, fault: Fault, call: Call) -> None:
        if fault.act == "delay":
            await asyncio.sleep(fault.seconds)
        if fault.when == "after":
            return
        if fault.act == "hold" and not await self._faults.hold(call, "before"):
            call.verdict = "lost"
            raise Dropped
        if fault.act == "drop":
            call.verdict = "lost"
            raise Dropped
        if fault.act in ("error", "body"):
            call.status = fault.status
            raise Answer(_made_up(fault))

    async def _after(self, fault: Fault, call: Call) -> None:
        if fault.act == "hold" and not await self._faults.hold(call, "after"):
            raise Dropped
        if fault.act == "drop":
            raise Dropped
        if fault.act in ("error", "body"):
            call.status = fault.status
            raise Answer(_made_up(fault))

    def _respond(self, call: Call, asked: Request) -> web.Response:
        headers: dict[str, str] = {}
        try:
            if asked.loose_token:
                raise wrong("not_authed", "a token never stands in an address")
            body = {"ok": True, **self._result(call, asked, headers)}
            if mistake := self._desk.check(f"response:{call.method}", checkable(call.method, body)):
                raise BrokenFake(f"this server was about to answer {call.method} wrongly: {mistake}")
        except ApiError as error:
            return self._refuse(call, error)
        except BrokenFake as error:
            self._record.breach(call, str(error))
            response = self._refuse(call, ApiError("internal_error"))
            call.verdict = "breach"
            return response
        call.status, call.verdict, call.response = 200, "ok", body
        return _answered(body, 200, headers)

    def _result(self, call: Call, asked: Request, headers: dict[str, str]) -> Json:
        world, name = self._desk.world, call.method
        app_method = APP_METHODS.get(name)
        if app_method is not None:
            if name == "apps.connections.open":
                check_app_token(world, asked.token)
            self._check(name, asked.values, None)
            return app_method(self._desk, asked.values)
        method = self._methods.get(name)
        if method is None:
            raise wrong(UNKNOWN_METHOD, f"this server has no method {name!r}")
        install = install_of(world, asked.token)
        call.team = install.teams[0]
        headers["x-oauth-scopes"] = ",".join(sorted(install.scopes))
        check_scopes(world, install, name, asked.values)
        self._check(name, asked.values, method)
        return method.apply(self._desk, install, asked.values)

    def _check(self, name: str, args: Json, method: Method | None) -> None:
        """Raises ApiError, with the method's own code where one of its rules is broken."""
        checked = {key: value for key, value in args.items() if key != "team_id"}  # the SDK may add it anywhere
        mistake = self._desk.check(f"request:{name}", checked)
        if mistake is None:
            return
        if unknown := sorted(set(checked) - set(arguments(name))):
            raise wrong("invalid_arguments", f"there is no argument {unknown[0]!r}")
        if method is not None and missing(name, checked) is None:
            method.rules(self._desk, args)
        lacking = missing(name, checked)
        raise wrong("invalid_arguments", f"{lacking} is missing" if lacking else mistake)

    def _refuse(self, call: Call, error: ApiError) -> web.Response:
        """A code that this method does not have is never sent: it is a violation by this server."""
        if error.code not in allowed(call.method):
            code = error.code
            error = ApiError("fatal_error", breach=True, reason=f"this server was about to answer with {code!r}")
        call.status = 200 if error.retry_after is None else 429
        call.response = error.body
        call.verdict = "breach" if error.breach else "refused"
        call.ended = call.ended or time.perf_counter()
        if error.breach:
            self._record.breach(call, error.reason)
        headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
        return _answered(error.body, call.status, headers)


def _answered(body: Json, status: int, headers: dict[str, str]) -> web.Response:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return web.Response(body=text.encode(), status=status, headers=headers, content_type="application/json")


def _made_up(fault: Fault) -> web.Response:
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    if fault.act == "body":
        return web.Response(status=fault.status, text=fault.body, content_type=fault.content_type, headers=headers)
    if fault.error:
        return _answered({"ok": False, "error": fault.error}, fault.status, headers)
    return web.Response(status=fault.status, text="", headers=headers)
