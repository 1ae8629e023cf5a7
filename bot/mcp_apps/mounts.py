"""What is served below `/mcp`: each app under its name and the alias `…/sse`, its health, and a list of them all."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from gettext import gettext as _
from importlib import import_module
from typing import TYPE_CHECKING, Any

from aiohttp import web

from bot.mcp_apps.door import PROBE, Door
from bot.mcp_apps.spec import McpAppSpec
from bot.outsider import Outsider
from bot.supervisor import Crash, attempt
from bot.web.errors import refused

if TYPE_CHECKING:
    from bot.mcp_apps.bridge import Bridge

ROOT = "/mcp"

_LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()
_HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
}


@dataclass(frozen=True, slots=True)
class _Mount:
    app: McpAppSpec
    bridge: "Bridge"


class Mounts:
    def __init__(
        self, apps: Sequence[McpAppSpec], outsider: Outsider, door: Door, backend_url: str, version: str
    ) -> None:
        """`backend_url`: where this service is reached."""
        self._apps = tuple(apps)
        self._outsider = outsider
        self._door = door
        self._url = backend_url
        self._version = version
        self._mounts: dict[str, _Mount] = {}
        self._opening = asyncio.Lock()
        self._stopping = False

    async def stop(self) -> None:
        """First the calls come to their ends, then what is still open is closed."""
        self._stopping = True
        await self._outsider.stop()
        for mount in self._mounts.values():
            await mount.bridge.stop()

    def routes(self) -> list[web.RouteDef]:
        """GET and DELETE are for sessions, and there are none."""
        made = [web.get(ROOT, self._root)]
        for app in self._apps:
            path = f"{ROOT}/{app.name}"
            made.append(web.get(f"{path}/health", partial(self._health, app)))
            made += [web.post(each, partial(self._serve, app)) for each in (path, f"{path}/sse")]
        return made

    async def _opened(self, app: McpAppSpec) -> _Mount:
        """Opened by whoever calls first: the SDK takes a second and some 45 MB, which a service that nobody calls over MCP
        need not spend."""
        async with self._opening:
            if app.name not in self._mounts:
                if self._stopping:
                    raise refused(503, "stopping", _("The service is stopping. Nothing was done."))
                room = await asyncio.to_thread(import_module, "bot.mcp_apps.server")
                bridge = room.bridged(app, self._outsider, self._version, self._door.admit)
                await bridge.start()
                self._mounts[app.name] = _Mount(app, bridge)
            return self._mounts[app.name]

    async def _serve(self, app: McpAppSpec, request: web.Request) -> web.StreamResponse:
        return await (await self._opened(app)).bridge.serve(request)

    async def _root(self, _request: web.Request) -> web.Response:
        return _json(200, {"servers": [await self._told(await self._opened(app)) for app in self._apps]})

    async def _told(self, mount: _Mount) -> dict[str, Any]:
        url = f"{self._url}{ROOT}/{mount.app.name}"
        ok = (await _examined(mount)).get("ok", False)
        about = {"name": mount.app.name, "title": mount.app.title, "type": "streamable-http", "url": url}
        return about | {"health": f"{url}/health", "ok": ok}

    async def _health(self, app: McpAppSpec, _request: web.Request) -> web.Response:
        found = await _examined(await self._opened(app))
        return _json(200 if found["ok"] else 503, {"name": app.name, **found})


async def _examined(mount: _Mount) -> dict[str, Any]:
    """A real tools/list, by the way that every request takes, with an identity that may call nothing."""
    begun = time.monotonic()
    done = await attempt(f"health of {mount.app.name}", mount.bridge.ask(_LIST, _HEADERS, {PROBE: True}))
    if isinstance(done, Crash) or done[0] != 200:
        return {"ok": False}
    names = _tools(done[1])
    return {"ok": names == mount.app.names, "tools": len(names), "elapsed_ms": round((time.monotonic() - begun) * 1000)}


def _tools(body: bytes) -> frozenset[str]:
    """The names in an answer that came as server-sent events."""
    data = [line.removeprefix(b"data:") for line in body.splitlines() if line.startswith(b"data:")]
    answers = [json.loads(each) for each in data if each.strip()]
    return frozenset(tool["name"] for each in answers if "result" in each for tool in each["result"]["tools"])


def _json(status: int, said: dict[str, Any]) -> web.Response:
    return web.json_response(said, status=status, headers={"Cache-Control": "no-store"})
