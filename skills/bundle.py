"""The files of an archive → skills. One may lie at the top or in one folder, several in a folder each."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from gettext import gettext as _

from skills import skill_md
from skills.errors import ContentRefused, Fault
from skills.hidden import shown
from skills.junk import is_junk
from skills.package import SKILL_MD, Package, Skill

_ARCHIVES = (".zip", ".jar", ".whl", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar")
_ARCHIVE_MARKS = (
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ\x00",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!",
    b"\x28\xb5\x2f\xfd",
)
_OFFICE = (".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub")
"""Documents that are zips."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """At least one package. `warnings` are sentences that begin with the name of the skill that they concern."""

    packages: tuple[Package, ...]
    warnings: tuple[str, ...]


def bundled(files: Mapping[str, bytes]) -> Bundle:
    """Raises ContentRefused with what is wrong with any of them: all are taken or none."""
    kept = {path: content for path, content in files.items() if not is_junk(path)}
    folders, loose = ({"": kept}, ()) if _skill_md(kept) is not None else _by_folder(kept)
    packages: list[Package] = []
    faults = [] if folders else [_nothing("", kept)]
    for folder, content in folders.items():
        try:
            packages.append(_package(folder, content))
        except ContentRefused as refusal:
            faults += refusal.faults
    faults += _namesakes(packages)
    if faults:
        raise ContentRefused(faults)
    warnings = [f"{package.skill.name}: {line}" for package in packages for line in package.skill.warnings]
    if loose:
        names = ", ".join(shown(name) for name in loose[:5])
        warnings.append(_("Files beside the folders of skills are left out: {names}.").format(names=names))
    return Bundle(tuple(packages), tuple(warnings))


def _by_folder(files: Mapping[str, bytes]) -> tuple[dict[str, dict[str, bytes]], tuple[str, ...]]:
    """The files of each top-level folder, and the names of those that lie in none."""
    folders: dict[str, dict[str, bytes]] = {}
    loose: list[str] = []
    for path, content in files.items():
        folder, slash, inner = path.partition("/")
        if slash:
            folders.setdefault(folder, {})[inner] = content
        else:
            loose.append(path)
    return folders, tuple(loose)


def _package(folder: str, files: Mapping[str, bytes]) -> Package:
    found = _skill_md(files)
    if found is None:
        raise ContentRefused([_nothing(folder, files)])
    content = {SKILL_MD: files[found]} | {path: data for path, data in files.items() if path != found}
    beside = tuple(sorted(content.keys() - {SKILL_MD}))
    entry = f"{folder}/{found}" if folder else found
    skill = skill_md.read(content[SKILL_MD], entry=entry, folder=folder, files=beside)
    return Package(_told(skill, content), content)


def _told(skill: Skill, content: Mapping[str, bytes]) -> Skill:
    """The skill with a warning for what looks like more than it is."""
    nested = [path for path in skill.files if path.casefold().endswith("/skill.md")]
    packed = [path for path in skill.files if _is_archive(path, content[path])]
    warnings = list(skill.warnings)
    if nested:
        words = _("{names} is kept as a plain file, not taken for another skill.")
        warnings.append(words.format(names=", ".join(nested[:5])))
    if packed:
        words = _("{names} looks like an archive; it is kept as a plain file and was not opened.")
        warnings.append(words.format(names=", ".join(packed[:5])))
    return replace(skill, warnings=tuple(warnings))


def _is_archive(path: str, content: bytes) -> bool:
    name = path.casefold()
    if name.endswith(_OFFICE):
        return False
    return name.endswith(_ARCHIVES) or content.startswith(_ARCHIVE_MARKS)


def _skill_md(files: Mapping[str, bytes]) -> str | None:
    """The path of SKILL.md, however it is capitalised; there is one at most, as names that differ only so are refused."""
    return next((path for path in files if path.casefold() == SKILL_MD.casefold()), None)


def _nothing(folder: str, files: Mapping[str, bytes]) -> Fault:
    deeper = next((path for path in sorted(files) if path.casefold().endswith("/skill.md")), None)
    words = _("There is no SKILL.md at the top of it.")
    if deeper is not None:
        words += " " + _("One lies deeper, at {path}: pack its folder itself.").format(path=shown(deeper))
    return Fault(folder, "no_skill_md", words)


def _namesakes(packages: list[Package]) -> list[Fault]:
    names = [package.skill.name for package in packages]
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    return [Fault("", "same_name", _("Two skills are called {name}.").format(name=name)) for name in twice]
