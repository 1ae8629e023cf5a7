"""Decides about skills, in one transaction each: enters them, sets their switches, and lets go of them with all that hangs
on them. The files are the librarian's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from gettext import gettext as _

from bot.closer import SERVICE
from bot.errors import Protected, Unknown
from bot.granter import Granter
from bot.proposals import propose, withdraw
from bot.registrar import Registrar
from bot.skillset import Holding, Skillsets
from bot.stock import Stocked
from bot.store import audit, skills
from bot.store.database import Tx
from bot.store.skills import LEAVING, Switches
from skills.errors import ContentRefused, Fault
from skills.package import Skill

_SWITCHES = {
    "enabled": ("skill_enabled", "skill_disabled"),
    "trusted": ("skill_trusted", "skill_untrusted"),
    "scripts_enabled": ("skill_scripts_enabled", "skill_scripts_disabled"),
}
"""How the audit calls it when one is set, and when it is taken back."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Switches to be set; None leaves one as it is."""

    enabled: bool | None = None
    trusted: bool | None = None
    scripts_enabled: bool | None = None


AS_IT_IS = Turn()


class Curator:
    def __init__(
        self,
        skillsets: Skillsets,
        granter: Granter,
        registrar: Registrar,
        tool_names: Callable[[Tx], Sequence[str]],
    ) -> None:
        """`tool_names`: of the tools that there are now."""
        self.skillsets = skillsets
        self._granter = granter
        self._registrar = registrar
        self._tool_names = tool_names

    def everything(self, tx: Tx) -> list[Holding]:
        return self.skillsets.holdings(tx)

    def find(self, tx: Tx, name: str) -> Holding:
        """Raises Unknown."""
        holding = self.skillsets.find(tx, name)
        if holding is None:
            words = _("There is no skill {name}. Nothing changed.")
            raise Unknown(words.format(name=name[:80]), "unknown_skill", "name")
        return holding

    def find_changeable(self, tx: Tx, name: str) -> Holding:
        """Raises Unknown or Protected."""
        holding = self.find(tx, name)
        if holding.skill.builtin:
            raise protected(name)
        return holding

    def check(self, tx: Tx, wanted: Sequence[Skill]) -> list[str]:
        """Sentences about tools of other services that they name. Raises ContentRefused for tools that there are not."""
        known = self._tool_names(tx)
        faults = [fault for skill in wanted for fault in _unknown_tools(skill, known)]
        if faults:
            raise ContentRefused(faults)
        return [line for skill in wanted for line in _foreign(skill, known)]

    def warnings(self, tx: Tx, skill: Skill) -> list[str]:
        """What whoever uses it should know, as things are now."""
        known = self._tool_names(tx)
        return [*skill.warnings, *(fault.message for fault in _unknown_tools(skill, known)), *_foreign(skill, known)]

    def turn(self, tx: Tx, name: str, turn: Turn, by: str, now: float) -> Holding:
        """Set switches, for the files as they were seen last; what waits and may not be any more is closed. Raises Unknown,
        or Protected for a skill that comes with the house and can only be enabled or disabled."""
        row = skills.find(tx, name)  # held, before it is read what it says
        before = self.find(tx, name)
        if before.skill.builtin and (turn.trusted is not None or turn.scripts_enabled is not None):
            words = _("{name} comes with the service: it can be enabled and disabled, and no more. Nothing changed.")
            raise Protected(words.format(name=name), "builtin_protected", "name")
        self._set(tx, before, row, turn, by, now)
        return self.find(tx, name)

    def enter(self, tx: Tx, brought: Sequence[Skill], by: str, turn: Turn, now: float) -> list[str]:
        """New ones, without anything that one of the same name had; sentences about the servers that they wish for."""
        told: list[str] = []
        for skill in brought:
            stocked = self.skillsets.stock.find(skill.name)
            if stocked is None:
                continue  # somebody took its files away already
            rows = self._registrar.forget_skill(tx, skill.name, now)
            withdraw(tx, skill.name)
            row = Switches(skill.name, False, False, False, stocked.digest, by, now)
            skills.put(tx, row)
            detail = {"digest": stocked.digest, "version": skill.version or None, "forgotten": str(rows or "") or None}
            audit.record(tx, now, by, "skill_installed", skill.name, detail)
            told += propose(tx, self._registrar, skill, by, now)
            self._set(tx, Holding(stocked, False, False, False), row, turn, by, now)
        return told

    def unentered(self, tx: Tx) -> list[Skill]:
        """Skills on disk that nobody has entered: put there by hand, or by a process that died."""
        entered = {row.name for row in skills.everything(tx)}
        there = self.skillsets.stock.seen.skills
        return [each.skill for name, each in there.items() if not each.skill.builtin and name not in entered]

    def lost(self, tx: Tx) -> list[str]:
        """Skills that were entered and whose files are not there, or cannot be read."""
        there = self.skillsets.stock.seen.skills
        return sorted(row.name for row in skills.everything(tx) if row.digest != LEAVING and row.name not in there)

    def enter_found(self, tx: Tx, now: float) -> None:
        self.enter(tx, self.unentered(tx), SERVICE, AS_IT_IS, now)

    def amended(self, tx: Tx, before: Holding, after: Stocked, by: str, turn: Turn, now: float) -> None:
        """Its files were changed by somebody who may. It stays enabled; but it is trusted, and its scripts are run, only if
        that is said again."""
        row = skills.find(tx, before.name)
        audit.record(tx, now, by, "skill_changed", before.name, {"was": before.stocked.digest, "digest": after.digest})
        reason = _("the skill {name} was changed").format(name=before.name)
        self._granter.close_waiting(tx, f"skill/{before.name}", reason, now)
        self._set(tx, Holding(after, before.enabled, False, False), row, turn, by, now)

    def let_go(self, tx: Tx, name: str, by: str, now: float) -> None:
        """From now on it is not there, though its files still are, unless somebody took them away. Raises Unknown or
        Protected."""
        row = skills.find(tx, name)
        lost = row is not None and name in self.lost(tx)
        digest = row.digest if row is not None and lost else self.find_changeable(tx, name).stocked.digest
        rows = self._registrar.forget_skill(tx, name, now)
        withdraw(tx, name)
        made_by, at = (by, now) if row is None else (row.made_by, row.created_at)
        skills.put(tx, Switches(name, False, False, False, LEAVING, made_by, at))
        audit.record(tx, now, by, "skill_deleted", name, {"digest": digest, "grants": str(rows)})

    def _set(self, tx: Tx, before: Holding, row: Switches | None, turn: Turn, by: str, now: float) -> None:
        was = Turn(before.enabled, before.trusted, before.scripts_enabled)
        said = {key: value for key in _SWITCHES if (value := getattr(turn, key)) is not None}
        wanted = replace(was, **said)
        made_by, at = (by, now) if row is None else (row.made_by, row.created_at)
        on = (bool(wanted.enabled), bool(wanted.trusted), bool(wanted.scripts_enabled))
        skills.put(tx, Switches(before.name, *on, before.stocked.digest, made_by, at))
        for key, (set_to, taken_back) in _SWITCHES.items():
            if getattr(was, key) != getattr(wanted, key):
                action = set_to if getattr(wanted, key) else taken_back
                audit.record(tx, now, by, action, before.name, {"digest": before.stocked.digest})
        self._close_if_less(tx, before.name, was, wanted, now)

    def _close_if_less(self, tx: Tx, name: str, was: Turn, wanted: Turn, now: float) -> None:
        reasons = {
            "enabled": _("the skill {name} was disabled"),
            "trusted": _("the skill {name} is not trusted any more"),
            "scripts_enabled": _("the scripts of the skill {name} were switched off"),
        }
        for key, reason in reasons.items():
            if getattr(was, key) and not getattr(wanted, key):
                self._granter.close_waiting(tx, f"skill/{name}", reason.format(name=name), now)
                return


def protected(name: str) -> Protected:
    words = _("{name} is the name of a skill that comes with the service, which stays as it is. Nothing changed.")
    return Protected(words.format(name=name), "builtin_protected", "name")


def _unknown_tools(skill: Skill, known: Sequence[str]) -> list[Fault]:
    unknown = skill.unknown_tools(known)
    if not unknown:
        return []
    words = _("The skill {skill} names tools that there are not: {names}.")
    return [Fault("", "unknown_tool", words.format(skill=skill.name, names=", ".join(unknown)))]


def _foreign(skill: Skill, known: Sequence[str]) -> list[str]:
    foreign = skill.foreign_tools(known)
    if not foreign:
        return []
    words = _("{skill}: allowed-tools names tools of other services, which do nothing here: {names}.")
    return [words.format(skill=skill.name, names=", ".join(foreign))]
