"""The skills of the house with their switches, and those that one persona has in one conversation.

Nothing here grants anything: a skill is instructions, and a list of tools that it narrows the persona's own to.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _

from bot.domain.capability import Capability, decide
from bot.domain.persona import Persona
from bot.domain.run import LOAD_SKILL, READ_SKILL_FILE, RUN_SKILL_SCRIPT, SILENT_EXIT
from bot.stock import Stock, Stocked
from bot.store import chosen_skills, grants, skills
from bot.store.database import Tx
from bot.store.skills import LEAVING, Switches
from skills.package import Skill

SKILL_TOOLS = frozenset({LOAD_SKILL, READ_SKILL_FILE, RUN_SKILL_SCRIPT})

ALWAYS = SKILL_TOOLS | {SILENT_EXIT}
"""Tools that no skill takes away: those by which it is used itself, and silence."""

ANY_CHAT = "chat"
"""What skills made for other services call a conversation with people, as every channel here is one."""


@dataclass(frozen=True, slots=True)
class Holding:
    """A skill with its switches as they are in force. `changed`: its files are not those that the switches were set for,
    so that they count as off."""

    stocked: Stocked
    enabled: bool
    trusted: bool
    scripts_enabled: bool
    changed: bool = False

    @property
    def skill(self) -> Skill:
        return self.stocked.skill

    @property
    def name(self) -> str:
        return self.skill.name

    @property
    def capability(self) -> Capability:
        return Capability(f"skill/{self.name}", reads=True, shipped=self.skill.builtin)

    @property
    def runnable(self) -> tuple[str, ...]:
        """Its scripts, if they may be run."""
        return self.skill.scripts if self.enabled and self.trusted and self.scripts_enabled else ()

    def fits(self, kind: str) -> bool:
        """Is it meant for this kind of channel? One that names none is meant for all."""
        shells = {shell.casefold() for shell in self.skill.bind_shells}
        return not shells or bool(shells & {ANY_CHAT, kind})


@dataclass(frozen=True, slots=True)
class Skillset:
    """What one persona has in one conversation. `at_hand`: all that it may use there. `in_use`: those whose text it has
    before it, the ones loaded in this run first, then those that were chosen, then the preloaded.

    `limit`: the only tools that are shown, of those that the persona has; None: no skill sets one.
    """

    at_hand: tuple[Holding, ...] = ()
    in_use: tuple[Holding, ...] = ()
    limit: frozenset[str] | None = None

    def allows(self, tool: str, *also: str) -> bool:
        """Is this tool within the limits of the skills that are in use? `also`: what else it is called. It says nothing
        about grants."""
        return self.limit is None or not self.limit.isdisjoint((tool, *also)) or tool in ALWAYS

    def offers(self, tool: str, *also: str) -> bool:
        """Is there a use for this tool now?"""
        if tool == LOAD_SKILL:
            return len(self.in_use) < len(self.at_hand)
        if tool == READ_SKILL_FILE:
            return any(each.skill.files for each in self.at_hand)
        if tool == RUN_SKILL_SCRIPT:
            return any(each.runnable for each in self.at_hand)
        return self.allows(tool, *also)


EMPTY = Skillset()


class Skillsets:
    def __init__(self, stock: Stock, kinds: Mapping[str, str]) -> None:
        """`kinds`: channel → what kind it is, such as `telegram`."""
        self.stock = stock
        self._kinds = kinds

    def holdings(self, tx: Tx) -> list[Holding]:
        """Every skill there is, by name."""
        seen = self.stock.seen.skills
        rows = {row.name: row for row in skills.everything(tx)} if seen else {}
        held = (_held(stocked, rows.get(name)) for name, stocked in sorted(seen.items()))
        return [holding for holding in held if holding is not None]

    def find(self, tx: Tx, name: str) -> Holding | None:
        return next((holding for holding in self.holdings(tx) if holding.name == name), None)

    def usable(self, tx: Tx, persona: Persona, channel: str, now: float) -> list[Holding]:
        """Granted to this persona, enabled, trusted, and meant for this channel."""
        held = [each for each in self.holdings(tx) if each.enabled and each.trusted]
        if not held:
            return []
        rows, kind = grants.of(tx, persona.id), self._kinds.get(channel, "")
        return [
            each
            for each in held
            if each.fits(kind) and decide(persona.id, persona.default_builtin, each.capability, rows, now).granted
        ]

    def of(
        self, tx: Tx, persona: Persona, conversation: str, channel: str, loaded: Collection[str], now: float
    ) -> Skillset:
        """`loaded`: names of those that the run has loaded itself."""
        at_hand = {each.name: each for each in self.usable(tx, persona, channel, now)}
        if not at_hand:
            return EMPTY
        used = [*loaded, *chosen_skills.of(tx, conversation, persona.id)]
        wanted = dict.fromkeys([*used, *persona.preload_skills])
        in_use = tuple(at_hand[name] for name in wanted if name in at_hand)
        return Skillset(tuple(at_hand.values()), in_use, _limit([each.skill for each in in_use if each.name in used]))

    def why_not(self, tx: Tx, persona: Persona, name: str, channel: str, now: float) -> str:
        """Why this persona cannot use it here, in a sentence; empty if it can."""
        holding = self.find(tx, name)
        if holding is None:
            return _("There is no skill {name}.").format(name=name[:80])
        if holding.changed:
            words = _("The files of {name} have changed since it was switched on: an admin must look at it again.")
            return words.format(name=name)
        if not holding.enabled:
            return _("The skill {name} is not enabled.").format(name=name)
        if not holding.trusted:
            return _("The skill {name} is not trusted.").format(name=name)
        if not decide(persona.id, persona.default_builtin, holding.capability, grants.of(tx, persona.id), now).granted:
            return _("{who} was not granted the skill {name}.").format(who=persona.id, name=name)
        if not holding.fits(self._kinds.get(channel, "")):
            shells = ", ".join(holding.skill.bind_shells)
            return _("The skill {name} is made for {shells} only.").format(name=name, shells=shells)
        return ""


def _held(stocked: Stocked, row: Switches | None) -> Holding | None:
    """None: it was deleted, and only its files are still there; or nobody has entered it yet."""
    if stocked.skill.builtin:
        return Holding(stocked, row is None or row.enabled, trusted=True, scripts_enabled=False)
    if row is None or row.digest == LEAVING:
        return None
    if row.digest != stocked.digest:
        return Holding(stocked, False, False, False, changed=row.enabled or row.trusted or row.scripts_enabled)
    return Holding(stocked, row.enabled, row.trusted, row.scripts_enabled)


def _limit(used: Sequence[Skill]) -> frozenset[str] | None:
    """Of several that set one, each may have its own tools; one that sets none widens nothing."""
    filters = [limit for skill in used if (limit := skill.tool_filter) is not None]
    return frozenset().union(*filters) if filters else None
