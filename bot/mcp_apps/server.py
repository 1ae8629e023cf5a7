"""One app → a server of the SDK: lists what the request's token may use, and calls it through the house."""

from collections.abc import Callable
from typing import Any

from mcp.server import ServerRequestContext
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as Listed

from bot.caller import Outcome
from bot.domain.task_token import TaskToken
from bot.mcp_apps.bridge import Bridge, Extra
from bot.mcp_apps.door import PROBE, WHO
from bot.mcp_apps.spec import McpAppSpec
from bot.outsider import Outsider, Told
from bot.tools.tool import Tool, built_in

Context = ServerRequestContext[Any, Any]


def bridged(app: McpAppSpec, outsider: Outsider, version: str, admit: Extra) -> Bridge:
    """Behind HTTP, for whoever `admit` lets in."""
    return Bridge(server(app, outsider, version), admit)


def server(app: McpAppSpec, outsider: Outsider, version: str) -> Server[Any]:
    schemas = {spec.name: spec.schema() for spec in app.specs}
    everything = tuple(built_in(spec) for spec in app.specs)

    async def listed(context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        scope = context.request.scope if context.request is not None else {}
        if scope.get(PROBE) or _token(context).lists_only:
            return ListToolsResult(tools=[_listed(tool) for tool in everything])
        return ListToolsResult(tools=[_listed(tool) for tool in await outsider.offered(_token(context), app.names)])

    async def called(context: Context, params: CallToolRequestParams) -> CallToolResult:
        told = _progress(context)
        outcome = await outsider.call(_token(context), app.names, params.name, params.arguments or {}, told)
        if outcome is None:
            raise _no_such_tool(params.name)
        return _result(outcome)

    find: Callable[[str], Any] = schemas.get
    return Server(
        f"askfirst-{app.name}",
        version=version,
        title=app.title,
        instructions=app.instructions,
        cache_hints={"tools/list": CacheHint(ttl_ms=0, scope="private")},
        get_tool_input_schema=find,
        on_list_tools=listed,
        on_call_tool=called,
    )


def _token(context: Context) -> TaskToken:
    """Raises MCPError for a request that came without one, which the bridge lets none."""
    scope = context.request.scope if context.request is not None else {}
    token = scope.get(WHO)
    if not isinstance(token, TaskToken):
        raise MCPError(INVALID_PARAMS, "This request has no token. Nothing was done.")
    return token


def _no_such_tool(name: str) -> MCPError:
    return MCPError(INVALID_PARAMS, f"Unknown tool: {name[:64]}. Nothing was done.")


def _progress(context: Context) -> Told:
    """Steps are counted: how much is left nobody knows. Whoever asked for no progress hears none."""
    steps = 0

    async def told(waits_for: str) -> None:
        nonlocal steps
        steps += 1
        await context.session.report_progress(float(steps), None, waits_for)

    return told


def _listed(tool: Tool) -> Listed:
    return Listed(
        name=tool.name,
        description=tool.description,
        input_schema=tool.schema,
        annotations=ToolAnnotations(
            read_only_hint=not tool.mutates_data,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.repeatable,
            open_world_hint=False,
        ),
    )


def _result(outcome: Outcome) -> CallToolResult:
    """The failure's code is beside the words, for programs."""
    content = [TextContent(type="text", text=outcome.text)]
    if outcome.failure is None:
        return CallToolResult(content=[*content], is_error=False)
    return CallToolResult(content=[*content], is_error=True, _meta={"askfirst/failure": outcome.failure})
