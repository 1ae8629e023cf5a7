"""Whether a process lives, told apart from another that got its number."""

import asyncio
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Born:
    """`since` is its start time, in ticks since the machine started."""

    pid: int
    since: str


def born(pid: int) -> Born | None:
    """None if there is none, or only what is left of it until somebody asks."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else Born(pid, fields[19])


def alive(process: Born) -> bool:
    return born(process.pid) == process


async def appears(file: Path) -> str:
    """The first line of a file, once it is there whole."""
    while True:
        if file.exists() and "\n" in (text := file.read_text()):
            return text.partition("\n")[0]
        await asyncio.sleep(0.01)


async def gone(process: Born) -> None:
    """Returns when it has ended: a process that was killed may take a moment to be gone."""
    while True:
        if not alive(process):
            return
        await asyncio.sleep(0.01)
