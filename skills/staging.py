"""Changes of the library that happen whole or not at all, whenever the process dies.

A change is prepared in a folder of its own under `.staging`, on the same file system. Written down in the file `change`,
it counts as made, and is carried out by renames; `tidy` carries out what was written down and throws the rest away.
"""

import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from skills import disk
from skills.names import is_name
from skills.package import Package

STAGING = ".staging"
_CHANGE = "change"
_NEW = "new"
_OLD = "old"
_LOCK = "lock"


class Staging:
    """One library's. All of it blocks. The lock holds between threads as well as processes."""

    def __init__(self, library: Path) -> None:
        self._library = library
        self._staging = library / STAGING

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Nobody else reads or changes the library meanwhile."""
        with self._locked(fcntl.LOCK_EX):
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Nobody changes the library meanwhile."""
        with self._locked(fcntl.LOCK_SH):
            yield

    @contextmanager
    def _locked(self, kind: int) -> Iterator[None]:
        self._staging.mkdir(parents=True, exist_ok=True)
        if not disk.is_folder(self._staging):
            raise NotADirectoryError(self._staging)
        with (self._staging / _LOCK).open("w") as lock:
            fcntl.flock(lock, kind)
            yield

    def tidy(self) -> None:
        """Finish or forget what a process that died had begun."""
        for room in sorted(self._staging.iterdir()):
            if not disk.is_folder(room):
                continue
            if (room / _CHANGE).exists():
                self._carry_out(room, json.loads((room / _CHANGE).read_text("utf-8")))
            shutil.rmtree(room)

    def put(self, packages: Sequence[Package], before: Mapping[str, Sequence[str]]) -> None:
        """`before`: name → the folders that hold it now and go. Raises OSError, and then nothing has changed."""
        room = self._room()
        try:
            for package in packages:
                assert is_name(package.skill.name)
                _write(room / _NEW / package.skill.name, package.content)
            change = {package.skill.name: list(before.get(package.skill.name, ())) for package in packages}
            _write_file(room / "written", json.dumps(change).encode())
            _synced(room)
            os.replace(room / "written", room / _CHANGE)
            _synced(room)
            self._carry_out_or_undo(room, change)
        finally:
            shutil.rmtree(room, ignore_errors=True)  # what stays is thrown away at the next start

    def rewrite(self, file: Path, content: bytes) -> None:
        """One file with another content, which readers see old or new, never in between."""
        room = self._room()
        try:
            _write_file(room / "file", content)
            os.replace(room / "file", file)
            _synced(file.parent)
        finally:
            shutil.rmtree(room, ignore_errors=True)  # what stays is thrown away at the next start

    def take_away(self, folders: Sequence[str]) -> None:
        """Each folder goes in one step; its files are deleted after that."""
        room = self._room()
        try:
            for folder in folders:
                os.replace(self._library / folder, room / folder)
            _synced(self._library)
        finally:
            shutil.rmtree(room, ignore_errors=True)  # what stays is thrown away at the next start

    def _room(self) -> Path:
        room = self._staging / secrets.token_hex(8)
        room.mkdir(parents=True)
        return room

    def _carry_out(self, room: Path, change: Mapping[str, Sequence[str]]) -> None:
        (room / _OLD).mkdir(exist_ok=True)
        for name, before in change.items():
            if not (room / _NEW / name).exists():  # it has its place already
                continue
            for folder in before:
                if os.path.lexists(self._library / folder):
                    os.replace(self._library / folder, room / _OLD / folder)
            os.replace(room / _NEW / name, self._library / name)
        _synced(self._library)

    def _carry_out_or_undo(self, room: Path, change: Mapping[str, Sequence[str]]) -> None:
        try:
            self._carry_out(room, change)
        except OSError:
            self._undo(room, change)
            raise

    def _undo(self, room: Path, change: Mapping[str, Sequence[str]]) -> None:
        """While `change` is there: dying in the midst of this, the change is carried out after all."""
        for name, before in change.items():
            if not (room / _NEW / name).exists():
                os.replace(self._library / name, room / _NEW / name)
            for folder in before:
                if os.path.lexists(room / _OLD / folder):
                    os.replace(room / _OLD / folder, self._library / folder)
        (room / _CHANGE).unlink()


def _write(folder: Path, content: Mapping[str, bytes]) -> None:
    folder.mkdir(parents=True)
    for path, data in content.items():
        assert not {"", ".", ".."} & set(path.split("/"))
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        _write_file(file, data)
    for here, _folders, _files in os.walk(folder):
        _synced(Path(here))


def _write_file(file: Path, content: bytes) -> None:
    with file.open("xb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())


def _synced(folder: Path) -> None:
    """What was made or renamed in it outlasts a loss of power."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
