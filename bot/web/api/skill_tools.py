"""Tools that a skill can name: the built-in ones, and those of MCP servers that are connected."""

from typing import Literal

from bot.inventory import Item
from bot.store.database import Tx
from bot.web.api.desk import Desk
from bot.web.api.endpoint import Asked, Endpoint, InTx, Nothing, Shown
from bot.web.api.paging import Page, Paged, listed


class SkillTool(Shown):
    """`specialist`: the worker that it belongs to; of an MCP tool, its server."""

    name: str
    capability_id: str
    source: Literal["builtin", "mcp"]
    server: str
    specialist: str
    description: str
    mutates_data: bool
    requires_confirmation: bool


def _tools(desk: Desk, tx: Tx, asked: Asked[Nothing, Paged, Nothing]) -> Page[SkillTool]:
    items = desk.admin.granter.inventory.everything(tx)
    tools = [_shown(item, item.source) for item in items if item.source != "skill" and not item.whole_server]
    return listed(tools, asked.query, lambda tool: tool, lambda tool: tool.capability_id)


def _shown(item: Item, source: Literal["builtin", "mcp"]) -> SkillTool:
    return SkillTool(
        name=item.name,
        capability_id=item.id,
        source=source,
        server=item.server,
        specialist=item.group,
        description=item.description,
        mutates_data=not item.capability.reads,
        requires_confirmation=item.capability.requires_confirmation,
    )


TOOLS = Endpoint(
    "GET",
    "/api/skills/tools",
    "The tools that a skill can name",
    "read",
    in_path=Nothing,
    in_query=Paged,
    in_body=Nothing,
    answer=Page[SkillTool],
    handler=InTx(_tools),
)
