"""A zip → the packages in it, all of them or none, before anything is written anywhere."""

from collections.abc import Sequence
from gettext import gettext as _
from typing import BinaryIO

from skills import entry_paths, zip_directory, zip_member
from skills.bundle import Bundle, bundled
from skills.entry_paths import Named
from skills.errors import ArchiveRefused
from skills.limits import MB, Limits


def read(file: BinaryIO, limits: Limits) -> Bundle:
    """`file` can be sought in and is left open. What it holds is kept in memory, `total_mb` of it at most.

    Raises ArchiveRefused (it may not be unpacked) or ContentRefused (what it holds is no skill).
    """
    return bundled(unpack(file, limits))


def unpack(file: BinaryIO, limits: Limits) -> dict[str, bytes]:
    """Path → content of every file. Raises ArchiveRefused."""
    directory = zip_directory.read(file, limits)
    named, faults = entry_paths.read(directory.entries, limits)
    if faults:
        raise ArchiveRefused(faults)
    _announced(named, limits)
    starts = zip_member.starts(file, {each.path: each.entry for each in named}, directory.start)
    files: dict[str, bytes] = {}
    room = limits.total_mb * MB
    for each in named:
        data = zip_member.content(file, each.entry, starts[each.path], limits, room, each.path)
        room -= len(data)
        if each.folder and data:
            raise zip_directory.damaged(_("a folder holds data"), each.path)
        if not each.folder:
            files[each.path] = data
    return files


def _announced(named: Sequence[Named], limits: Limits) -> None:
    """A first look at what the archive says of itself; what is true of it is counted while it is unpacked."""
    room = limits.total_mb * MB
    for each in named:
        zip_member.check(each.entry, each.entry.size, limits, room, each.path)
        room -= each.entry.size
