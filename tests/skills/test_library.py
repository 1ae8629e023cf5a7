import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from skills.errors import ContentRefused, Protected, Taken, UnknownSkill
from skills.library import LONGEST_READ, Library, builtin_directory
from skills.package import Package
from skills.skill_md import packed
from skills.staging import Staging
from tests.skills.shelves import library, on_disk, package, skill
from tests.skills.zips import named

BUILTIN = (
    "askfirst-guide",
    "document-review",
    "form-asking",
    "knowledge-base",
    "memory-keeping",
    "note-keeping",
    "silent-exit",
)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "data" / "skills"


def names(shelf: Library) -> tuple[str, ...]:
    return tuple(each.name for each in shelf.listed().skills if not each.builtin)


def faults(shelf: Library) -> list[tuple[str, str]]:
    return [(fault.entry, fault.rule) for fault in shelf.listed().faults]


def test_what_is_installed_is_listed_and_read(directory: Path) -> None:
    shelf = library(directory)
    b, a = package("b", scripts_run_py=b"print(1)", notes_md=b"n"), package("a")
    assert shelf.install([b, a]) == ("b", "a")
    assert names(shelf) == ("a", "b")
    assert shelf.read("b") == b.skill
    assert shelf.read("b").scripts == ("scripts/run.py",)
    assert shelf.folder("b") == directory / "b"
    assert shelf.listed().faults == ()
    assert on_disk(directory) == {
        "a/SKILL.md": named("a"),
        "b/SKILL.md": named("b"),
        "b/scripts/run.py": b"print(1)",
        "b/notes/md": b"n",
    }


def test_no_file_is_made_executable(directory: Path) -> None:
    library(directory).install([package("a", scripts_run_sh=b"#!/bin/sh")])
    mode = (directory / "a/scripts/run.sh").stat().st_mode
    assert not mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def test_a_taken_name_is_refused_and_nothing_of_the_bundle_is_written(directory: Path) -> None:
    shelf = library(directory)
    shelf.install([package("a", x_md=b"old")])
    before = on_disk(directory)
    with pytest.raises(Taken) as refusal:
        shelf.install([package("b"), package("a")])
    assert refusal.value.names == ("a",)
    assert on_disk(directory) == before


def test_replacing_leaves_nothing_of_the_old_one(directory: Path) -> None:
    shelf = library(directory)
    shelf.install([package("a", scripts_old_py=b"old")])
    assert shelf.replace([package("a", scripts_new_py=b"new"), package("b")]) == ("a", "b")
    assert on_disk(directory) == {
        "a/SKILL.md": named("a"),
        "a/scripts/new.py": b"new",
        "b/SKILL.md": named("b"),
    }


def test_a_skill_of_the_api_is_stored_as_a_file_and_read_the_same(directory: Path) -> None:
    shelf = library(directory)
    made = skill("of-the-api", tool_names=["add_note"], prompt_hint="Hint: one")
    shelf.install([packed(made)])
    assert shelf.read("of-the-api") == made
    assert (directory / "of-the-api/SKILL.md").read_text().startswith("---\nname: of-the-api\n")


def test_amending_changes_the_text_and_keeps_the_files(directory: Path) -> None:
    shelf = library(directory)
    shelf.install([package("a", scripts_run_py=b"print(1)")])
    changed = replace(shelf.read("a"), description="Something else.")
    shelf.amend(changed)
    assert shelf.read("a") == changed
    assert on_disk(directory)["a/scripts/run.py"] == b"print(1)"


def test_amending_what_is_not_there_or_cannot_be_read_again_changes_nothing(directory: Path) -> None:
    shelf = library(directory)
    shelf.install([package("a")])
    before = on_disk(directory)
    with pytest.raises(UnknownSkill):
        shelf.amend(skill("b"))
    with pytest.raises(ContentRefused):
        shelf.amend(replace(shelf.read("a"), description="d" * 2000))
    assert on_disk(directory) == before


