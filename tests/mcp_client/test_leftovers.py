"""What a service that was killed has left behind is ended at the next start; what a living one runs is let alone."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from bot.mcp_client.leftovers import FOLDER, Ledger
from bot.mcp_client.processes import MARK, process

DEAD = "a" * 24
"""The name of a service that is no more: nobody holds its file."""


async def started(mark: str = "") -> asyncio.subprocess.Process:
    environment = {**os.environ, **({MARK: mark} if mark else {})}
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", "import sys; sys.stdin.read()", stdin=asyncio.subprocess.PIPE, env=environment
    )


async def ended(child: asyncio.subprocess.Process) -> int:
    return await asyncio.wait_for(child.wait(), 10)


async def let_go(child: asyncio.subprocess.Process) -> None:
    child.kill()
    await child.wait()


async def begun(folder: Path) -> int:
    """How many processes a service that is started now has to end."""
    ledger = Ledger(folder)
    try:
        return await ledger.begin()
    finally:
        ledger.close()


def noted(child: asyncio.subprocess.Process) -> list[int]:
    found = process(child.pid)
    assert found is not None
    return [found.pid, found.started]


def file_of(folder: Path, text: str) -> Path:
    path = folder / FOLDER / f"{DEAD}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def written(child: asyncio.subprocess.Process, shift: int = 0) -> str:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    pid, begun = noted(child)
    return f'{{"boot": "{boot}", "running": [[{pid}, {begun + shift}]]}}'


async def test_what_was_written_down_of_a_dead_service_is_ended(tmp_path: Path) -> None:
    child = await started()
    path = file_of(tmp_path, written(child))
    assert await begun(tmp_path) == 1
    assert await ended(child) < 0
    assert not path.exists()


@pytest.mark.parametrize("text", ["", '{"boot": "x", "runn', "[]", '{"running": [[1, 1], ["x"]]}'])
async def test_what_bears_its_mark_is_ended_whatever_its_file_says(tmp_path: Path, text: str) -> None:
    child = await started(f"{DEAD}:7")
    file_of(tmp_path, text)
    assert await begun(tmp_path) == 1
    assert await ended(child) < 0


async def test_another_process_that_got_the_same_pid_is_let_alone(tmp_path: Path) -> None:
    child = await started()
    file_of(tmp_path, written(child, shift=1))
    assert await begun(tmp_path) == 0
    assert child.returncode is None
    await let_go(child)


async def test_what_a_living_service_runs_is_let_alone(tmp_path: Path) -> None:
    first, second = Ledger(tmp_path), Ledger(tmp_path)
    await first.begin()
    mark = first.new_mark()
    child = await started(mark)
    found = process(child.pid)
    assert found is not None
    first.note(mark, found)
    assert await second.begin() == 0
    assert child.returncode is None
    await let_go(child)
    first.forget(mark)
    first.close()
    second.close()
    assert list((tmp_path / FOLDER).iterdir()) == []
