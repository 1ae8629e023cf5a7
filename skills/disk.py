"""Reading in a folder without ever leaving it: no link is followed, and nothing is opened that is not a plain file."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

MOST_FILES = 5000
"""Files of one folder that are looked at; a folder with more was not installed by this service."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # not blocking: a pipe must not hold us up


class TooLarge(OSError):
    """The folder holds more than is read."""


def is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def files_in(folder: Path) -> tuple[str, ...]:
    """The plain files in it, at any depth, as sorted paths with `/`; the first 5000 of very many."""
    found: list[str] = []
    for path, _name, _opened in _walk(folder):
        found.append(path)
        if len(found) >= MOST_FILES:
            break
    return tuple(sorted(found))


def snapshot(folder: Path, most: int) -> dict[str, bytes]:
    """Path → content of all its plain files, of this folder even if another takes its name meanwhile.

    Raises TooLarge for more than `most` bytes or 5000 files, OSError if it goes away or the disk fails.
    """
    content: dict[str, bytes] = {}
    room = most
    for path, name, opened in _walk(folder):
        content[path] = _read(name, opened, room + 1)
        room -= len(content[path])
        if room < 0 or len(content) > MOST_FILES:
            raise TooLarge(errno.EFBIG, os.strerror(errno.EFBIG), folder.name)
    return content


def read_file(folder: Path, path: str, longest: int) -> bytes:
    """Its first `longest` bytes. Raises OSError if it is no plain file in this folder."""
    *folders, name = path.split("/")
    if {"", ".", ".."} & {*folders, name}:
        raise _missing(path)
    opened = os.open(folder, _FOLDER)
    try:
        for each in folders:
            inner = os.open(each, _FOLDER, dir_fd=opened)
            os.close(opened)
            opened = inner
        return _read(name, opened, longest)
    finally:
        os.close(opened)


def _walk(folder: Path) -> Iterator[tuple[str, str, int]]:
    """Of each plain file: its path, its name, and the open folder that it lies in."""
    opened = os.open(folder, _FOLDER)
    try:
        for here, folders, names, inner in os.fwalk(".", follow_symlinks=False, dir_fd=opened):
            folders.sort()
            for name in sorted(names):
                if stat.S_ISREG(os.stat(name, dir_fd=inner, follow_symlinks=False).st_mode):
                    yield f"{here}/{name}".removeprefix("./"), name, inner
    finally:
        os.close(opened)


def _read(name: str, folder: int, longest: int) -> bytes:
    with os.fdopen(os.open(name, _FILE, dir_fd=folder), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise _missing(name)
        return file.read(longest)


def _missing(name: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
