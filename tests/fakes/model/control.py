"""The door for tests: script the server, wait for requests, read what came."""

from aiohttp import web
from pydantic import TypeAdapter

from tests.fakes.model.desk import Desk
from tests.fakes.model.script import Asked, Reply, Rule

_REPLIES = TypeAdapter(list[Reply])
_RULES = TypeAdapter(list[Rule])
_STANDING = TypeAdapter(Reply | None)
ASKED = TypeAdapter(list[Asked])


class Control:
    """JSON in, JSON out; every address is one verb of the client."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.add_routes(
            [
                web.post("/replies", self._replies),
                web.post("/rules", self._rules),
                web.post("/otherwise", self._otherwise),
                web.post("/release/{name}", self._release),
                web.post("/reset", self._reset),
                web.get("/requests", self._requests),
                web.get("/wait", self._wait),
            ]
        )
        return app

    async def _replies(self, request: web.Request) -> web.Response:
        self._desk.add_replies(_REPLIES.validate_json(await request.read()))
        return web.Response(status=204)

    async def _rules(self, request: web.Request) -> web.Response:
        self._desk.add_rules(_RULES.validate_json(await request.read()))
        return web.Response(status=204)

    async def _otherwise(self, request: web.Request) -> web.Response:
        self._desk.stand_by(_STANDING.validate_json(await request.read()))
        return web.Response(status=204)

    async def _release(self, request: web.Request) -> web.Response:
        await self._desk.release(request.match_info["name"])
        return web.Response(status=204)

    async def _reset(self, request: web.Request) -> web.Response:
        self._desk.reset()
        return web.Response(status=204)

    async def _requests(self, request: web.Request) -> web.Response:
        return web.Response(body=ASKED.dump_json(self._desk.asked), content_type="application/json")

    async def _wait(self, request: web.Request) -> web.Response:
        query = request.query
        there = await self._desk.wait(
            int(query["number"]), ended=query.get("ended") == "1", seconds=float(query.get("seconds", "10"))
        )
        return web.Response(status=204 if there else 408)
