"""A decorated function is offered, granted, asked about and called like every tool."""

import asyncio

from bot.mcp_apps.decorator import TaskTokenInfo, mcp_tool
from bot.mcp_apps.spec import McpAppSpec
from bot.store.database import Store
from tests.bot.parts import BOB, GUIDE
from tests.mcp_apps.stall import open_stall, said

DONE: list[str] = []


@mcp_tool("who_asks", "Says for whom the token speaks.", "example", mutates_data=False)
async def who_asks(token_info: TaskTokenInfo) -> dict[str, str]:
    return {"user": token_info.user, "persona": token_info.persona_id}


@mcp_tool("create_item", "Makes an item.", "example", param_renames={"title": "name"})
def create_item(token_info: TaskTokenInfo, title: str) -> str:
    DONE.append(f"{title} for {token_info.user}")
    return "made"


@mcp_tool("broken", "Breaks.", "example", mutates_data=False)
def broken(token_info: TaskTokenInfo) -> str:
    raise RuntimeError("the secret of the database")


EXAMPLE = McpAppSpec("example", "An example", "Tried.", functions=(who_asks, create_item, broken))


async def test_functions_take_the_way_of_every_tool(store: Store) -> None:
    DONE.clear()
    async with open_stall(store, (EXAMPLE,)) as stall:
        token = await stall.token()
        assert await stall.names("example", token) == ["who_asks", "create_item", "broken"]
        who = await stall.call("example", token, "who_asks")
        assert said(who) == f'{{"user":"{BOB.id}","persona":"{GUIDE.id}"}}'
        call = asyncio.create_task(stall.call("example", token, "create_item", {"name": "chair"}))
        approval = await stall.card()
        assert approval.capability_id == "builtin/create_item"
        assert DONE == []
        await stall.decide(approval, approve=True)
        assert said(await call) == "made"
        assert [f"chair for {BOB.id}"] == DONE
        result = await stall.call("example", token, "broken")
        assert result.is_error
        assert "err_" in said(result)
        assert "secret" not in said(result)
        narrowed = await stall.token("builtin/who_asks")
        assert await stall.names("example", narrowed) == ["who_asks"]
