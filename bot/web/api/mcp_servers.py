"""MCP servers: what there is, how it is with each, and what each may be used by."""

from gettext import gettext as _
from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import Field, ValidationError

from bot.config.masking import NothingStored, masked, masked_url, same_origin, unmasked
from bot.config.mcp import McpServerConfig
from bot.connector import spec_of, stored_form
from bot.errors import Impossible
from bot.mcp_client.spoken import Definition
from bot.store import mcp_servers
from bot.store.database import Tx
from bot.store.mcp_servers import Server
from bot.web.api.desk import Desk
from bot.web.api.endpoint import Apart, Asked, ByName, Endpoint, Given, InTx, Nothing, Shown
from bot.web.api.paging import Page, Paged, listed
from bot.web.api.reading import unfit
from bot.web.api.values import NO_NUL
from channels.config import MASK

Word = Annotated[str, Field(max_length=8_192, pattern=NO_NUL)]
Argument = Annotated[str, Field(max_length=2_000, pattern=NO_NUL)]
"""Of a command: as many as there may be fit into the largest body that is read."""
Pairs = dict[Annotated[str, Field(min_length=1, max_length=256, pattern=NO_NUL)], Word]
Transport = Literal["stdio", "sse", "streamable_http", "streamable-http", "http"]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


class Timeouts(Given):
    start_s: Seconds = 60
    idle_s: Seconds = 60
    call_s: Seconds = 300


class ServerGiven(Given):
    """As in the block `mcpServers` of the configuration. A value of env or headers that is the mask keeps what is stored;
    `${NAME}` is filled in from the environment when the server is connected. Null, or left out: as it is, or the default."""

    transport: Transport | None = None
    type: Transport | None = None
    command: Word | None = None
    args: Annotated[list[Argument], Field(max_length=256)] | None = None
    env: Pairs | None = None
    cwd: Word | None = None
    url: Word | None = None
    headers: Pairs | None = None
    enabled: bool | None = None
    description: Word | None = None
    trust_hints: bool | None = None
    allow_private: bool | None = None
    protocol: Literal["auto", "legacy"] | None = None
    timeouts: Timeouts | None = None


class NewServer(ServerGiven):
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    allowed_persona_ids: list[Annotated[str, Field(max_length=32)]] = Field(default_factory=list)


class List(Given):
    """`*`: every persona, also those that are made later."""

    allowed_persona_ids: list[Annotated[str, Field(max_length=32)]]


class StatusShown(Shown):
    state: Literal["disabled", "starting", "connected", "error"]
    tools: int
    error: str
    exit_code: int | None
    stderr_tail: str
    since: float
    rejected: list[str]


class ServerShown(Shown):
    """Values of env and headers are masked, but for those that only name a variable. `proposed_by`: the skill that wishes
    for it, until an admin accepts it by enabling it."""

    name: str
    transport: str
    command: str
    args: list[str]
    env: dict[str, str]
    cwd: str
    url: str
    headers: dict[str, str]
    enabled: bool
    description: str
    allowed_persona_ids: list[str]
    trust_hints: bool
    allow_private: bool
    protocol: str
    timeouts: dict[str, float]
    proposed_by: str | None
    status: StatusShown


class ToolTold(Shown):
    name: str
    description: str
    mutates_data: bool
    requires_confirmation: bool


class Tested(Shown):
    ok: bool
    tools: list[ToolTold]
    error: str
    elapsed_ms: int


class ToolShown(ToolTold):
    """A tool of a server that is connected."""

    server: str
    capability_id: str


def _all(desk: Desk, tx: Tx, asked: Asked[Nothing, Paged, Nothing]) -> Page[ServerShown]:
    every = [server for server in mcp_servers.everything(tx) if _readable(server)]
    return listed(every, asked.query, lambda each: _shown(desk, tx, each, asked.now), lambda each: each.name)


def _one(desk: Desk, tx: Tx, asked: Asked[ByName, Nothing, Nothing]) -> ServerShown:
    return _shown(desk, tx, desk.admin.registrar.server(tx, asked.path.name), asked.now)


async def _make(desk: Desk, asked: Asked[Nothing, Nothing, NewServer], _request: web.Request) -> ServerShown:
    given = asked.body.model_dump(exclude_none=True, exclude={"name", "allowed_persona_ids"})
    spec = _spec(given, None)
    made = Server(asked.body.name, stored_form(spec), spec.enabled, None, asked.by.who, asked.now)
    await desk.store.tx(_enter, desk, made, asked.body.allowed_persona_ids, asked.by.who, asked.now)
    await desk.connector.settle(made.name)
    return await _now(desk, made.name, asked.now)


def _enter(tx: Tx, desk: Desk, server: Server, allowed: list[str], by: str, now: float) -> None:
    desk.admin.registrar.add_server(tx, server, by, now)
    if allowed:
        desk.admin.assignments.set_allowed(tx, server.name, allowed, by, now)


