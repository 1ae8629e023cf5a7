"""A folder with skills in it, one folder each → what they are, or why they cannot be used."""

from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path

from skills import disk, skill_md
from skills.errors import ContentRefused, Fault
from skills.front_matter import LONGEST_FILE
from skills.hidden import shown
from skills.junk import is_junk
from skills.package import SKILL_MD, Skill


@dataclass(frozen=True, slots=True)
class Found:
    """`file`: its SKILL.md, as the name is capitalised there."""

    folder: Path
    file: str
    skill: Skill

    @property
    def entry(self) -> str:
        return f"{shown(self.folder.name)}/{self.file}"


@dataclass(frozen=True, slots=True)
class Shelf:
    """By the names of their folders. `faults`: folders without a skill that can be used."""

    found: tuple[Found, ...]
    faults: tuple[Fault, ...]


def look(directory: Path, *, builtin: bool) -> Shelf:
    """What begins with a dot is ours or nobody's; files beside the folders mean nothing."""
    found: list[Found] = []
    faults: list[Fault] = []
    for path in sorted(directory.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_symlink():
            faults.append(Fault(shown(path.name), "link", _("It is a link, and links are not followed.")))
        elif path.is_dir():
            try:
                found.append(_load(path, builtin=builtin))
            except ContentRefused as refusal:
                faults += refusal.faults
            except OSError as error:
                words = _("It cannot be read: {reason}.").format(reason=error.strerror)
                faults.append(Fault(shown(path.name), "unreadable", words))
    return Shelf(tuple(found), tuple(faults))


def _load(folder: Path, *, builtin: bool) -> Found:
    """Raises ContentRefused or OSError."""
    files = [file for file in disk.files_in(folder) if not is_junk(file)]
    file = next((file for file in files if file.casefold() == SKILL_MD.casefold()), None)
    if file is None:
        raise ContentRefused([Fault(shown(folder.name), "no_skill_md", _("There is no SKILL.md in it."))])
    content = disk.read_file(folder, file, LONGEST_FILE + 1)
    beside = [other for other in files if other != file]
    entry = f"{shown(folder.name)}/{file}"
    skill = skill_md.read(content, entry=entry, folder=folder.name, files=beside, builtin=builtin)
    return Found(folder, file, skill)
