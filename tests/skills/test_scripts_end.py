"""M002, M116: when a script is over, nothing of it is alive, whatever it started and however it ended."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event

import pytest

from skills import processes
from skills.scripts import Outcome, ScriptLimits, run
from tests.skills.alive import Born, alive, appears, born, gone

WRITE_PID = "open('{folder}/' + name, 'w').write(str(os.getpid()) + chr(10))"
SCRIPT = f"""\
import os, signal, subprocess, sys, time

def sit(name):
    {WRITE_PID}
    time.sleep(600)

def child(name, leave=False, deaf=False):
    if os.fork():
        return
    if leave:
        os.setsid()
        if os.fork():
            os._exit(0)
    if deaf:
        for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(each, signal.SIG_IGN)
    sit(name)

child("plain")
child("deaf", deaf=True)
child("left", leave=True)
subprocess.Popen([sys.executable, "-c", "import os, time; name = 'execed'; {WRITE_PID}; time.sleep(600)"],
                 start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
subprocess.Popen([sys.executable, "-c", "import os, time; name = 'bare'; {WRITE_PID}; time.sleep(600)"], env={{}})
"""
NAMES = ("plain", "deaf", "left", "execed", "bare")
WAIT = """
for name in ("plain", "deaf", "left", "execed", "bare"):
    while not os.path.exists("{folder}/" + name):
        time.sleep(0.01)
print("all there", flush=True)
"""
LIMITS = ScriptLimits(seconds=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("copies", "pids", "skill/scripts"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path / "skill"


def written(folder: Path, end: str) -> None:
    text = SCRIPT + WAIT + end
    (folder / "scripts/run.py").write_text(text.replace("{folder}", str(folder.parent / "pids")))


async def begun(folder: Path) -> list[Born]:
    pids = [int(await appears(folder.parent / "pids" / name)) for name in NAMES]
    found = [born(pid) for pid in pids]
    assert None not in found
    return [each for each in found if each is not None]


@asynccontextmanager
async def running(folder: Path, limits: ScriptLimits) -> AsyncIterator["asyncio.Task[Outcome]"]:
    task = asyncio.create_task(run(folder, "scripts/run.py", [], limits, copies=folder.parent / "copies"))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])
    assert os.listdir(folder.parent / "copies") == []


async def test_what_it_left_behind_is_gone_when_it_ends_by_itself(folder: Path) -> None:
    written(folder, f"while not os.path.exists('{folder.parent}/end'): time.sleep(0.01)\n")
    async with running(folder, LIMITS) as task:
        processes = await begun(folder)
        (folder.parent / "end").touch()
        outcome = await task
    assert outcome == Outcome(0, "all there\n", "", 0)
    for process in processes:
        await gone(process)


async def test_all_of_it_is_gone_when_its_time_is_over(folder: Path) -> None:
    written(folder, "time.sleep(600)\n")
    async with running(folder, ScriptLimits(seconds=6)) as task:
        processes = await begun(folder)
        outcome = await task
    assert outcome == Outcome(None, "all there\n", "", 0)
    assert not outcome.in_time
    for process in processes:
        await gone(process)


async def test_all_of_it_is_gone_when_it_is_cancelled(folder: Path) -> None:
    written(folder, "time.sleep(600)\n")
    async with running(folder, LIMITS) as task:
        processes = await begun(folder)
        assert all(alive(process) for process in processes)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    for process in processes:
        await gone(process)


async def test_being_cancelled_twice_ends_it_all_the_same(folder: Path) -> None:
    written(folder, "time.sleep(600)\n")
    async with running(folder, LIMITS) as task:
        processes = await begun(folder)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
    for process in processes:
        await gone(process)


async def test_a_script_that_is_deaf_is_killed(folder: Path) -> None:
    text = "trap '' TERM HUP INT\necho here\nwhile :; do :; done\n"
    (folder / "scripts/run.py").write_text("#!/bin/sh\n" + text)
    async with running(folder, ScriptLimits(seconds=2)) as task:
        assert await task == Outcome(None, "here\n", "", 0)


async def test_a_flood_ends_with_its_time_and_is_counted(folder: Path) -> None:
    (folder / "scripts/run.py").write_text("#!/bin/sh\nyes\n")
    async with running(folder, ScriptLimits(seconds=1, output=10)) as task:
        outcome = await task
    assert (outcome.code, outcome.stdout) == (None, "y\n" * 5)
    assert outcome.left_out > 10_000


async def test_closing_its_output_does_not_end_it(folder: Path) -> None:
    (folder / "scripts/run.py").write_text("#!/bin/sh\nexec >&- 2>&-\nsleep 0.3\nexit 7\n")
    async with running(folder, LIMITS) as task:
        assert (await task).code == 7


async def test_somebody_else_with_the_same_program_is_left_alone(folder: Path) -> None:
    """M005."""
    bystander = await asyncio.create_subprocess_exec(sys.executable, "-c", "import time; time.sleep(600)")
    try:
        written(folder, "")
        async with running(folder, LIMITS) as task:
            await task
        process = born(bystander.pid)
        assert process is not None
        assert alive(process)
    finally:
        bystander.kill()
        await bystander.wait()


async def test_one_that_escapes_with_the_output_in_its_hand_does_not_hold_us_up(folder: Path) -> None:
    """What the docstring says escapes: another session, and an environment of its own."""
    pid = folder.parent / "pids/escaped"
    inner = f"import os, time; open('{pid}', 'w').write(str(os.getpid()) + chr(10)); time.sleep(600)"
    text = (
        "import os, subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, '-c', {inner!r}], start_new_session=True, env={{}})\n"
        f"while not os.path.exists('{pid}'): time.sleep(0.01)\n"
        "print('out', flush=True)\n"
    )
    (folder / "scripts/run.py").write_text(text)
    async with running(folder, LIMITS) as task:
        assert await task == Outcome(0, "out\n", "", 0)
    os.kill(int(await appears(pid)), signal.SIGKILL)


class Late(Event):
    """Asks to stop, and only when everything has been said."""

    def __init__(self, said: Path) -> None:
        super().__init__()
        self._said = said

    def is_set(self) -> bool:
        while not self._said.exists():
            time.sleep(0.01)
        return True


def test_what_was_said_last_is_heard_after_the_end(tmp_path: Path) -> None:
    command = ["/bin/sh", "-c", "echo last words; touch said; sleep 600"]
    ended = processes.watch(command, tmp_path, {}, "mark-of-nobody=1", 60, 100, Late(tmp_path / "said"))
    assert ended == processes.Ended(None, b"last words\n", b"", 0)
