"""The views of the grants: the list of each server, a persona's overrides, who has what assigned. Each is read off the
rows, and written through them."""

from collections.abc import Collection, Mapping, Sequence
from gettext import gettext as _

from bot.domain import lists
from bot.domain.capability import (
    EVERYONE,
    Decision,
    Grants,
    decide_all,
    pattern_server,
    server_of,
    server_pattern,
)
from bot.domain.persona import Persona
from bot.domain.views import (
    AssignedItem,
    AssignmentsView,
    CapabilitiesView,
    CapabilityView,
    Kind,
    McpGrants,
    PersonaName,
    ServerGrant,
)
from bot.errors import Impossible, Unknown
from bot.granter import Granter
from bot.inventory import Inventory, Item
from bot.store import grants, personas
from bot.store.database import Tx

NOBODY = Persona("", "", "", "", "direct", "allow")
"""A persona that is made later: it has only what everyone has."""


class Assignments:
    def __init__(self, inventory: Inventory, granter: Granter) -> None:
        self._inventory = inventory
        self._granter = granter

    # The list of a server

    def allowed(self, tx: Tx, server: str, now: float) -> list[str]:
        """Who may use it; `*` first where everyone may. Raises Unknown."""
        self._server(tx, server, "name")
        pattern = server_pattern(server)
        return lists.allowed(grants.of_pattern(tx, pattern), pattern, now)

    def set_allowed(self, tx: Tx, server: str, persona_ids: Collection[str], by: str, now: float) -> list[str]:
        """Make the list say exactly this. Raises Unknown, and then nothing changed."""
        grants.hold(tx)
        self._server(tx, server, "name")
        self._known(tx, persona_ids, "allowed_persona_ids")
        self._granter.relist(tx, server, persona_ids, by, now)
        return self.allowed(tx, server, now)

    # A persona's place in the lists

    def mcp_grants(self, tx: Tx, persona_id: str, now: float) -> list[ServerGrant]:
        """Of each registered server. Raises Unknown."""
        self._persona(tx, persona_id)
        rows = grants.of(tx, persona_id)
        found = []
        for name in self._inventory.servers(tx):
            own, is_global = (_gives(rows, who, server_pattern(name), now) for who in (persona_id, EVERYONE))
            found.append(ServerGrant(name, own or is_global, is_global))
        return found

    def put_mcp_grants(self, tx: Tx, persona_id: str, server_names: Collection[str], by: str, now: float) -> McpGrants:
        """Let the lists of these servers name the persona, and no others. One that is `*` stays exactly as it is. Raises
        Unknown, and then nothing changed."""
        grants.hold(tx)
        self._persona(tx, persona_id)
        for name in server_names:
            self._server(tx, name, "server_names")
        named, is_global = [], []
        for name in self._inventory.servers(tx):
            pattern = server_pattern(name)
            rows = grants.of(tx, persona_id)
            own = _gives(rows, persona_id, pattern, now)
            if _gives(rows, EVERYONE, pattern, now):
                is_global.append(name)
                named += [name] if own else []
                continue
            if name in server_names:
                self._granter.give(tx, persona_id, pattern, by, now)
                named.append(name)
            elif own:
                self._granter.take(tx, persona_id, pattern, by, now)
        return McpGrants(tuple(named), tuple(is_global))

    # Single items

    def assign(self, tx: Tx, persona_id: str, kind: Kind, item_id: str, assigned: bool, by: str, now: float) -> None:
        """Let a persona have an item, or not. `item_id` as the view names it, or the whole id of its capability. Raises
        Unknown, and Impossible for one tool of an MCP server; then nothing changed."""
        grants.hold(tx)
        self._persona(tx, persona_id)
        capability_id = self._item(tx, kind, item_id)
        if not assigned:
            self._granter.take(tx, persona_id, capability_id, by, now)
            return
        everyones = _gives(grants.of(tx, persona_id), EVERYONE, capability_id, now)
        if kind == "mcp" and everyones:
            return  # the list names everyone, and so this persona
        self._set(tx, persona_id, capability_id, True, by, now)

    def put_overrides(self, tx: Tx, persona_id: str, overrides: Mapping[str, bool | None], by: str, now: float) -> None:
        """True: it may; False: it may not; None: its own row goes, whatever it says. Raises Unknown, and then nothing
        changed."""
        grants.hold(tx)
        self._persona(tx, persona_id)
        own = {row.capability for row in grants.own(tx, persona_id)}
        for capability_id, given in overrides.items():
            if given is not None or capability_id not in own:
                self._capability(tx, capability_id)
        for capability_id, given in overrides.items():
            self._set(tx, persona_id, capability_id, given, by, now)

    def capabilities(self, tx: Tx, persona_id: str, now: float) -> CapabilitiesView:
        """Everything there is, as this persona has it. Raises Unknown."""
        persona = self._persona(tx, persona_id)
        lines = self._granter.effective(tx, persona, now)
        shown = tuple(_shown(line.item, line.decision, persona) for line in lines)
        return CapabilitiesView(persona_id, shown, self._overrides(tx, persona_id, now))

    def view(self, tx: Tx, now: float) -> AssignmentsView:
        """Everybody and everything."""
        items = self._inventory.everything(tx)
        everyone = personas.everyone(tx)
        rows = Grants(grants.everything(tx))
        default = _granted(NOBODY, items, rows, now)
        overrides = {}
        for persona in everyone:
            own = {pattern for pattern, row in rows.of(persona.id).items() if row.standing(now) is not None}
            granted = _granted(persona, items, rows, now)
            overrides[persona.id] = {
                each: has for each, has in granted.items() if has is not default[each] or each in own
            }
        names = tuple(PersonaName(persona.id, persona.display_name) for persona in everyone)
        return AssignmentsView(names, tuple(self._assigned(tx, item, default, now) for item in items), overrides)

    def _set(self, tx: Tx, persona_id: str, capability_id: str, given: bool | None, by: str, now: float) -> None:
        if given is None:
            self._granter.clear(tx, persona_id, capability_id, by, now)
        elif given:
            self._granter.give(tx, persona_id, capability_id, by, now)
        else:
            self._granter.take(tx, persona_id, capability_id, by, now)

    def _overrides(self, tx: Tx, persona_id: str, now: float) -> dict[str, bool]:
        rows = grants.of(tx, persona_id)
        stand = {pattern: row.standing(now) for pattern, row in rows.of(persona_id).items()}
        found = {pattern: row.effect != "deny" for pattern, row in stand.items() if row is not None}
        for name in self._inventory.servers(tx):
            pattern = server_pattern(name)
            if pattern not in found and not _gives(rows, EVERYONE, pattern, now):
                found[pattern] = False
        return found

    def _assigned(self, tx: Tx, item: Item, default: Mapping[str, bool], now: float) -> AssignedItem:
        """An item of the view. Single tools of a server are locked: they go with it."""
        by_list = tuple(self.allowed(tx, item.server, now)) if item.whole_server else None
        kind: Kind = "skill" if item.source == "skill" else "mcp" if item.whole_server else "tool"
        return AssignedItem(
            kind=kind,
            id=item.id if kind == "tool" else item.name,
            name=item.name,
            group=item.group,
            builtin=item.capability.builtin,
            default_assigned=default[item.id],
            description=item.description,
            locked=kind == "tool" and item.source == "mcp",
            enabled=item.enabled,
            trusted=None if item.skill is None else item.skill.trusted,
            allowed_persona_ids=by_list,
        )

    # What can be named. All of them raise Unknown.

    def _persona(self, tx: Tx, persona_id: str) -> Persona:
        persona = personas.find(tx, persona_id)
        if persona is None:
            raise _no_persona(persona_id, "persona_id")
        return persona

    def _known(self, tx: Tx, persona_ids: Collection[str], field: str) -> None:
        known = {EVERYONE, *personas.ids(tx)}
        for persona_id in persona_ids:
            if persona_id not in known:
                raise _no_persona(persona_id, field)

    def _server(self, tx: Tx, name: str, field: str) -> None:
        if self._inventory.server(tx, name) is None:
            words = _("There is no MCP server {name}. Nothing changed.")
            raise Unknown(words.format(name=name[:80]), "unknown_server", field)

    def _capability(self, tx: Tx, capability_id: str) -> None:
        if self._inventory.find(tx, capability_id) is None:
            words = _("There is no capability {name}. Nothing changed.")
            raise Unknown(words.format(name=capability_id[:120]), "unknown_capability", "overrides")

    def _item(self, tx: Tx, kind: Kind, item_id: str) -> str:
        """The id of its capability. Raises Impossible too, for one tool of an MCP server."""
        capability_id = _capability_id(kind, item_id)
        server = server_of(capability_id)
        one_tool = server is not None and (kind == "tool" or pattern_server(capability_id) is None)
        if one_tool and self._inventory.server(tx, server or "") is not None:
            words = _(
                "Tools of an MCP server are assigned with their server: assign {server}, or override one. Nothing changed."
            )
            raise Impossible(words.format(server=server), "assign_by_server", "id")
        if one_tool or not capability_id.startswith(_PREFIXES[kind]) or self._inventory.find(tx, capability_id) is None:
            words = _("There is no {kind} {name}. Nothing changed.")
            raise Unknown(words.format(kind=kind, name=item_id[:120]), "unknown_item", "id")
        return capability_id


