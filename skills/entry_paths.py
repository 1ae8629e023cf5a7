"""The names in an archive → paths that mean the same on every file system, or the reasons why not.

Nothing is made harmless quietly: a name that tries to be something else refuses the archive.
"""

import re
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from gettext import gettext as _

from skills.errors import Fault
from skills.hidden import shown
from skills.limits import Limits
from skills.names import folded, is_device
from skills.rules import ArchiveRule
from skills.zip_directory import Entry
from skills.zip_member import DEFLATED, STORED

LONGEST_PART = 255
"""Bytes of one name, on the common file systems."""

_ENCRYPTED = 0x0001 | 0x0040 | 0x2000
_PATCH = 0x0020
_REPARSE_POINT = 0x0400
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


@dataclass(frozen=True, slots=True)
class Named:
    """An entry and where it belongs: `path` has `/` between its parts and none at its end."""

    path: str
    folder: bool
    entry: Entry


def read(entries: Sequence[Entry], limits: Limits) -> tuple[list[Named], list[Fault]]:
    """In the archive's order. With faults, nothing of the archive is to be used."""
    named: list[Named] = []
    faults: list[Fault] = []
    for entry in entries:
        name = _decoded(entry)
        if name is None:
            words = _("The name of an entry is neither ASCII nor UTF-8.")
            faults.append(Fault(shown(entry.name.decode("ascii", "backslashreplace")), "name_encoding", words))
            continue
        if name == "./":  # some packers begin with the folder itself, and put it before every name
            continue
        path = unicodedata.normalize("NFC", name).removeprefix("./").removesuffix("/")
        each = Named(path, name.endswith("/"), entry)
        reasons = (*_of_kind(each), *_of_name(path, limits))
        faults += [Fault(shown(name), rule, words) for rule, words in reasons]
        named.append(each)
    return named, [*faults, *_clashes(named)]


def _decoded(entry: Entry) -> str | None:
    """As UTF-8, whether it is marked so or not: Finder writes UTF-8 and does not say so. Any other encoding is refused,
    because in some of them half of a character is a backslash."""
    try:
        return entry.name.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _of_kind(named: Named) -> Iterator[tuple[ArchiveRule, str]]:
    entry = named.entry
    kind = stat.S_IFMT(entry.attributes >> 16)
    if kind == stat.S_IFLNK or entry.attributes & _REPARSE_POINT:
        yield "link", _("It is a link.")
    elif kind not in (0, stat.S_IFDIR if named.folder else stat.S_IFREG):
        yield "special_file", _("It is neither a file nor a folder.")
    if entry.flags & _ENCRYPTED:
        yield "encrypted", _("It is encrypted.")
    elif entry.flags & _PATCH or entry.method not in (STORED, DEFLATED):
        yield "compression", _("It is packed in a way that is not read here; use deflate.")


def _of_name(path: str, limits: Limits) -> Iterator[tuple[ArchiveRule, str]]:
    parts = path.split("/")
    if any(unicodedata.category(character) in _UNSEEN for character in path):
        yield "control_character", _("Its name holds a character that is not seen.")
    if "\\" in path:
        yield "backslash", _("Its name holds a backslash.")
    if path.startswith("/"):
        yield "absolute_path", _("Its path begins at the root.")
    elif re.match(r"[A-Za-z]:", path):
        yield "drive_letter", _("Its path begins with a drive.")
    elif ":" in path:
        yield "colon", _("Its name holds a colon.")
    elif "" in parts or "." in parts:
        yield "empty_part", _("A part of its path is empty or a dot.")
    if ".." in parts:
        yield "parent_path", _("Its path leads upwards.")
    if any(part not in (".", "..") and part.endswith((".", " ")) for part in parts):
        yield "name_end", _("A part of its path ends with a dot or a space.")
    if any(is_device(part) for part in parts):
        yield "reserved_name", _("A part of its path is the name of a device on Windows.")
    if len(path) > limits.path or any(len(part.encode(errors="replace")) > LONGEST_PART for part in parts):
        yield "path_too_long", _("Its path is longer than {most} characters.").format(most=limits.path)
    if len(parts) - 1 > limits.depth:
        yield "too_deep", _("It lies more than {most} folders deep.").format(most=limits.depth)


def _clashes(named: Sequence[Named]) -> Iterator[Fault]:
    """Names that are one on some file system, and paths that are a file and a folder at once."""
    spelled: dict[str, str] = {}
    files: dict[str, str] = {}
    seen: set[str] = set()
    for each in named:
        if each.path in seen:
            yield Fault(shown(each.path), "duplicate_name", _("It is there twice."))
        seen.add(each.path)
        if not each.folder:
            files[folded(each.path)] = each.path
        for path in _with_folders(each.path):
            first = spelled.setdefault(folded(path), path)
            if first != path:
                words = _("It has the same name as {other} where capitals and forms of letters do not count.")
                yield Fault(shown(path), "name_collision", words.format(other=shown(first)))
                break
    for each in named:
        around = [path for path in _with_folders(each.path) if each.folder or path != each.path]
        if any(folded(path) in files for path in around):
            yield Fault(shown(each.path), "file_and_folder", _("A part of its path is a file as well as a folder."))


def _with_folders(path: str) -> Iterator[str]:
    """`a/b/c` → `a`, `a/b`, `a/b/c`."""
    place = path.find("/")
    while place >= 0:
        yield path[:place]
        place = path.find("/", place + 1)
    yield path
