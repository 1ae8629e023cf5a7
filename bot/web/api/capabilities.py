"""What one persona may use, and why: its capabilities, its overrides, its place in the lists of MCP servers."""

from typing import Annotated, Literal

from pydantic import Field

from bot.domain.capability import Effect, Grant
from bot.domain.views import CapabilitiesView, CapabilityView, ServerGrant
from bot.store.database import Tx
from bot.web.api.desk import Desk
from bot.web.api.endpoint import Asked, ById, Endpoint, Given, InTx, Nothing, Shown
from bot.web.api.values import CapabilityId, Name


class DecidedByRow(Shown):
    """The row of the grants that decided it. `until` null: without an end."""

    kind: Literal["row"] = "row"
    persona_id: str
    capability: str
    effect: Effect
    until: float | None
    reason: str
    made_by: str
    made_at: float


class DecidedByDefault(Shown):
    kind: Literal["default"] = "default"
    reason: str


class CapabilityShown(Shown):
    """`confirms`: each call asks. `reason`: why nobody can use it now, empty where it is `available`."""

    capability_id: str
    source: str
    server: str
    name: str
    description: str
    effect: Effect
    confirms: bool
    decided_by: Annotated[DecidedByRow | DecidedByDefault, Field(discriminator="kind")]
    mutates_data: bool
    requires_confirmation: bool
    available: bool
    reason: str


class CapabilitiesShown(Shown):
    """`overrides`: what the persona has of its own, by capability."""

    persona_id: str
    capabilities: list[CapabilityShown]
    overrides: dict[str, bool]


class Overrides(Given):
    """true: it may; false: it may not; null: what holds for everyone, or the default, holds again."""

    overrides: Annotated[dict[CapabilityId, bool | None], Field(json_schema_extra={"additionalProperties": False})]


class McpGrantShown(Shown):
    """`authorized`: the persona may use it; `global`: because everyone may."""

    name: str
    authorized: bool
    is_global: Annotated[bool, Field(alias="global")]


class McpGrantsShown(Shown):
    servers: list[McpGrantShown]


class McpGrantsGiven(Given):
    server_names: list[Name]


class McpGrantsChanged(Shown):
    """`global`: servers that everyone may use, left as they are. PATCH /api/capabilities/assignments takes one persona off."""

    server_names: list[str]
    is_global: Annotated[list[str], Field(alias="global")]


def _shown(view: CapabilitiesView) -> CapabilitiesShown:
    return CapabilitiesShown(
        persona_id=view.persona_id,
        capabilities=[_capability(each) for each in view.capabilities],
        overrides=dict(view.overrides),
    )


def _capability(view: CapabilityView) -> CapabilityShown:
    return CapabilityShown(
        capability_id=view.capability_id,
        source=view.source,
        server=view.server,
        name=view.name,
        description=view.description,
        effect=view.effect,
        confirms=view.confirms,
        decided_by=_row(view.row) if view.row is not None else DecidedByDefault(reason=view.default),
        mutates_data=view.mutates_data,
        requires_confirmation=view.requires_confirmation,
        available=view.available,
        reason=view.reason,
    )


def _row(row: Grant) -> DecidedByRow:
    return DecidedByRow(
        persona_id=row.persona_id,
        capability=row.capability,
        effect=row.effect,
        until=row.until,
        reason=row.reason,
        made_by=row.made_by,
        made_at=row.made_at,
    )


def _server(grant: ServerGrant) -> McpGrantShown:
    return McpGrantShown.model_validate({"name": grant.name, "authorized": grant.authorized, "global": grant.is_global})


def _look(desk: Desk, tx: Tx, asked: Asked[ById, Nothing, Nothing]) -> CapabilitiesShown:
    return _shown(desk.admin.assignments.capabilities(tx, asked.path.id, asked.now))


def _override(desk: Desk, tx: Tx, asked: Asked[ById, Nothing, Overrides]) -> CapabilitiesShown:
    desk.admin.assignments.put_overrides(tx, asked.path.id, asked.body.overrides, asked.by.who, asked.now)
    return _shown(desk.admin.assignments.capabilities(tx, asked.path.id, asked.now))


def _mcp_grants(desk: Desk, tx: Tx, asked: Asked[ById, Nothing, Nothing]) -> McpGrantsShown:
    found = desk.admin.assignments.mcp_grants(tx, asked.path.id, asked.now)
    return McpGrantsShown(servers=[_server(grant) for grant in found])


def _put_mcp_grants(desk: Desk, tx: Tx, asked: Asked[ById, Nothing, McpGrantsGiven]) -> McpGrantsChanged:
    named = asked.body.server_names
    changed = desk.admin.assignments.put_mcp_grants(tx, asked.path.id, named, asked.by.who, asked.now)
    return McpGrantsChanged.model_validate(
        {"server_names": list(changed.server_names), "global": list(changed.is_global)}
    )


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/personas/{id}/capabilities",
        "What a persona may use, and by which row",
        "read",
        in_path=ById,
        in_query=Nothing,
        in_body=Nothing,
        answer=CapabilitiesShown,
        handler=InTx(_look),
    ),
    Endpoint(
        "PUT",
        "/api/personas/{id}/capabilities",
        "Set or clear overrides of a persona",
        "admin",
        in_path=ById,
        in_query=Nothing,
        in_body=Overrides,
        answer=CapabilitiesShown,
        handler=InTx(_override),
    ),
    Endpoint(
        "GET",
        "/api/personas/{id}/mcp-grants",
        "Which MCP servers a persona may use",
        "read",
        in_path=ById,
        in_query=Nothing,
        in_body=Nothing,
        answer=McpGrantsShown,
        handler=InTx(_mcp_grants),
    ),
    Endpoint(
        "PUT",
        "/api/personas/{id}/mcp-grants",
        "Say which MCP servers name this persona in their list",
        "admin",
        in_path=ById,
        in_query=Nothing,
        in_body=McpGrantsGiven,
        answer=McpGrantsChanged,
        handler=InTx(_put_mcp_grants),
    ),
)
