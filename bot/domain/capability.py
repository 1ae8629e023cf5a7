"""Who may use what: one pure decision that also names the row it came from."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Effect = Literal["deny", "ask", "allow", "auto"]
DefaultBuiltin = Literal["allow", "read", "none"]

DEFAULTS: tuple[DefaultBuiltin, ...] = ("allow", "read", "none")

EVERYONE = "*"

AUTO_AT_MOST_S = 24 * 3600
"""Without asking, a capability may be used for a day at most (contract, section 4)."""

_SERVER = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OF_SERVER = re.compile(r"mcp/([A-Za-z0-9_-]{1,64})/(.+)", re.DOTALL)


def is_server_name(name: str) -> bool:
    """May an MCP server be called so? Neither `/` nor `*`: a pattern names exactly one server."""
    return _SERVER.fullmatch(name) is not None


def server_pattern(server: str) -> str:
    """The pattern for everything that a server offers."""
    return f"mcp/{server}/*"


def server_of(capability_id: str) -> str | None:
    """The server that a tool of one, or the pattern for all of it, belongs to."""
    match = _OF_SERVER.fullmatch(capability_id)
    return None if match is None else match[1]


def pattern_server(capability_id: str) -> str | None:
    """The server, where this is the pattern for everything of one."""
    server = server_of(capability_id)
    return server if server is not None and capability_id == server_pattern(server) else None


@dataclass(frozen=True, slots=True)
class Grant:
    """A row: what `persona_id` (or everyone) may do with a capability (or all of a server's), until when, by whom.

    `before` is the JSON of what a row with an end has replaced: that holds again after it.
    """

    persona_id: str
    capability: str
    effect: Effect
    until: float | None
    reason: str
    made_by: str
    made_at: float
    before: str | None = None

    def holds(self, now: float) -> bool:
        return self.until is None or now < self.until

    def standing(self, now: float) -> "Grant | None":
        """What this row says at a time: itself until its end, then what it has replaced."""
        if self.holds(now):
            return self
        if self.before is None:
            return None
        return Grant(self.persona_id, self.capability, until=None, **json.loads(self.before))

    def denies(self, now: float) -> bool:
        row = self.standing(now)
        return row is not None and row.effect == "deny"

    def gives(self, now: float) -> bool:
        """Does it say something, and not deny?"""
        row = self.standing(now)
        return row is not None and row.effect != "deny"

    def replacing(self, earlier: "Grant | None", now: float) -> "Grant":
        """This row, where `earlier` stood: what has no end is not forgotten for what has one."""
        if self.until is None or earlier is None:
            return self
        kept = earlier.before
        if earlier.until is None:
            said = ("effect", "reason", "made_by", "made_at")
            kept = json.dumps({name: getattr(earlier, name) for name in said}, ensure_ascii=False)
        return replace(self, before=kept)


@dataclass(frozen=True, slots=True)
class Decision:
    """`confirms`: a person must agree to each call. `row` decided it; None: the default did."""

    effect: Effect
    confirms: bool
    row: Grant | None

    @property
    def granted(self) -> bool:
        return self.effect != "deny"


@dataclass(frozen=True, slots=True)
class Capability:
    """Something that can be granted: `builtin/<tool>`, `mcp/<server>/<tool>`, `mcp/<server>/*` or `skill/<name>`.

    `shipped`: a skill that comes with the house; built-in tools all do.
    """

    id: str
    reads: bool
    destructive: bool = False
    requires_confirmation: bool = False
    shipped: bool = False
    wildcard: str | None = field(init=False, compare=False, repr=False)
    """The pattern for everything of the same server, for tools of MCP servers."""
    by_default: "Mapping[DefaultBuiltin, Decision]" = field(init=False, compare=False, repr=False)
    """What holds where no row says anything: worked out once, since a persona has a thousand of them."""

    def __post_init__(self) -> None:
        server = server_of(self.id)
        object.__setattr__(self, "wildcard", None if server is None else server_pattern(server))
        effects = {default: _default(default, self) for default in DEFAULTS}
        decisions = {default: Decision(effect, _confirms(effect, self), None) for default, effect in effects.items()}
        object.__setattr__(self, "by_default", decisions)

    @property
    def builtin(self) -> bool:
        return self.shipped or self.id.startswith("builtin/")


class Grants:
    """Rows by whom and what they concern."""

    def __init__(self, rows: Iterable[Grant]) -> None:
        self._rows: dict[str, dict[str, Grant]] = {}
        for row in rows:
            self._rows.setdefault(row.persona_id, {})[row.capability] = row

    def of(self, persona_id: str) -> Mapping[str, Grant]:
        """A persona's own rows, or everyone's, by what they concern."""
        return self._rows.get(persona_id, {})

    def standing(self, persona_id: str, now: float) -> dict[str, Grant]:
        """What a persona's own rows, or everyone's, say now, by what they concern."""
        rows = ((pattern, row.standing(now)) for pattern, row in self.of(persona_id).items())
        return {pattern: row for pattern, row in rows if row is not None}

    def changed(self, row: Grant) -> "Grants":
        """With this row, instead of the one that it would replace."""
        made = Grants(())
        made._rows = self._rows | {row.persona_id: {**self.of(row.persona_id), row.capability: row}}
        return made

    def deciding(self, persona_id: str, capability: Capability, now: float) -> Grant | None:
        """The first row that holds: persona exact, persona wildcard, everyone exact, everyone wildcard."""
        for who in (persona_id, EVERYONE):
            rows = self._rows.get(who)
            if not rows:
                continue
            for pattern in (capability.id, capability.wildcard):
                row = rows.get(pattern) if pattern is not None else None
                row = None if row is None else row.standing(now)
                if row is not None:
                    return row
        return None


def decide(
    persona_id: str, default_builtin: DefaultBuiltin, capability: Capability, grants: Grants, now: float
) -> Decision:
    """What this persona may do with this capability at `now` (contract, section 4)."""
    row = grants.deciding(persona_id, capability, now)
    return capability.by_default[default_builtin] if row is None else _by(row, capability)


def decide_all(
    persona_id: str, default_builtin: DefaultBuiltin, capabilities: Iterable[Capability], grants: Grants, now: float
) -> list[Decision]:
    """The same of many at once: what of the rows stands now is found out once for all of them."""
    own, everyones = grants.standing(persona_id, now), grants.standing(EVERYONE, now)
    decisions = []
    for capability in capabilities:
        row = own.get(capability.id) or (own.get(capability.wildcard) if capability.wildcard else None)
        if row is None:
            row = everyones.get(capability.id) or (everyones.get(capability.wildcard) if capability.wildcard else None)
        decisions.append(capability.by_default[default_builtin] if row is None else _by(row, capability))
    return decisions


def of_newcomer(decision: Decision) -> Decision:
    """For a tool that came to its server after all of that was granted: it asks each time, until it is granted by itself,
    or all of the server anew."""
    by_whole = decision.row is not None and pattern_server(decision.row.capability) is not None
    return replace(decision, confirms=True) if by_whole else decision


def _by(row: Grant, capability: Capability) -> Decision:
    return Decision(row.effect, _confirms(row.effect, capability), row)


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
