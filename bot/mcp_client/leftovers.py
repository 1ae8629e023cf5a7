"""Processes that a killed service has left behind: ended at the next start, by what was written down of them.

Each connection has a mark of its own, `<service>:<number>`, in the environment of its processes. The service's part of it
is made by chance at each start; a file of that name holds each process that runs, by pid and start time. Several services
may share a data directory: whose file is locked is alive, and its processes are let alone.
"""

import asyncio
import fcntl
import json
import secrets
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from bot.mcp_client.processes import Process, marked

FOLDER = "mcp-processes"

_WAIT_S = 2.0


class Ledger:
    """What this service has running. Written at each change, whole."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / FOLDER
        self._service = secrets.token_hex(12)
        self._running: dict[str, Process] = {}
        self._number = 0
        self._file: IO[str] | None = None

    def new_mark(self) -> str:
        self._number += 1
        return f"{self._service}:{self._number}"

    def note(self, mark: str, process: Process) -> None:
        self._running[mark] = process
        self._write()

    def forget(self, mark: str) -> None:
        if self._running.pop(mark, None) is not None:
            self._write()

    async def begin(self) -> int:
        """End what services left that are no more. Returns how many processes that were. To be awaited before anything is
        started: from then on it can be found by our name."""
        self._write()
        count = 0
        for path in sorted(self._folder.glob("*.json")):
            with path.open("r+", encoding="utf-8") as file:
                if path.stem != self._service and _locked(file):
                    count += await _end(path.stem, list(_processes(_read(file))))
                    path.unlink(missing_ok=True)
        return count

    def close(self) -> None:
        """Nothing of ours runs any more."""
        if self._file is not None:
            self._path.unlink(missing_ok=True)
            self._file.close()
            self._file = None

    @property
    def _path(self) -> Path:
        return self._folder / f"{self._service}.json"

    def _write(self) -> None:
        """In place, since the lock is on the file: one that was cut off says nothing, and then the marks are looked for."""
        file = self._file = self._file or self._locked_file()
        file.seek(0)
        file.truncate()
        running = [[one.pid, one.started] for one in self._running.values()]
        json.dump({"boot": _boot(), "running": running}, file)
        file.flush()

    def _locked_file(self) -> IO[str]:
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._path.open("w", encoding="utf-8")
        fcntl.flock(file, fcntl.LOCK_EX)
        return file


def _locked(file: IO[str]) -> bool:
    """Is it ours now? Not while the service that wrote it lives."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _read(file: IO[str]) -> dict[str, object]:
    try:
        written = json.load(file)
    except ValueError:
        return {}
    return written if isinstance(written, dict) else {}


def _boot() -> str:
    """Start times count from the boot, so what was written before it says nothing."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip()
    except OSError:
        return ""


def _processes(written: dict[str, object]) -> Iterator[Process]:
    running = written.get("running")
    if written.get("boot") != _boot() or not isinstance(running, list):
        return
    for one in running:
        if isinstance(one, list) and len(one) == 2 and all(isinstance(part, int) for part in one):
            found = Process(one[0], one[1])
            if found.lives:
                yield found


async def _end(service: str, noted: list[Process]) -> int:
    """Of this service, what was noted and what bears its mark; how many that were."""
    loop = asyncio.get_running_loop()
    found = {*noted, *await asyncio.to_thread(marked, f"{service}:")}
    for number in (signal.SIGTERM, signal.SIGKILL):
        for one in {*noted, *marked(f"{service}:")}:
            one.signal(number)
        end = loop.time() + _WAIT_S
        while loop.time() < end and (any(one.lives for one in noted) or marked(f"{service}:")):  # noqa: ASYNC110  no event tells
            await asyncio.sleep(0.05)
    return len(found)
