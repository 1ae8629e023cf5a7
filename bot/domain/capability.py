"""Who may use what: one pure decision that also names the row it came from."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Effect = Literal["deny", "ask", "allow", "auto"]
DefaultBuiltin = Literal["allow", "read", "none"]

EVERYONE = "*"

AUTO_AT_MOST_S = 24 * 3600
"""Without asking, a capability may be used for a day at most (contract, section 4)."""


@dataclass(frozen=True, slots=True)
class Capability:
    """Something that can be granted: `builtin/<tool>`, `mcp/<server>/<tool>` or `skill/<name>`."""

    id: str
    reads: bool
    destructive: bool = False
    requires_confirmation: bool = False

    @property
    def builtin(self) -> bool:
        return self.id.startswith("builtin/")

    @property
    def wildcard(self) -> str | None:
        """The pattern for everything of the same server, for tools of MCP servers."""
        source, _, rest = self.id.partition("/")
        server, _, tool = rest.partition("/")
        return f"mcp/{server}/*" if source == "mcp" and tool else None


@dataclass(frozen=True, slots=True)
class Grant:
    """A row: what `persona_id` (or everyone) may do with a capability (or all of a server's), until when, by whom."""

    persona_id: str
    capability: str
    effect: Effect
    until: float | None
    reason: str
    made_by: str
    made_at: float

    def holds(self, now: float) -> bool:
        return self.until is None or now < self.until


@dataclass(frozen=True, slots=True)
class Decision:
    """`confirms`: a person must agree to each call. `row` decided it; None: the default did."""

    effect: Effect
    confirms: bool
    row: Grant | None

    @property
    def granted(self) -> bool:
        return self.effect != "deny"


class Grants:
    """Rows by whom and what they concern."""

    def __init__(self, rows: Iterable[Grant]) -> None:
        self._rows = {(row.persona_id, row.capability): row for row in rows}

    def deciding(self, persona_id: str, capability: Capability, now: float) -> Grant | None:
        """The first row that holds: persona exact, persona wildcard, everyone exact, everyone wildcard."""
        wildcard = capability.wildcard
        patterns = (capability.id,) if wildcard is None else (capability.id, wildcard)
        for who in (persona_id, EVERYONE):
            for pattern in patterns:
                row = self._rows.get((who, pattern))
                if row is not None and row.holds(now):
                    return row
        return None


def decide(
    persona_id: str, default_builtin: DefaultBuiltin, capability: Capability, grants: Grants, now: float
) -> Decision:
    """What this persona may do with this capability at `now` (contract, section 4)."""
    row = grants.deciding(persona_id, capability, now)
    effect = row.effect if row is not None else _default(default_builtin, capability)
    return Decision(effect, _confirms(effect, capability), row)


def _default(default_builtin: DefaultBuiltin, capability: Capability) -> Effect:
    if not capability.builtin or default_builtin == "none":
        return "deny"
    if default_builtin == "read" and not capability.reads:
        return "deny"
    return "allow"


def _confirms(effect: Effect, capability: Capability) -> bool:
    if effect == "auto":
        return capability.destructive
    return effect == "ask" or capability.requires_confirmation or not capability.reads
