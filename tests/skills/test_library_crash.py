"""kill -9 at every step on the disk: after the next start a change has happened whole, or not at all."""

import os
import shutil
import subprocess
import sys
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


def killed_at(directory: Path, change: str, step: int) -> bool:
    """Was it killed, and had not ended before?"""
    command = [sys.executable, "-m", "tests.skills.dying", str(directory), change, str(step)]
    ended = subprocess.run(command, check=False, capture_output=True)
    assert ended.returncode in (0, -9), ended.stderr
    return ended.returncode == -9


@pytest.mark.parametrize("change", ["replace", "install", "delete", "amend"])
def test_a_change_that_is_killed_at_any_step_is_whole_or_not_at_all_after_the_next_start(
    tmp_path: Path, change: str
) -> None:
    seen: list[bool] = []
    for step in range(1, MOST_STEPS):
        directory = tmp_path / str(step)
        before = prepared(directory)
        after = changed(before, change)
        killed = killed_at(directory, change, step)
        library(directory)
        found = on_disk(directory)
        assert found in (before, after), f"step {step}"
        assert os.listdir(directory / ".staging") == ["lock"]
        seen.append(found == after)
        shutil.rmtree(directory)
        if not killed:
            break
    assert seen[0] is False
    assert seen[-1] is True
    assert seen == sorted(seen), "once made, a change stays made"
    assert len(seen) > 3


def test_a_start_that_is_killed_while_it_settles_a_change_is_settled_by_the_next(tmp_path: Path) -> None:
    for step in range(1, MOST_STEPS):  # until the first one after which the change counts as made
        directory = tmp_path / "first"
        after = changed(prepared(directory), "replace")
        assert killed_at(directory, "replace", step)
        left = tmp_path / "left"
        shutil.copytree(directory, left)
        library(directory)
        if on_disk(directory) == after:
            break
        shutil.rmtree(directory)
        shutil.rmtree(left)
    else:
        pytest.fail("the change was never made")
    for again in range(1, MOST_STEPS):
        directory = tmp_path / f"again{again}"
        shutil.copytree(left, directory)
        killed = killed_at(directory, "open", again)
        library(directory)
        assert on_disk(directory) == after, f"step {again}"
        assert os.listdir(directory / ".staging") == ["lock"]
        if not killed:
            break
    assert again > 5
