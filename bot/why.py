"""Why a persona may use something, or may not: the chain in order, and the one thing to do about it."""

from collections.abc import Iterator
from dataclasses import dataclass
from gettext import gettext as _
from typing import Literal

from bot.cards import moment
from bot.domain.capability import EVERYONE, Decision, decide, server_of, server_pattern
from bot.domain.persona import Persona
from bot.domain.policy import Policies
from bot.errors import Unknown
from bot.granter import as_it_stands
from bot.inventory import Inventory, Item
from bot.replier import REPORTED
from bot.store import calls, grants, mcp_servers, names, personas
from bot.store.database import Tx

Link = Literal["registered", "enabled", "connected", "granted", "confirmation", "last_failure"]


@dataclass(frozen=True, slots=True)
class Step:
    """One link of the chain: does it hold, and in words."""

    link: Link
    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class Chain:
    """`remedy` is a command without its mark; empty where nothing is to be done."""

    persona_id: str
    capability_id: str
    steps: tuple[Step, ...]
    remedy: str

    @property
    def holds(self) -> bool:
        return all(step.ok for step in self.steps if step.link != "last_failure")


class Explainer:
    def __init__(self, inventory: Inventory, policies: Policies) -> None:
        self._inventory = inventory
        self._policies = policies

    def why(self, tx: Tx, persona_id: str, capability_id: str, now: float) -> Chain:
        """Of something that is not granted it also says what granting it would change. Raises Unknown for no persona."""
        persona = personas.find(tx, persona_id)
        if persona is None:
            raise Unknown(_("There is no persona {name}.").format(name=persona_id), "unknown_persona")
        item = self._inventory.find(tx, capability_id)
        if item is None:
            return self._unknown(tx, persona_id, capability_id)
        rows = grants.of(tx, persona.id)
        decision = as_it_stands(item, decide(persona.id, persona.default_builtin, item.capability, rows, now))
        steps = (*_existing(tx, item), *self._granted(tx, persona, item, decision))
        return Chain(persona.id, item.id, steps, self._remedy(persona, item, decision))

    def _unknown(self, tx: Tx, persona_id: str, capability_id: str) -> Chain:
        """What the tools of a server are is known only while it is connected."""
        whole = server_pattern(server_of(capability_id) or "")
        server = self._inventory.find(tx, whole)
        if server is not None and server.reason:
            steps = tuple(_existing(tx, server))
            return Chain(persona_id, capability_id, steps, _brought_back(server))
        if server is not None:
            words = _("{name} is no tool that this server offers now").format(name=capability_id)
            return Chain(persona_id, capability_id, (Step("registered", False, words),), f"mcp show {server.server}")
        words = _("there is nothing called {name}").format(name=capability_id)
        return Chain(persona_id, capability_id, (Step("registered", False, words),), "tools")

    def named(self, tx: Tx, wanted: str) -> str:
        """The whole id of what is meant: an id, the short name of a tool or skill, or the beginning of one; what is near
        nothing stays as it is."""
        known = {item.id: item.name for item in self._inventory.everything(tx)}
        same = [key for key, name in known.items() if wanted in (key, name)]
        near = [key for key, name in known.items() if key.startswith(wanted) or name.startswith(wanted)]
        for found in (same, near):
            if len(found) == 1:
                return found[0]
        return wanted

    def _granted(self, tx: Tx, persona: Persona, item: Item, decision: Decision) -> Iterator[Step]:
        yield Step("granted", decision.granted and not item.suspended, _row(tx, persona, decision, item))
        if decision.granted:
            yield Step("confirmation", True, self._confirmation(item, decision))
        else:
            yield Step("confirmation", True, self._would(persona, item))
        failed = calls.last_failure(tx, persona.id, item.id)
        if failed is not None:
            code = failed.failure or ""
            words = next((words for known, words in REPORTED.items() if known == code), code.replace("_", " "))
            yield Step("last_failure", False, _("last time: {words}").format(words=words))

    def _confirmation(self, item: Item, decision: Decision) -> str:
        if not decision.confirms:
            return _("it runs at once")
        if decision.effect == "ask":
            rule = _("every call asks, because the row says so")
        elif item.new_since is not None:
            words = _("every call asks, because it is new since {time}; grant it, or its server anew, once you know it")
            rule = words.format(time=moment(item.new_since))
        elif item.source == "mcp":
            rule = _("every call asks, because its server does not say, or is not believed, that it only reads")
        elif item.capability.requires_confirmation:
            rule = _("every call asks, because the tool says so")
        else:
            rule = _("every call asks, because it writes")
        return f"{rule}; {self._who(item)}"

    def _would(self, persona: Persona, item: Item) -> str:
        if item.whole_server:
            words = _(
                "if it were granted, {who} could read with what says that it reads, and the rest would ask; {deciders}"
            )
        elif item.capability.reads and not item.capability.requires_confirmation:
            return _("if it were granted, {who} could use it at once: it reads").format(who=persona.id)
        else:
            words = _("if it were granted, {who} could use it when asked each time; {deciders}")
        return words.format(who=persona.id, deciders=self._who(item))

    def _who(self, item: Item) -> str:
        rules = self._policies.of(item.id)
        words = {
            "requester": _("who asked"),
            "admins": _("an admin"),
            "members": _("whoever may talk where it is asked"),
        }
        who = _(" or ").join(words.get(rule, rule) for rule in rules.approvers)
        if rules.needed > 1:
            return _("{needed} of these decide: {who}").format(needed=rules.needed, who=who)
        return _("{who} decides").format(who=who)

    def _remedy(self, persona: Persona, item: Item, decision: Decision) -> str:
        if not item.available and not item.suspended:
            return _brought_back(item)
        if not decision.granted or item.suspended:
            return f"grant {persona.id} {item.id}"
        return ""


def _existing(tx: Tx, item: Item) -> Iterator[Step]:
    where = {"builtin": _("built in"), "skill": _("a skill"), "mcp": _("of the MCP server {server}")}[item.source]
    yield Step("registered", True, where.format(server=item.server))
    if item.source == "builtin":
        return
    if item.source == "skill":
        yield Step("enabled", item.available, item.reason or _("enabled and trusted"))
        return
    server = mcp_servers.find(tx, item.server)
    enabled = server is not None and server.enabled
    yield Step("enabled", enabled, _("the server is enabled") if enabled else _("the server is disabled"))
    if enabled:
        there = item.available or item.suspended
        yield Step("connected", there, _("connected") if there else item.reason)


def _brought_back(item: Item) -> str:
    """The command that makes something usable that nobody can use just now."""
    if item.source == "mcp":
        return f"mcp {'reload' if item.enabled else 'enable'} {item.server}"
    verb = "trust" if item.skill is not None and item.skill.enabled else "enable"
    return f"skill {verb} {item.name}"


def _row(tx: Tx, persona: Persona, decision: Decision, item: Item) -> str:
    words = _by_row(tx, persona, decision)
    return f"{words}; {item.reason}" if item.suspended else words


def _by_row(tx: Tx, persona: Persona, decision: Decision) -> str:
    row = decision.row
    if row is None:
        default = _("by default (default_builtin: {value})").format(value=persona.default_builtin)
        return default if decision.granted else _("by no row, and not by default")
    who = _("everyone") if row.persona_id == EVERYONE else row.persona_id
    words = _("{effect} for {who} by {by}, {time}").format(
        effect=row.effect, who=who, by=names.of(tx, row.made_by), time=moment(row.made_at)
    )
    if row.until is not None:
        words += _(", until {time}").format(time=moment(row.until))
    return f"{words}: {row.reason}" if row.reason else words
