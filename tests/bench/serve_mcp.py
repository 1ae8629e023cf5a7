"""`python -m tests.bench.serve_mcp ours|sdk`: one trivial tool, behind our bridge or under uvicorn as the SDK has it.

Both are stateless and answer as the SDK answers; only what stands before it differs. Prints its port.
"""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from aiohttp import web
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import CallToolRequestParams, CallToolResult, TextContent

from bot.mcp_apps.bridge import Bridge


async def called(_context: ServerRequestContext[Any, Any], _params: CallToolRequestParams) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text="ok")])


def server() -> Server[Any]:
    schema = {"type": "object"}
    return Server("bench", version="1", on_call_tool=called, get_tool_input_schema=lambda _name: schema)


async def ours(listening: socket.socket) -> None:
    bridge = Bridge(server(), _nobody)
    await bridge.start()
    app = web.Application()
    app.router.add_post("/mcp", bridge.serve)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.SockSite(runner, listening).start()
    await asyncio.Event().wait()


async def _nobody(_request: web.Request) -> dict[str, Any]:
    return {}


async def sdk(listening: socket.socket) -> None:
    manager = StreamableHTTPSessionManager(server(), stateless=True)

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with manager.run():
            yield

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await manager.handle_request(scope, receive, send)

    config = uvicorn.Config(app, http="h11", loop="asyncio", log_level="critical", access_log=False, lifespan="off")
    async with lifespan():
        await uvicorn.Server(config).serve([listening])


def main() -> None:
    # with its protocol named: asyncio turns Nagle's waiting off only for such
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(128)
    print(listening.getsockname()[1], flush=True)
    asyncio.run(ours(listening) if sys.argv[1] == "ours" else sdk(listening))


if __name__ == "__main__":
    main()
