"""The skills on disk as they were last looked at, each with a digest of its files: who has read one digest has read all.

Transactions read what is held here and never the disk; the disk is looked at in a thread (`look`).
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path

from skills import disk, skill_md
from skills.errors import ContentRefused, Fault
from skills.hidden import shown
from skills.junk import is_junk
from skills.library import Library
from skills.limits import MB
from skills.package import SKILL_MD, Package, Skill

LARGEST = 64 * MB
"""Bytes of one skill's files. None that was installed through this service comes near."""

Signature = tuple[tuple[str, int, int, int], ...]
"""Of each file and folder: path, inode, size, time of its last change, which no program can set back."""


@dataclass(frozen=True, slots=True)
class Stocked:
    """`digest` is of all files, `hashes` of each: path → SHA-256. What is junk to an archive is none of them."""

    skill: Skill
    folder: Path
    digest: str
    hashes: Mapping[str, str]
    signature: Signature = ()

    @property
    def name(self) -> str:
        return self.skill.name


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look at the library found. `faults`: folders that hold no skill that can be used."""

    skills: Mapping[str, Stocked]
    faults: tuple[Fault, ...]


class Stock:
    """What was seen last; replaced whole, so that any thread may read it."""

    def __init__(self) -> None:
        self.seen = Seen({}, ())

    def find(self, name: str) -> Stocked | None:
        return self.seen.skills.get(name)


def look(library: Library, before: Seen) -> Seen:
    """Blocks. What has not changed since `before` is not read again. Raises OSError if the library cannot be read."""
    listed, folders = library.listed(), library.folders()
    found: dict[str, Stocked] = {}
    faults = list(listed.faults)
    for skill in listed.skills:
        folder, known = folders.get(skill.name), before.skills.get(skill.name)
        if folder is None:
            continue  # it went between two looks
        try:
            signed = _signature(folder)
            unchanged = known is not None and known.folder == folder and known.signature == signed
            found[skill.name] = known if known is not None and unchanged else _read(skill, folder, signed)
        except ContentRefused as refusal:
            faults += refusal.faults
        except OSError as error:
            words = _("It cannot be read: {reason}.").format(reason=error.strerror or _("it holds too much"))
            faults.append(Fault(shown(folder.name), "unreadable", words))
    return Seen(found, tuple(faults))


def packed_digest(package: Package) -> str:
    """What the digest will be of a package that is installed."""
    return digest_of(_hashes(package.content))


def digest_of(hashes: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(sorted(hashes.items())).encode()).hexdigest()


def contents(folder: Path) -> tuple[dict[str, bytes], str]:
    """The files of a skill as they are now, and the digest of just these. Blocks. Raises OSError."""
    content = {path: data for path, data in disk.snapshot(folder, LARGEST).items() if not is_junk(path)}
    return content, digest_of(_hashes(content))


def file_now(stocked: Stocked, path: str) -> bytes | None:
    """A file beside SKILL.md, if it still is what the digest is of. Blocks."""
    if path not in stocked.skill.files:
        return None
    try:
        data = disk.read_file(stocked.folder, path, LARGEST + 1)
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == stocked.hashes.get(path) else None


def _read(listed: Skill, folder: Path, signed: Signature) -> Stocked:
    """From one reading of the files, so that the digest is of the very text that is held. Raises ContentRefused."""
    content, digest = contents(folder)
    file = next((path for path in content if path.casefold() == SKILL_MD.casefold()), SKILL_MD)
    beside = tuple(sorted(content.keys() - {file}))
    entry = f"{shown(folder.name)}/{file}"
    data = content.get(file, b"")
    skill = skill_md.read(data, entry=entry, folder=folder.name, files=beside, builtin=listed.builtin)
    if skill.name != listed.name:
        raise ContentRefused([Fault(entry, "unreadable", _("It is being changed just now."))])
    return Stocked(skill, folder, digest, _hashes(content), signed)


def _hashes(content: Mapping[str, bytes]) -> dict[str, str]:
    return {path: hashlib.sha256(data).hexdigest() for path, data in content.items()}


def _signature(folder: Path) -> Signature:
    """Raises OSError."""
    signed: list[tuple[str, int, int, int]] = []
    for here, _folders, files in os.walk(folder):
        for path in (Path(here), *(Path(here, name) for name in files)):
            about = path.lstat()
            signed.append((str(path), about.st_ino, about.st_size, about.st_ctime_ns))
    return tuple(sorted(signed))
