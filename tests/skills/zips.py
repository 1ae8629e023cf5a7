"""Writes zips byte by byte, so that they can say anything. Layout: PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

FILE, FOLDER, LINK, PIPE = 0o100644, 0o040755, 0o120777, 0o010644
STORED, DEFLATED, BZIP2 = 0, 8, 12
UTF8 = 0x0800

SKILL = b"---\nname: plain\ndescription: Does something.\n---\nText.\n"


def named(name: str) -> bytes:
    return f"---\nname: {name}\ndescription: Does something.\n---\nText.\n".encode()


@dataclass(frozen=True)
class Written:
    """An entry as it is written down. `None`: what is true. `local_*`: what its own header says, where that differs;
    `at`: where its own header is said to be, and then none is written; `trailing`: bytes after its data that count as
    packed; `raw`: instead of its packed data."""

    name: str | bytes
    content: bytes = b""
    mode: int = FILE
    method: int = DEFLATED
    flags: int = UTF8
    size: int | None = None
    packed: int | None = None
    crc: int | None = None
    local_name: bytes | None = None
    local_method: int | None = None
    at: int | None = None
    trailing: bytes = b""
    raw: bytes | None = None
    attributes: int = 0
    extra: bytes = b""
    disk: int = 0

    @property
    def raw_name(self) -> bytes:
        return self.name.encode("utf-8", "surrogatepass") if isinstance(self.name, str) else self.name

    @property
    def data(self) -> bytes:
        if self.raw is not None:
            return self.raw
        if self.method != DEFLATED:
            return self.content + self.trailing
        packing = zlib.compressobj(9, zlib.DEFLATED, -15)
        return packing.compress(self.content) + packing.flush() + self.trailing

    @property
    def sizes(self) -> bytes:
        crc = zlib.crc32(self.content) if self.crc is None else self.crc
        packed = len(self.data) if self.packed is None else self.packed
        return struct.pack("<3L", crc, packed, len(self.content) if self.size is None else self.size)


def local(entry: Written) -> bytes:
    """The entry itself: its own header and its data."""
    name = entry.raw_name if entry.local_name is None else entry.local_name
    method = entry.method if entry.local_method is None else entry.local_method
    start = struct.pack("<4s5H", b"PK\x03\x04", 20, entry.flags, method, 0, 33)
    return start + entry.sizes + struct.pack("<2H", len(name), 0) + name + entry.data


def zipped(
    entries: Sequence[Written],
    *,
    comment: bytes = b"",
    after: bytes = b"",
    count: int | None = None,
    table: int | None = None,
    shift: int = 0,
    disk: int = 0,
    table_end: bytes = b"",
    gap: bytes = b"",
) -> bytes:
    """The archive. `count`, `table`, `shift`: what it says of the number of entries, the length of the table, and how far the
    table is from where it is."""
    body, headers = bytearray(), bytearray()
    for entry in entries:
        offset = len(body) if entry.at is None else entry.at
        if entry.at is None:
            body += local(entry)
        headers += struct.pack("<4s6H", b"PK\x01\x02", 0x0314, 20, entry.flags, entry.method, 0, 33) + entry.sizes
        headers += struct.pack("<5H", len(entry.raw_name), len(entry.extra), 0, entry.disk, 0)
        headers += struct.pack("<2L", entry.mode << 16 | entry.attributes, offset) + entry.raw_name + entry.extra
    headers += table_end
    said = len(entries) if count is None else count
    end = struct.pack(
        "<4s4H2LH",
        b"PK\x05\x06",
        disk,
        0,
        said,
        said,
        len(headers) if table is None else table,
        len(body) + shift,
        len(comment),
    )
    return bytes(body + headers) + gap + end + comment + after


def skill_and(*entries: Written) -> bytes:
    """A good skill at the top, and beside it what is tested."""
    return zipped([Written("SKILL.md", SKILL), *entries])


def packed(files: Mapping[str, bytes]) -> bytes:
    """An ordinary archive, as everybody makes them."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writing:
        for name, content in files.items():
            writing.writestr(name, content)
    return archive.getvalue()


def opened(data: bytes) -> BinaryIO:
    return io.BytesIO(data)
