"""kill -9 at every step on the disk: after the next start a change has happened whole, or not at all."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skills.skill_md import packed
from tests.skills.shelves import library, on_disk, package, skill
from tests.skills.zips import named

MOST_STEPS = 200


def prepared(directory: Path) -> dict[str, bytes]:
    library(directory).install([package("a", old_md=b"old"), packed(skill("b", "Old."))])
    return on_disk(directory)


def changed(before: dict[str, bytes], change: str) -> dict[str, bytes]:
    new = {"a/SKILL.md": named("a"), "a/new/md": b"new", "c/SKILL.md": named("c"), "c/new/md": b"new"}
    amended = {"b/SKILL.md": packed(skill("b", "New.")).content["SKILL.md"]}
    installed = {"d/SKILL.md": named("d"), "d/new/md": b"new", "e/SKILL.md": named("e")}
    match change:
        case "replace":
            return new | amended
        case "install":
            return before | installed
        case "delete":
            return {path: content for path, content in before.items() if not path.startswith("a/")}
    return before | amended


class Executioner:
    """Talks with `tests.skills.dying`."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def killed(self, change: str, step: int, directory: Path) -> bool:
        """Was it killed, and had not ended before?"""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(change, step, directory, file=self._process.stdin, flush=True)
        answer = int(self._process.stdout.readline())
        assert answer in (0, signal.SIGKILL)
        return answer != 0


@pytest.fixture
def executioner() -> Iterator[Executioner]:
    command = [sys.executable, "-m", "tests.skills.dying"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Executioner(process)


@pytest.mark.parametrize("change", ["replace", "install", "delete", "amend"])
def test_a_change_that_is_killed_at_any_step_is_whole_or_not_at_all_after_the_next_start(
    tmp_path: Path, executioner: Executioner, change: str
) -> None:
    seen: list[bool] = []
    for step in range(1, MOST_STEPS):
        directory = tmp_path / str(step)
        before = prepared(directory)
        after = changed(before, change)
        killed = executioner.killed(change, step, directory)
        library(directory)
        found = on_disk(directory)
        assert found in (before, after), f"step {step}"
        assert os.listdir(directory / ".staging") == ["lock"]
        seen.append(found == after)
        if not killed:
            break
    assert seen[0] is False
    assert seen[-1] is True
    assert seen == sorted(seen), "once made, a change stays made"
    assert len(seen) > 3


def test_a_start_that_is_killed_while_it_settles_a_change_is_settled_by_the_next(
    tmp_path: Path, executioner: Executioner
) -> None:
    left, after = interrupted(tmp_path, executioner)
    for step in range(1, MOST_STEPS):
        directory = tmp_path / f"again{step}"
        shutil.copytree(left, directory)
        killed = executioner.killed("open", step, directory)
        library(directory)
        assert on_disk(directory) == after, f"step {step}"
        assert os.listdir(directory / ".staging") == ["lock"]
        if not killed:
            break
    assert step > 5


def interrupted(folder: Path, executioner: Executioner) -> tuple[Path, dict[str, bytes]]:
    """A library as the process left it that was killed at the first step after which its change counts as made; and what
    the change makes of it."""
    for step in range(1, MOST_STEPS):
        left, settled = folder / f"left{step}", folder / f"settled{step}"
        after = changed(prepared(left), "replace")
        assert executioner.killed("replace", step, left)
        shutil.copytree(left, settled)
        library(settled)
        if on_disk(settled) == after:
            return left, after
    raise AssertionError("the change was never made")
