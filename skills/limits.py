"""How much one archive of skills may hold."""

from dataclasses import dataclass

MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """All of them are measured on what is really there, never on what the archive says; what is ignored counts too.

    zip_mb, total_mb, file_mb: of the archive, of all its files unpacked, of one of them, in units of 1,048,576 bytes.
    entries: files and folders.  ratio: unpacked to packed bytes of one file.
    depth: folders within each other.  path: characters of a path, with its folders.
    """

    zip_mb: int = 25
    entries: int = 500
    total_mb: int = 25
    file_mb: int = 10
    ratio: int = 100
    depth: int = 8
    path: int = 200
