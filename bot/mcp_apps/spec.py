"""What an MCP server of ours is: a name, and tools that there are already."""

from dataclasses import dataclass
from typing import Any

from bot.mcp_apps.decorator import McpTool
from bot.tools.spec import ToolSpec


@dataclass(frozen=True, slots=True)
class McpAppSpec:
    """Served at `/mcp/<name>`. `instructions`: what a model on the other side is told about all of it.

    `tools` are built in anyway, `functions` come with this app. Both are granted, asked about and called in one way.
    """

    name: str
    title: str
    instructions: str
    tools: tuple[ToolSpec[Any], ...] = ()
    functions: tuple[McpTool, ...] = ()

    def __post_init__(self) -> None:
        strangers = [tool.spec.name for tool in self.functions if tool.server != self.name]
        if strangers:
            raise ValueError(f"these tools belong to another server than {self.name}: {', '.join(strangers)}")

    @property
    def specs(self) -> tuple[ToolSpec[Any], ...]:
        return (*self.tools, *(tool.spec for tool in self.functions))

    @property
    def names(self) -> frozenset[str]:
        return frozenset(spec.name for spec in self.specs)
