"""The skills on disk: those that come with the service, and those that were installed, one folder each.

Everything here blocks; call it in a thread. The folders are looked at anew each time, so that what somebody put there by
hand is seen, and nothing is remembered that is gone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from gettext import gettext as _
from importlib import resources
from pathlib import Path

from skills import disk, shelf, skill_md
from skills.errors import Fault, Protected, Taken, UnknownSkill
from skills.hidden import shown
from skills.names import folded
from skills.package import SKILL_MD, Package, Skill
from skills.shelf import Found
from skills.staging import Staging

LONGEST_READ = 1024 * 1024
"""Bytes of a file beside SKILL.md that are read at once."""


@dataclass(frozen=True, slots=True)
class Listed:
    """`skills` by name. `faults`: folders that hold no skill that can be used; their `entry` is a path in the library."""

    skills: tuple[Skill, ...]
    faults: tuple[Fault, ...]


def builtin_directory() -> Path:
    """Where the skills lie that come with the service."""
    return Path(str(resources.files("skills") / "builtin"))


class Library:
    """`directory` is where skills are installed; those in `builtin` are only read, and no other skill takes their names."""

    def __init__(self, directory: Path, builtin: Path) -> None:
        self._directory = directory
        self._builtin = builtin
        self._staging = Staging(directory)

    def open(self) -> None:
        """Make the folder where it is missing, and settle what a process that died had begun. Once, before anything else."""
        with self._staging.changing():
            self._staging.tidy()

    def listed(self) -> Listed:
        with self._staging.reading():
            found, faults = self._look()
        return Listed(tuple(found[name].skill for name in sorted(found)), tuple(faults))

    def read(self, name: str) -> Skill:
        """Raises UnknownSkill."""
        with self._staging.reading():
            return self._find(name).skill

    def folder(self, name: str) -> Path:
        """Where its files lie, until it is replaced or deleted. Raises UnknownSkill."""
        with self._staging.reading():
            return self._find(name).folder

    def folders(self) -> dict[str, Path]:
        """Name → `folder`, of every skill that can be used."""
        with self._staging.reading():
            found, _faults = self._look()
        return {name: each.folder for name, each in found.items()}

    def file(self, name: str, path: str) -> bytes:
        """The beginning of a file beside SKILL.md. Raises UnknownSkill: there is no such skill or file."""
        with self._staging.reading():
            found = self._find(name)
            if path not in found.skill.files:
                raise UnknownSkill(f"{shown(name)}/{shown(path)}")
            return disk.read_file(found.folder, path, LONGEST_READ)

    def install(self, packages: Sequence[Package]) -> tuple[str, ...]:
        """All of them or none; their names. Raises Protected, Taken, or OSError if the disk fails."""
        with self._staging.changing():
            before = self._before(packages)
            taken = [name for name, folders in before.items() if folders]
            if taken:
                raise Taken(taken)
            self._staging.put(packages, before)
        return tuple(before)

    def replace(self, packages: Sequence[Package]) -> tuple[str, ...]:
        """As `install`, but what has these names now goes, whole. Raises Protected, or OSError if the disk fails."""
        with self._staging.changing():
            before = self._before(packages)
            self._staging.put(packages, before)
        return tuple(before)

    def amend(self, skill: Skill) -> None:
        """Another SKILL.md for an installed skill; its other files stay. Raises Protected, UnknownSkill, ContentRefused."""
        content = skill_md.packed(replace(skill, builtin=False)).content[SKILL_MD]
        with self._staging.changing():
            self._protect(skill.name)
            found = self._find(skill.name)
            self._staging.rewrite(found.folder / found.file, content)

    def delete(self, name: str) -> None:
        """Also what lies under this name and cannot be read. Raises Protected or UnknownSkill."""
        with self._staging.changing():
            self._protect(name)
            folders = self._folders_of(name)
            if not folders:
                raise UnknownSkill(shown(name))
            self._staging.take_away(folders)

    def _before(self, packages: Sequence[Package]) -> dict[str, list[str]]:
        """Name → the folders that have it now. Raises Protected."""
        for package in packages:
            self._protect(package.skill.name)
        return {package.skill.name: self._folders_of(package.skill.name) for package in packages}

    def _protect(self, name: str) -> None:
        if folded(name) in {path.name for path in self._builtin.iterdir()}:
            raise Protected(shown(name))

    def _folders_of(self, name: str) -> list[str]:
        """All that is called so on disk or calls itself so; links as well, which are moved and never followed."""
        names = [path.name for path in self._directory.iterdir() if not path.name.startswith(".")]
        called = {each for each in names if folded(each) == folded(name)}
        there = shelf.look(self._directory, builtin=False).found
        return sorted(called | {each.folder.name for each in there if each.skill.name == name})

    def _find(self, name: str) -> Found:
        found, _faults = self._look()
        if name not in found:
            raise UnknownSkill(shown(name))
        return found[name]

    def _look(self) -> tuple[dict[str, Found], list[Fault]]:
        """By name. Of several that were installed with one name none is used: nobody wins by the order of folders."""
        ours, theirs = shelf.look(self._builtin, builtin=True), shelf.look(self._directory, builtin=False)
        found = {each.skill.name: each for each in ours.found}
        faults = [*ours.faults, *theirs.faults]
        names = [each.skill.name for each in theirs.found]
        for each in theirs.found:
            name = each.skill.name
            if name in found and found[name].skill.builtin:
                words = _("{name} is the name of a skill that comes with the service; this one is not used.")
                faults.append(Fault(each.entry, "builtin_name", words.format(name=name)))
            elif names.count(name) > 1:
                words = _("Several skills are called {name}; none of them is used.")
                faults.append(Fault(each.entry, "same_name", words.format(name=name)))
            else:
                found[name] = each
        return found, faults
