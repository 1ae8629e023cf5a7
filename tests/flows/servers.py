"""An MCP server of the kit, used by a running service: entered through the API, and gone when the test ends."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp

from tests.fakes.mcp.kit import Kit, tool
from tests.flows.hearing import PATIENCE_S
from tests.flows.house import ADMIN_TOKEN, House

_NUMBERS = count(1)

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}

LOOK = tool("look", description="Looks at the shelf.", annotations={"readOnlyHint": True, "openWorldHint": False})
PUT = tool("put", description="Puts something on the shelf.") | {"inputSchema": TEXT}
TOOLS = [LOOK, PUT]


@dataclass(frozen=True, slots=True)
class Shelf:
    """`name` is the server's own in this test."""

    name: str
    kit: Kit
    house: House

    def alias(self, tool_name: str) -> str:
        return f"mcp__{self.name}__{tool_name}"

    def made(self, tool_name: str) -> list[dict[str, Any]]:
        """The arguments of each call of a tool that reached it."""
        return [call["arguments"] for call in self.kit.calls() if call["name"] == tool_name]

    async def reached(self, tool_name: str) -> None:
        """Until a call of it is there."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                if self.made(tool_name):
                    return
                await asyncio.sleep(0.02)  # a file that is written has no event to wait for

    async def api(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
        async with (
            aiohttp.ClientSession(headers=headers) as program,
            program.request(method, f"{self.house.url}api/mcp/servers{path}", json=body) as answer,
        ):
            assert answer.status < 300, await answer.text()
            return await answer.json() if answer.status != 204 else None

    async def retell(self, **plan: Any) -> None:
        """The server tells of other tools from now on."""
        self.kit.plan(**plan)
        await self.api("POST", f"/{self.name}/reload")


@asynccontextmanager
async def shelf(house: House, folder: Path, **plan: Any) -> AsyncIterator[Shelf]:
    """Connected, and granted to nobody."""
    kit = Kit.make(folder / "shelf", **({"tools": TOOLS} | plan))
    server = Shelf(f"shelf{next(_NUMBERS)}", kit, house)
    await server.api("POST", "", {"name": server.name, **kit.spec})
    try:
        told = await server.api("POST", f"/{server.name}/reload")  # answers when it is connected
        assert told["status"]["state"] == "connected", told
        yield server
    finally:
        await server.api("DELETE", f"/{server.name}")


SHELF_NAME = {
    "type": "object",
    "properties": {"where": {"type": "string", "title": "Which shelf"}},
    "required": ["where"],
}
ASKS = {
    "do": "ask",
    "method": "elicitation/create",
    "params": {"message": "I must know where.", "requestedSchema": SHELF_NAME},
}
"""What a call of a tool does that asks whoever it is made for, in the middle of it."""