async def _change(desk: Desk, asked: Asked[ByName, Nothing, ServerGiven], _request: web.Request) -> ServerShown:
    await desk.store.tx(_amend, desk, asked)
    await desk.connector.settle(asked.path.name)
    return await _now(desk, asked.path.name, asked.now)


def _amend(tx: Tx, desk: Desk, asked: Asked[ByName, Nothing, ServerGiven]) -> None:
    before = desk.admin.registrar.server(tx, asked.path.name)
    spec = _spec(asked.body.model_dump(exclude_none=True), _understood(before))
    desk.admin.registrar.respecify_server(tx, before.name, stored_form(spec), asked.by.who, asked.now)
    if asked.body.enabled is not None:
        desk.admin.registrar.switch_server(tx, before.name, asked.body.enabled, asked.by.who, asked.now)


async def _delete(desk: Desk, asked: Asked[ByName, Nothing, Nothing], _request: web.Request) -> Nothing:
    await desk.store.tx(desk.admin.registrar.delete_server, asked.path.name, asked.by.who, asked.now)
    await desk.connector.settle(asked.path.name)
    return Nothing()


async def _enable(desk: Desk, asked: Asked[ByName, Nothing, Nothing], _request: web.Request) -> ServerShown:
    return await _switch(desk, asked, True)


async def _disable(desk: Desk, asked: Asked[ByName, Nothing, Nothing], _request: web.Request) -> ServerShown:
    return await _switch(desk, asked, False)


async def _switch(desk: Desk, asked: Asked[ByName, Nothing, Nothing], enabled: bool) -> ServerShown:
    name = asked.path.name
    await desk.store.tx(_turn, desk, asked, enabled)
    await desk.connector.settle(name)
    return await _now(desk, name, asked.now)


def _turn(tx: Tx, desk: Desk, asked: Asked[ByName, Nothing, Nothing], enabled: bool) -> None:
    _understood(desk.admin.registrar.server(tx, asked.path.name))
    desk.admin.registrar.switch_server(tx, asked.path.name, enabled, asked.by.who, asked.now)


async def _reload(desk: Desk, asked: Asked[ByName, Nothing, Nothing], _request: web.Request) -> ServerShown:
    server = await desk.store.light(desk.admin.registrar.server, asked.path.name)
    if not server.enabled:
        words = _("{name} is disabled, so there is nothing to reload. Enable it first.")
        raise Impossible(words.format(name=server.name), "server_disabled", "name")
    await desk.connector.reload(server.name)
    return await _now(desk, server.name, asked.now)


async def _test(desk: Desk, asked: Asked[ByName, Nothing, Nothing], _request: web.Request) -> Tested:
    server = await desk.store.light(desk.admin.registrar.server, asked.path.name)
    spec = _understood(server)
    if not server.registered:
        words = _("{name} is only proposed by a skill: nothing of it runs until it is accepted. Nothing was done.")
        raise Impossible(words.format(name=server.name), "server_proposed", "name")
    result = await desk.connector.test(spec)
    tools = [_told(each, spec.trust_hints) for each in result.definitions]
    return Tested(ok=result.ok, tools=tools, error=result.error, elapsed_ms=result.elapsed_ms)


def _grants(desk: Desk, tx: Tx, asked: Asked[ByName, Nothing, List]) -> ServerShown:
    desk.admin.assignments.set_allowed(tx, asked.path.name, asked.body.allowed_persona_ids, asked.by.who, asked.now)
    return _shown(desk, tx, desk.admin.registrar.server(tx, asked.path.name), asked.now)


def _tools(desk: Desk, tx: Tx, asked: Asked[Nothing, Paged, Nothing]) -> Page[ToolShown]:
    inventory = desk.admin.granter.inventory
    tools = [
        ToolShown(
            server=item.server,
            capability_id=item.id,
            name=item.name,
            description=item.description,
            mutates_data=not item.capability.reads,
            requires_confirmation=item.capability.requires_confirmation,
        )
        for item in inventory.everything(tx)
        if item.source == "mcp" and not item.whole_server and item.available
    ]
    return listed(tools, asked.query, lambda tool: tool, lambda tool: tool.capability_id)


def _told(definition: Definition, trusted: bool) -> ToolTold:
    reads = trusted and definition.hints.read_only is True
    about = definition.description or definition.title
    return ToolTold(name=definition.name, description=about, mutates_data=not reads, requires_confirmation=not reads)


def _spec(given: dict[str, Any], stored: McpServerConfig | None) -> McpServerConfig:
    """What is given, over what is stored. Raises Refused."""
    if "type" in given and "transport" not in given:
        given["transport"] = given.pop("type")
    before = {} if stored is None else stored.model_dump(exclude_defaults=True)
    if stored is not None and "transport" in given:
        before = _of_any_transport(before)
    if stored is not None and "url" in given and _leads_elsewhere(given["url"], stored.url):
        before.pop("headers", None)
        if MASK in given.get("headers", {}).values():
            words = _("The url leads to another host, so headers must be said anew. Nothing changed.")
            raise Impossible(words, "headers_elsewhere", "headers")
    try:
        return unmasked(McpServerConfig.model_validate({**before, **given}), stored)
    except ValidationError as error:
        raise unfit(error) from error
    except NothingStored as error:
        raise Impossible(str(error), "nothing_stored", error.key) from error