_PREFIXES: dict[Kind, str] = {"skill": "skill/", "tool": "builtin/", "mcp": "mcp/"}


def _capability_id(kind: Kind, item_id: str) -> str:
    """Of an item by its id in the view, or by its capability."""
    if "/" in item_id:
        return item_id
    return server_pattern(item_id) if kind == "mcp" else f"{_PREFIXES[kind]}{item_id}"


def _gives(rows: Grants, who: str, pattern: str, now: float) -> bool:
    row = rows.of(who).get(pattern)
    return row is not None and row.gives(now)


def _granted(persona: Persona, items: Sequence[Item], rows: Grants, now: float) -> dict[str, bool]:
    """By capability."""
    capabilities = [item.capability for item in items]
    decisions = decide_all(persona.id, persona.default_builtin, capabilities, rows, now)
    return {item.id: decision.granted for item, decision in zip(items, decisions, strict=True)}


def _shown(item: Item, decision: Decision, persona: Persona) -> CapabilityView:
    if item.capability.builtin:
        default = _("default_builtin of the persona: {default}").format(default=persona.default_builtin)
    else:
        default = _("denied until it is granted")
    return CapabilityView(
        capability_id=item.id,
        source=item.source,
        server=item.server,
        name=item.name,
        description=item.description,
        effect=decision.effect,
        confirms=decision.confirms,
        row=decision.row,
        default="" if decision.row is not None else default,
        mutates_data=not item.capability.reads,
        requires_confirmation=item.capability.requires_confirmation,
        available=item.available,
        reason=item.reason,
    )


def _no_persona(persona_id: str, field: str) -> Unknown:
    words = _("There is no persona {name}. Nothing changed.")
    return Unknown(words.format(name=persona_id[:80]), "unknown_persona", field)
