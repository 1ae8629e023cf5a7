"""What is served below `/mcp`: each app under its name and the alias `…/sse`, its health, and a list of them all."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from aiohttp import web

from bot.mcp_apps.bridge import Bridge
from bot.mcp_apps.door import Door
from bot.mcp_apps.server import PROBE, server
from bot.mcp_apps.spec import McpAppSpec
from bot.outsider import Outsider
from bot.supervisor import Crash, attempt

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
    bridge: Bridge


class Mounts:
    def __init__(
        self, apps: Sequence[McpAppSpec], outsider: Outsider, door: Door, backend_url: str, version: str
    ) -> None:
        """`backend_url`: where this service is reached."""
        self._mounts = [_Mount(app, Bridge(server(app, outsider, version), door.admit)) for app in apps]
        self._outsider = outsider
        self._url = backend_url

    async def start(self) -> None:
        for mount in self._mounts:
            await mount.bridge.start()

    async def stop(self) -> None:
        """First the calls come to their ends, then what is still open is closed."""
        await self._outsider.stop()
        for mount in self._mounts:
            await mount.bridge.stop()

    def routes(self) -> list[web.RouteDef]:
        """GET and DELETE are for sessions, and there are none."""
        made = [web.get(ROOT, self._root)]
        for mount in self._mounts:
            path = f"{ROOT}/{mount.app.name}"
            made.append(web.get(f"{path}/health", partial(self._health, mount)))
            made += [web.post(each, mount.bridge.serve) for each in (path, f"{path}/sse")]
        return made

    async def _root(self, _request: web.Request) -> web.Response:
        return _json(200, {"servers": [await self._told(mount) for mount in self._mounts]})

    async def _told(self, mount: _Mount) -> dict[str, Any]:
        url = f"{self._url}{ROOT}/{mount.app.name}"
        ok = (await _examined(mount)).get("ok", False)
        about = {"name": mount.app.name, "title": mount.app.title, "type": "streamable-http", "url": url}
        return about | {"health": f"{url}/health", "ok": ok}

    async def _health(self, mount: _Mount, _request: web.Request) -> web.Response:
        found = await _examined(mount)
        return _json(200 if found["ok"] else 503, {"name": mount.app.name, **found})


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
