"""Processes that a killed service has left behind: ended at the next start, by what was written down of them.

Each connection has a mark of its own, `<service>:<number>`, in the environment of its processes. The service's part of
it, made by chance once for a data directory, is in a file there; beside it each process that runs, by pid and start time.
"""

import asyncio
import json
import os
import secrets
import signal
from collections.abc import Iterator
from pathlib import Path

from bot.mcp_client.processes import Process, marked

_WAIT_S = 2.0


class Ledger:
    """What this service has running. Written at each change, whole."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / "mcp-processes.json"
        self._running: dict[str, Process] = {}
        self._number = 0
        self._service = ""

    def new_mark(self) -> str:
        self._number += 1
        return f"{self._service}:{os.getpid()}.{self._number}"

    def note(self, mark: str, process: Process) -> None:
        self._running[mark] = process
        self._write()

    def forget(self, mark: str) -> None:
        if self._running.pop(mark, None) is not None:
            self._write()

    async def begin(self) -> int:
        """Take over the file, and end what an earlier service left. Returns how many processes that were."""
        written = self._read()
        service = written.get("service")
        self._service = service if isinstance(service, str) and len(service) == 24 else secrets.token_hex(12)
        left = [*_processes(written), *await asyncio.to_thread(marked, f"{self._service}:")]
        await _end(self._service, left)
        self._running = {}
        self._write()
        return len(set(left))

    def _read(self) -> dict[str, object]:
        try:
            written = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return written if isinstance(written, dict) else {}

    def _write(self) -> None:
        running = [[one.pid, one.started] for one in self._running.values()]
        beside = self._path.with_suffix(".new")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps({"service": self._service, "boot": _boot(), "running": running}), "utf-8")
        beside.replace(self._path)


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


async def _end(service: str, left: list[Process]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGKILL):
        for one in {*left, *marked(f"{service}:")}:
            one.signal(number)
        end = loop.time() + _WAIT_S
        while loop.time() < end and (any(one.lives for one in left) or marked(f"{service}:")):  # noqa: ASYNC110  no event tells
            await asyncio.sleep(0.05)
