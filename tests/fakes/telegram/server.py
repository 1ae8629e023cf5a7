"""The Bot API over HTTP: paths, parameters, faults, answers."""

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web

from tests.fakes.telegram.arguments import Args, Upload, read
from tests.fakes.telegram.errors import ApiError, Json, too_many, wrong
from tests.fakes.telegram.faults import Fault, Faults
from tests.fakes.telegram.methods import METHODS, WAITING, Method
from tests.fakes.telegram.polling import Polling
from tests.fakes.telegram.record import Call, Record
from tests.fakes.telegram.schema import Check, parameters
from tests.fakes.telegram.waiters import Waiters
from tests.fakes.telegram.webhook import Webhook
from tests.fakes.telegram.world import World

MAX_BODY = 64 * 1024 * 1024
NAMES = (*(method.name for method in METHODS), *WAITING)


class Dropped(Exception):
    """The connection is to end without an answer."""


class Answer(Exception):
    """A made-up answer stands in for the real one."""

    def __init__(self, response: web.Response) -> None:
        super().__init__()
        self.response = response


class BotApi:
    """Serves one bot. `handle` is the whole HTTP surface; `call` is the same without HTTP, for webhook replies."""

    def __init__(
        self, token: str, world: World, record: Record, faults: Faults, waiters: Waiters, check: Check
    ) -> None:
        self._token = token
        self._world = world
        self._record = record
        self._faults = faults
        self._waiters = waiters
        self._check = check
        self.polling = Polling(world.clock, world.updates)
        self.webhook = Webhook(world.clock, world.updates, self.polling, self.call)
        self._methods: Mapping[str, Method] = {method.name.lower(): method for method in METHODS}
        self._names = {name.lower(): name for name in NAMES}
        self._kinds = {name: parameters(name) for name in NAMES}
        self.revoked = False

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            where = self._route(request.path)
            if where is None:
                return self._file(request.path)
            try:
                raw, uploads = await _parameters(request.clone(client_max_size=MAX_BODY))
            except ApiError as error:
                self._record.breach(self._arrived(where, {}, id(request.transport)), error.reason)
                raise
            return await self._serve(where, raw, uploads, id(request.transport))
        except ApiError as error:
            return _failure(error)
        except Answer as made_up:
            return made_up.response
        except Dropped:
            if request.transport is not None:
                request.transport.abort()  # the client sees a reset
            return web.Response(status=500)

    def _route(self, path: str) -> str | None:
        """The method's name as written; None for a file. Raises ApiError when the path or token is not known."""
        first, _, rest = path.lstrip("/").partition("/")
        if first == "file":
            self._authorise(rest.partition("/")[0])
            return None
        self._authorise(first)
        return rest.removeprefix("test/")

    def _authorise(self, segment: str) -> None:
        token = segment.removeprefix("bot")
        number, colon, secret = token.partition(":")
        if not segment.startswith("bot") or not number.isdigit() or not colon or not secret:
            raise ApiError(404, "Not Found")
        if token != self._token or self.revoked:
            raise ApiError(401, "Unauthorized")

    def _file(self, path: str) -> web.Response:
        wanted = path.lstrip("/").split("/", 2)[2]
        for file in self._world.files.values():
            if file.path == wanted:
                return web.Response(body=file.content, content_type="application/octet-stream")
        return _failure(ApiError(404, "Not Found"))

    async def _serve(
        self, written: str, raw: Mapping[str, object], uploads: Mapping[str, Upload], connection: int
    ) -> web.Response:
        name = self._names.get(written.lower(), written)
        args = read(raw, uploads, self._kinds.get(name, {}))
        call = self._arrived(name, args.values, connection)
        self._waiters.changed()
        try:
            fault = self._faults.for_call(call)
            if fault is not None:
                await self._before(fault, call)
            response = await self._respond(call, args)
            if fault is not None and fault.when == "after":
                await self._after(fault, call)
        except (Dropped, Answer):
            call.verdict = "fault" if call.verdict == "pending" else call.verdict
            raise
        finally:
            call.ended = time.perf_counter()
            self._waiters.changed()
        return response

    def _arrived(self, name: str, values: Json, connection: int) -> Call:
        return self._record.arrived(name, values, connection, self._world.clock.now())

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

    async def _respond(self, call: Call, args: Args) -> web.Response:
        try:
            body = await self._result(call, args)
        except ApiError as error:
            call.status = error.code
            call.response = _failed(error)
            call.verdict = "breach" if error.breach else "refused"
            if error.breach:
                self._record.breach(call, error.reason)
            return _failure(error)
        call.status, call.verdict = 200, "ok"
        return web.Response(body=body, content_type="application/json")

    async def _result(self, call: Call, args: Args) -> bytes:
        if call.method == "getUpdates":
            self._check_request(call.method, args, None)
            updates = await self.polling.get(args)
            call.response = {"ok": True, "updates": [update.id for update in updates]}
            return b'{"ok":true,"result":[' + b",".join(update.body for update in updates) + b"]}"
        call.response = await self.call(call.method, args)
        return json.dumps(call.response, ensure_ascii=False, separators=(",", ":")).encode()

    async def call(self, name: str, args: Args) -> Json:
        """Do what a method does and give the whole answer. Raises ApiError."""
        method = self._methods.get(name.lower())
        if method is None:
            if name not in WAITING:
                raise ApiError(
                    404, "Not Found: method not found", breach=True, reason=f"this server has no method {name!r}"
                )
            self._check_request(name, args, None)
            return await self.webhook.answer(name, args)
        self._check_request(name, args, method)
        result: Any = method.apply(self._world, args)
        if mistake := self._check(f"response:{method.name}", result):
            raise ApiError(500, "Internal Server Error", breach=True, reason=f"this server answered wrongly: {mistake}")
        return {"ok": True, "result": result}

    def _check_request(self, name: str, args: Args, method: Method | None) -> None:
        mistake = self._check(f"request:{name}", args.values)
        if mistake is None:
            return
        if method is not None:
            method.rules(self._world, args)  # says it in Telegram's own words, if it has any
            if "chat_id" in self._kinds[name] and args.values.get("chat_id", "") == "":
                mistake = "chat_id is empty"
        raise ApiError(400, f"Bad Request: {mistake}", breach=True)