def test_what_is_deleted_is_gone_and_its_name_free(directory: Path) -> None:
    """M172: nothing of the old one is in the new one."""
    shelf = library(directory)
    shelf.install([package("a", x_md=b"old"), package("b")])
    shelf.delete("a")
    assert names(shelf) == ("b",)
    with pytest.raises(UnknownSkill):
        shelf.read("a")
    with pytest.raises(UnknownSkill):
        shelf.delete("a")
    shelf.install([package("a")])
    assert shelf.read("a").files == ()


@pytest.mark.parametrize("name", ["", ".", "..", ".staging", "../x", "a/..", "A\0"])
def test_a_name_that_is_none_deletes_and_reads_nothing(directory: Path, name: str) -> None:
    shelf = library(directory)
    (directory.parent / "x").mkdir()
    shelf.install([package("a")])
    before = on_disk(directory.parent)
    with pytest.raises(UnknownSkill):
        shelf.delete(name)
    with pytest.raises(UnknownSkill):
        shelf.read(name)
    assert on_disk(directory.parent) == before


def test_a_file_beside_is_read_and_nothing_else(directory: Path) -> None:
    shelf = library(directory)
    shelf.install([package("a", notes_md=b"x" * (LONGEST_READ + 5))])
    assert shelf.file("a", "notes/md") == b"x" * LONGEST_READ
    for path in ("SKILL.md", "../b/SKILL.md", "/etc/passwd", "notes", "notes/../notes/md", "", "."):
        with pytest.raises(UnknownSkill):
            shelf.file("a", path)


def test_built_in_skills_are_listed_first_come_what_may(directory: Path) -> None:
    """M171, M170: the name of a built-in skill is nobody else's."""
    shelf = library(directory)
    assert tuple(each.name for each in shelf.listed().skills if each.builtin) == BUILTIN
    for name in ("note-keeping", "Note-Keeping"):
        (directory / name).mkdir()
        (directory / name / "SKILL.md").write_bytes(named("note-keeping"))
    assert shelf.read("note-keeping").builtin
    assert shelf.read("note-keeping").instructions != "Text."
    assert ("note-keeping/SKILL.md", "builtin_name") in faults(shelf)
    assert names(shelf) == ()


CHANGES: dict[str, Callable[[Library, Package], object]] = {
    "install": lambda shelf, ours: shelf.install([package("a"), ours]),
    "replace": lambda shelf, ours: shelf.replace([ours, package("a")]),
    "amend": lambda shelf, ours: shelf.amend(ours.skill),
    "delete": lambda shelf, ours: shelf.delete(ours.skill.name),
    "delete in capitals": lambda shelf, ours: shelf.delete(ours.skill.name.upper()),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_built_in_skills_cannot_be_changed(directory: Path, change: Callable[[Library, Package], object]) -> None:
    shelf = library(directory)
    before = (on_disk(directory), on_disk(builtin_directory()))
    with pytest.raises(Protected):
        change(shelf, package("document-review"))
    assert (on_disk(directory), on_disk(builtin_directory())) == before


def test_a_disk_that_fails_while_a_change_is_prepared_leaves_all_as_it_was(directory: Path) -> None:
    shelf = library(directory)
    shelf.install([package("a", x_md=b"old")])
    before = on_disk(directory)
    unwritable = Package(package("c").skill, {"SKILL.md": named("c"), "x": b"", "x/y": b""})
    with pytest.raises(OSError, match="x"):
        shelf.replace([package("a", x_md=b"new"), package("b"), unwritable])
    assert on_disk(directory) == before
    assert os.listdir(directory / ".staging") == ["lock"]


def test_a_disk_that_fails_while_a_change_is_carried_out_leaves_all_as_it_was(directory: Path) -> None:
    shelf = library(directory)
    shelf.install([package("a", x_md=b"old"), package("c")])
    before = on_disk(directory)
    staging = Staging(directory)
    with pytest.raises(OSError, match="c"), staging.changing():
        staging.put([package("a", x_md=b"new"), package("b"), package("c")], {"a": ["a"]})  # c is in the way
    assert on_disk(directory) == before
    assert os.listdir(directory / ".staging") == ["lock"]
