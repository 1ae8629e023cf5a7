"""Unpacks one entry of a zip, counting what comes out while it does. Layout: PKWARE APPNOTE 6.3, section 4.3.7."""

import struct
import zlib
from collections.abc import Iterator, Mapping
from gettext import gettext as _
from typing import BinaryIO

from skills.limits import MB, Limits
from skills.zip_directory import Entry, damaged, refused

STORED, DEFLATED = 0, 8

SMALL = 1024
"""An entry that takes less in the archive counts as if it took this much: short texts squeeze well."""

_LOCAL = struct.Struct("<4s5H3L2H")
_LOCAL_MARK = b"PK\x03\x04"
_CHUNK = 64 * 1024


def starts(file: BinaryIO, entries: Mapping[str, Entry], table: int) -> dict[str, int]:
    """Where the data of each entry begins, by name; `table` is where the table of contents does. Raises ArchiveRefused where
    an entry says something else than the table, or where two share a byte, as in bombs that lie many times over one core."""
    found: dict[str, int] = {}
    end = 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1].offset):
        file.seek(entry.offset)
        header = file.read(_LOCAL.size)
        if len(header) < _LOCAL.size or not header.startswith(_LOCAL_MARK):
            raise damaged(_("an entry is not where it should be"), name)
        _mark, _version, flags, method, *_between, named, extra = _LOCAL.unpack(header)
        if file.read(named) != entry.name or method != entry.method or (flags ^ entry.flags) & 1:
            raise damaged(_("an entry says something else than the table of contents"), name)
        start = entry.offset + _LOCAL.size + named + extra
        if entry.offset < end or start + entry.packed > table:
            raise refused("overlap", _("Entries of the archive lie over each other."), name)
        found[name] = start
        end = start + entry.packed
    return found


def content(file: BinaryIO, entry: Entry, start: int, limits: Limits, room: int, name: str) -> bytes:
    """All of it, at most `room` bytes. Raises ArchiveRefused at the first byte too many."""
    parts: list[bytes] = []
    size = 0
    for part in _unpacked(file, entry, start, name):
        size += len(part)
        check(entry, size, limits, room, name)
        parts.append(part)
    data = b"".join(parts)
    if size != entry.size or zlib.crc32(data) != entry.crc:
        raise damaged(_("what it holds is not what it announces"), name)
    return data


def check(entry: Entry, size: int, limits: Limits, room: int, name: str) -> None:
    """Is so much of it within the limits?"""
    if size > limits.file_mb * MB:
        raise refused("file_too_large", _("A file is larger than {most} MB.").format(most=limits.file_mb), name)
    if size > room:
        words = _("Unpacked, the archive is larger than {most} MB.")
        raise refused("total_too_large", words.format(most=limits.total_mb), name)
    if size > limits.ratio * max(entry.packed, SMALL):
        words = _("A file unpacks to more than {most} times its size in the archive.")
        raise refused("ratio_too_high", words.format(most=limits.ratio), name)


def _unpacked(file: BinaryIO, entry: Entry, start: int, name: str) -> Iterator[bytes]:
    file.seek(start)
    if entry.method == STORED:
        yield from _pieces(file, entry.packed)
        return
    inflating = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for piece in _pieces(file, entry.packed):
            if inflating.eof:
                raise damaged(_("data follows after its end"), name)
            while piece:
                yield inflating.decompress(piece, _CHUNK)
                piece = inflating.unconsumed_tail
    except zlib.error:
        raise damaged(_("an entry cannot be unpacked"), name) from None
    while not inflating.eof:
        rest = inflating.decompress(b"", _CHUNK)
        if not rest:
            raise damaged(_("an entry ends too early"), name)
        yield rest
    if inflating.unused_data:
        raise damaged(_("data follows after its end"), name)


def _pieces(file: BinaryIO, left: int) -> Iterator[bytes]:
    while left:
        piece = file.read(min(left, _CHUNK))
        if not piece:
            return
        left -= len(piece)
        yield piece
