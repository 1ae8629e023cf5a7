"""Processes by what the kernel says of them, never by their name."""

import contextlib
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MARK = "ASKFIRST_MCP"
"""In the environment of each server's process, and so in that of whatever it starts: which service, which connection."""


@dataclass(frozen=True, slots=True)
class Process:
    """A pid may be used again; with the time at which it was started it is one process for good."""

    pid: int
    started: int

    @property
    def lives(self) -> bool:
        """Runs, or could: a zombie is dead, and waits only for its parent to notice."""
        found = stat_of(self.pid)
        return found is not None and found[1] == self.started and found[0] not in "ZX"

    def signal(self, number: signal.Signals) -> None:
        if self.lives:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self.pid, number)


def stat_of(pid: int) -> tuple[str, int] | None:
    """State and start time (clock ticks since boot) from /proc/<pid>/stat (proc(5)); None: there is no such process."""
    fields = _fields(pid)
    return None if fields is None else (fields[0], int(fields[19]))


def _fields(pid: int) -> list[str] | None:
    """From the state on: what stands before it may hold anything."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return fields if len(fields) > 19 else None


def process(pid: int) -> Process | None:
    found = stat_of(pid)
    return None if found is None else Process(pid, found[1])


def marked(mark: str) -> list[Process]:
    """The living processes whose environment says `mark`, or begins with it where it ends in a colon."""
    wanted = f"{MARK}={mark}".encode()
    return [one for pid, environment in environments() if _says(environment, wanted) and (one := _living(pid))]


def of_session(leader: Process) -> list[Process]:
    """The living processes of the session that `leader` began, also when it has ended itself. As long as one of them lives,
    the kernel gives its pid to nobody else."""
    there = process(leader.pid)
    if there is not None and there != leader:
        return []
    fields = ((pid, _fields(pid)) for pid in _pids())
    mine = [pid for pid, found in fields if found is not None and int(found[3]) == leader.pid]
    return [one for pid in mine if (one := _living(pid)) is not None]


def _says(environment: bytes, wanted: bytes) -> bool:
    entries = environment.split(b"\0")
    if wanted.endswith(b":"):
        return any(entry.startswith(wanted) for entry in entries)
    return wanted in entries


def _living(pid: int) -> Process | None:
    found = process(pid)
    return found if found is not None and found.lives else None


def environments() -> Iterator[tuple[int, bytes]]:
    """Of each process that we may look at, save ourselves."""
    for pid in _pids():
        with contextlib.suppress(OSError):
            yield pid, Path(f"/proc/{pid}/environ").read_bytes()


def _pids() -> Iterator[int]:
    ours = os.getpid()
    return (int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != ours)
