"""Reads the table of contents of a zip, and believes as little of it as can be.

Written out here, because `zipfile` builds an object for each entry before any can be counted, cuts names at a NUL, lets
the last of two equal names win, and gives a stream that is longer than announced only in part. Layout: PKWARE APPNOTE
6.3, sections 4.3.12 and 4.3.16. Left out on purpose: ZIP64, several disks, anything around it that its offsets do not know.
"""

import struct
from dataclasses import dataclass
from gettext import gettext as _
from typing import BinaryIO

from skills.errors import ArchiveRefused, Fault
from skills.limits import MB, Limits
from skills.rules import ArchiveRule

_END = struct.Struct("<4s4H2LH")
_HEADER = struct.Struct("<4s6H3L5H2L")
_END_MARK, _HEADER_MARK = b"PK\x05\x06", b"PK\x01\x02"
_LONGEST_COMMENT = 0xFFFF
_UNSAID = 0xFFFFFFFF
"""What stands in a field of four bytes when the number is in a ZIP64 field."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the table. `packed` and `size` are what it says; `attributes` as its maker wrote them, with the Unix mode
    in the upper 16 bits; `offset` is that of its local header."""

    name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    attributes: int
    offset: int


@dataclass(frozen=True, slots=True)
class Directory:
    """`start`: where the table begins, which is where the last entry ends at the latest."""

    entries: tuple[Entry, ...]
    start: int


def read(file: BinaryIO, limits: Limits) -> Directory:
    """Raises ArchiveRefused: it is no zip, it is too large, or it has too many entries."""
    length = file.seek(0, 2)
    if length > limits.zip_mb * MB:
        raise refused("zip_too_large", _("The archive is larger than {most} MB.").format(most=limits.zip_mb))
    end, place = _end(file, length)
    mark, disk, first_disk, here, count, size, start, _comment = end
    assert mark == _END_MARK
    if count > limits.entries:
        raise _too_many(limits)
    if _UNSAID in (size, start):
        raise _zip64()
    if disk or first_disk or here != count or start + size != place:
        raise damaged(_("its table of contents is not where it should be"))
    file.seek(start)
    return Directory(tuple(_entries(file.read(size), count)), start)


def refused(rule: ArchiveRule, message: str, entry: str = "") -> ArchiveRefused:
    return ArchiveRefused([Fault(entry, rule, message)])


def damaged(what: str, entry: str = "") -> ArchiveRefused:
    return refused("damaged", _("The archive is damaged: {what}.").format(what=what), entry)


def _end(file: BinaryIO, length: int) -> tuple[tuple[bytes, int, int, int, int, int, int, int], int]:
    """The last record, whose comment reaches just to the end of the file, and where it stands."""
    start = max(0, length - _END.size - _LONGEST_COMMENT)
    file.seek(start)
    tail = file.read()
    place = tail.rfind(_END_MARK)
    while place >= 0:
        if len(tail) - place >= _END.size:
            end = _END.unpack_from(tail, place)
            if place + _END.size + end[-1] == len(tail):
                return end, start + place
        place = tail.rfind(_END_MARK, 0, place)
    file.seek(0)
    if file.read(2) == b"PK":
        raise damaged(_("its end is missing"))
    raise refused("not_a_zip", _("This is no zip archive."))


def _entries(table: bytes, count: int) -> list[Entry]:
    entries: list[Entry] = []
    place = 0
    for _each in range(count):
        if len(table) - place < _HEADER.size or not table.startswith(_HEADER_MARK, place):
            raise damaged(_("its table of contents is cut short"))
        values = _HEADER.unpack_from(table, place)
        flags, method, crc, packed, size = values[3], values[4], *values[7:10]
        named, extra, comment, disk = values[10:14]
        attributes, offset = values[15:17]
        if _UNSAID in (packed, size, offset):
            raise _zip64()
        if disk:
            raise damaged(_("a part of it lies elsewhere"))
        begin = place + _HEADER.size
        entries.append(Entry(table[begin : begin + named], flags, method, crc, packed, size, attributes, offset))
        place = begin + named + extra + comment
    if place != len(table):
        raise damaged(_("its table of contents holds more than it says"))
    return entries


def _too_many(limits: Limits) -> ArchiveRefused:
    words = _("The archive has more than {most} entries.")
    return refused("too_many_entries", words.format(most=limits.entries))


def _zip64() -> ArchiveRefused:
    return refused("zip64", _("The archive is in the form for very large ones (ZIP64), which is not read here."))
