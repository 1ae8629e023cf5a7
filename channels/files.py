"""Files on their way to a chat."""

from dataclasses import dataclass

_KILO = 1024


@dataclass(frozen=True, slots=True)
class File:
    """Something that is not text. The name is safe to show and to save by: bounded, no path, no hidden characters."""

    name: str
    mime: str
    content: bytes


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file that is kept for a while: what it is asked for by, and what is said of it. `size` is in bytes."""

    id: str
    name: str
    mime: str
    size: int


def size_words(size: int) -> str:
    """`300 bytes`, `12 kB`, `3.4 MB`."""
    if size < _KILO:
        return f"{size} bytes"
    if size < _KILO * _KILO:
        return f"{round(size / _KILO)} kB"
    return f"{size / _KILO / _KILO:.1f} MB"
