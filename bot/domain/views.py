"""The grants as they are shown and asked for: the same rows, read by server, by persona, or all at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bot.domain.capability import Effect, Grant

Kind = Literal["skill", "tool", "mcp"]


@dataclass(frozen=True, slots=True)
class ServerGrant:
    """`authorized`: the persona may use the server, by its own place in the list or, where `is_global`, by everyone's."""

    name: str
    authorized: bool
    is_global: bool


@dataclass(frozen=True, slots=True)
class McpGrants:
    """`server_names`: whose list names the persona itself; `is_global`: whose list is `*`, which was left as it is."""

    server_names: tuple[str, ...]
    is_global: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PersonaName:
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class AssignedItem:
    """`default_assigned`: what a persona has of which the overrides say nothing. None where a field does not apply."""

    kind: Kind
    id: str
    name: str
    group: str
    builtin: bool
    default_assigned: bool
    description: str
    locked: bool
    enabled: bool | None = None
    trusted: bool | None = None
    allowed_persona_ids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class AssignmentsView:
    """`overrides`, by persona and capability: who has it although the default says no, or has not although it says yes;
    and whoever has a row of its own."""

    personas: tuple[PersonaName, ...]
    items: tuple[AssignedItem, ...]
    overrides: Mapping[str, Mapping[str, bool]]


@dataclass(frozen=True, slots=True)
class CapabilityView:
    """`row` decided it; None: the default did, and `default` says which in words. `reason`: why it cannot be used now."""

    capability_id: str
    source: str
    server: str
    name: str
    description: str
    effect: Effect
    confirms: bool
    row: Grant | None
    default: str
    mutates_data: bool
    requires_confirmation: bool
    available: bool
    reason: str


@dataclass(frozen=True, slots=True)
class CapabilitiesView:
    """`overrides`: the persona's own rows; for all of a server, its place in the list, absent where everyone has it."""

    persona_id: str
    capabilities: tuple[CapabilityView, ...]
    overrides: Mapping[str, bool]