def _leads_elsewhere(url: str, stored: str) -> bool:
    """A secret that was given for one host is not carried to another."""
    return url != masked_url(stored) and not same_origin(url, stored)


def _of_any_transport(spec: dict[str, Any]) -> dict[str, Any]:
    """Without what only one way of reaching a server has: who changes the way says the rest anew."""
    only = ("transport", "command", "args", "env", "cwd", "url", "headers")
    return {key: value for key, value in spec.items() if key not in only}


async def _now(desk: Desk, name: str, now: float) -> ServerShown:
    return await desk.store.light(_found, desk, name, now)


def _found(tx: Tx, desk: Desk, name: str, now: float) -> ServerShown:
    return _shown(desk, tx, desk.admin.registrar.server(tx, name), now)


def _readable(server: Server) -> bool:
    """What a skill wished for may make no sense."""
    try:
        spec_of(server)
    except ValidationError:
        return False
    return True


def _understood(server: Server) -> McpServerConfig:
    """Raises Impossible for one that makes no sense."""
    try:
        return spec_of(server)
    except ValidationError as error:
        words = _(
            "What is stored of the MCP server {name} cannot be understood. Nothing was done. Delete it, or its skill."
        )
        raise Impossible(words.format(name=server.name), "not_understood", "name") from error


def _shown(desk: Desk, tx: Tx, server: Server, now: float) -> ServerShown:
    shown = masked(_understood(server))
    status = desk.connector.status(server)
    allowed = desk.admin.assignments.allowed(tx, server.name, now) if server.registered else []
    return ServerShown(
        **{name: shown[name] for name in ServerShown.model_fields if name in shown and name != "enabled"},
        name=server.name,
        enabled=server.enabled,
        allowed_persona_ids=allowed,
        proposed_by=server.proposed_by,
        status=StatusShown(
            state=status.state,
            tools=status.tools,
            error=status.error,
            exit_code=status.exit_code,
            stderr_tail=status.stderr_tail,
            since=status.since,
            rejected=list(status.rejected),
        ),
    )


def _post(verb: str, summary: str, do: Any, answer: Any) -> Endpoint[ByName, Nothing, Nothing, Any]:
    return Endpoint(
        "POST",
        f"/api/mcp/servers/{{name}}/{verb}",
        summary,
        "admin",
        in_path=ByName,
        in_query=Nothing,
        in_body=Nothing,
        answer=answer,
        handler=Apart(do),
    )


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/mcp/servers",
        "The MCP servers",
        "read",
        in_path=Nothing,
        in_query=Paged,
        in_body=Nothing,
        answer=Page[ServerShown],
        handler=InTx(_all),
    ),
    Endpoint(
        "POST",
        "/api/mcp/servers",
        "Make an MCP server; one that is enabled is connected, which is not waited for",
        "admin",
        in_path=Nothing,
        in_query=Nothing,
        in_body=NewServer,
        answer=ServerShown,
        handler=Apart(_make),
        status=201,
        refusals=(409,),
    ),
    Endpoint(
        "GET",
        "/api/mcp/servers/{name}",
        "One MCP server",
        "read",
        in_path=ByName,
        in_query=Nothing,
        in_body=Nothing,
        answer=ServerShown,
        handler=InTx(_one),
    ),
    Endpoint(
        "PATCH",
        "/api/mcp/servers/{name}",
        "Change an MCP server; with another transport all that belongs to one is said anew",
        "admin",
        in_path=ByName,
        in_query=Nothing,
        in_body=ServerGiven,
        answer=ServerShown,
        handler=Apart(_change),
    ),
    Endpoint(
        "DELETE",
        "/api/mcp/servers/{name}",
        "Delete an MCP server with its grants; its process is gone when this answers",
        "admin",
        in_path=ByName,
        in_query=Nothing,
        in_body=Nothing,
        answer=Nothing,
        handler=Apart(_delete),
        status=204,
    ),
    _post("enable", "Connect it; one that a skill wished for is accepted", _enable, ServerShown),
    _post("disable", "Call nothing of it any more; its process is gone when this answers", _disable, ServerShown),
    _post("reload", "Let it go and connect it anew", _reload, ServerShown),
    _post("test", "Connect it for once, whether it is enabled or not", _test, Tested),
    Endpoint(
        "PATCH",
        "/api/mcp/servers/{name}/grants",
        "Who may use it, exactly",
        "admin",
        in_path=ByName,
        in_query=Nothing,
        in_body=List,
        answer=ServerShown,
        handler=InTx(_grants),
    ),
    Endpoint(
        "GET",
        "/api/mcp/tools",
        "The tools of the servers that are connected",
        "read",
        in_path=Nothing,
        in_query=Paged,
        in_body=Nothing,
        answer=Page[ToolShown],
        handler=InTx(_tools),
    ),
)