async def _parameters(request: web.BaseRequest) -> tuple[Mapping[str, object], Mapping[str, Upload]]:
    """Query first, then the body; of two with one name the first counts. Raises ApiError for a body that cannot be read."""
    values: dict[str, object] = dict(reversed(list(request.query.items())))
    uploads: dict[str, Upload] = {}
    kind = request.content_type
    if kind == "multipart/form-data":
        async for part in await request.multipart():
            await _part(part, values, uploads)
        return values, uploads
    body = await request.read()
    if not body:
        return values, uploads
    if kind == "application/json":
        try:
            found = json.loads(body)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise ApiError(400, "Bad Request: can't parse request body JSON object", breach=True)
        values = {**found, **values}
    else:
        for name, value in parse_qsl(
            body.decode(errors="surrogateescape"), keep_blank_values=True, errors="surrogateescape"
        ):
            values.setdefault(name, value)
    try:
        json.dumps(values, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise wrong("strings must be encoded in UTF-8", "the request holds half of a surrogate pair") from None
    return values, uploads


async def _part(part: Any, values: dict[str, object], uploads: dict[str, Upload]) -> None:
    content = bytes(await part.read(decode=True))
    if part.filename is None:
        values.setdefault(part.name, content.decode())
        return
    uploads[part.name] = Upload(part.filename, part.headers.get("Content-Type", "application/octet-stream"), content)


def _failed(error: ApiError) -> Json:
    body: Json = {"ok": False, "error_code": error.code, "description": error.description}
    if error.parameters:
        body["parameters"] = error.parameters
    return body


def _failure(error: ApiError) -> web.Response:
    headers = {}
    if error.parameters and "retry_after" in error.parameters:
        headers["Retry-After"] = str(error.parameters["retry_after"])
    return web.json_response(_failed(error), status=error.code, headers=headers)


def _made_up(fault: Fault) -> web.Response:
    if fault.act == "body":
        return web.Response(status=fault.status, text=fault.body, content_type=fault.content_type)
    if fault.status == 429:
        return _failure(too_many(fault.retry_after))
    return _failure(ApiError(fault.status, fault.description))
