"""What somebody put into the library by hand: seen, told, never trusted to be where it says."""

import os
from pathlib import Path

import pytest

from skills import disk
from skills.errors import Taken, UnknownSkill
from skills.library import Library
from tests.skills.shelves import library, on_disk, package
from tests.skills.zips import named


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "data" / "skills"


def names(shelf: Library) -> tuple[str, ...]:
    return tuple(each.name for each in shelf.listed().skills if not each.builtin)


def faults(shelf: Library) -> list[tuple[str, str]]:
    return [(fault.entry, fault.rule) for fault in shelf.listed().faults]


def put(directory: Path, folder: str, content: bytes) -> None:
    (directory / folder).mkdir(parents=True)
    (directory / folder / "SKILL.md").write_bytes(content)


def test_of_two_skills_with_one_name_none_is_used(directory: Path) -> None:
    """M170."""
    shelf = library(directory)
    put(directory, "first", named("same"))
    put(directory, "second", named("same"))
    put(directory, "good", named("good"))
    assert names(shelf) == ("good",)
    assert faults(shelf) == [("first/SKILL.md", "same_name"), ("second/SKILL.md", "same_name")]
    with pytest.raises(UnknownSkill):
        shelf.read("same")
    with pytest.raises(Taken):
        shelf.install([package("same")])
    shelf.replace([package("same")])
    assert names(shelf) == ("good", "same")
    assert not (directory / "first").exists()


def test_a_folder_in_capitals_holds_the_name(directory: Path) -> None:
    """M169: no second skill beside the one that somebody takes for it."""
    shelf = library(directory)
    put(directory, "Plain", b"nothing")
    with pytest.raises(Taken):
        shelf.install([package("plain")])
    shelf.replace([package("plain")])
    assert sorted(path.name for path in directory.iterdir()) == [".staging", "plain"]


def test_a_folder_with_another_name_is_told(directory: Path) -> None:
    shelf = library(directory)
    put(directory, "folder", named("plain"))
    assert shelf.read("plain").warnings == (
        "Its folder is called folder, and it calls itself plain: it is known as plain.",
    )
    assert shelf.folder("plain") == directory / "folder"
    shelf.delete("plain")
    assert not (directory / "folder").exists()


def test_what_cannot_be_read_is_told_and_can_be_deleted(directory: Path) -> None:
    shelf = library(directory)
    put(directory, "broken", b"---\nname: [\n---\n")
    (directory / "empty").mkdir()
    (directory / "loose.md").write_text("x")
    put(directory, "good", named("good"))
    assert names(shelf) == ("good",)
    assert faults(shelf) == [("broken/SKILL.md", "yaml"), ("empty", "no_skill_md")]
    shelf.delete("broken")
    shelf.delete("empty")
    assert faults(shelf) == []


def test_links_are_never_followed(directory: Path) -> None:
    """M186."""
    shelf = library(directory)
    outside = directory.parent / "outside"
    put(directory.parent, "outside", named("outside"))
    (directory / "linked").symlink_to(outside)
    put(directory, "a", named("a"))
    (directory / "a/secret.md").symlink_to(outside / "SKILL.md")
    (directory / "a/scripts").symlink_to(outside)
    put(directory, "b", b"")
    (directory / "b/SKILL.md").unlink()
    (directory / "b/SKILL.md").symlink_to(outside / "SKILL.md")
    os.mkfifo(directory / "a/pipe")
    assert names(shelf) == ("a",)
    assert shelf.read("a").files == ()
    assert faults(shelf) == [("b", "no_skill_md"), ("linked", "link")]
    for path in ("secret.md", "scripts/SKILL.md", "pipe"):
        with pytest.raises(UnknownSkill):
            shelf.file("a", path)
    shelf.delete("linked")
    shelf.replace([package("a"), package("b")])
    assert on_disk(outside) == {"SKILL.md": named("outside")}
    assert names(shelf) == ("a", "b")


def test_a_staging_folder_that_is_a_link_is_not_used(directory: Path) -> None:
    outside = directory.parent / "outside"
    (outside / "x").mkdir(parents=True)
    directory.mkdir(parents=True)
    (directory / ".staging").symlink_to(outside)
    with pytest.raises(NotADirectoryError):
        library(directory)
    assert (outside / "x").exists()


@pytest.mark.parametrize(
    "path", ["link", "pipe", "folder", "linked/a", "folder/../a", "a/b", "", "/etc/passwd", "../a"]
)
def test_only_a_plain_file_within_a_folder_is_opened(tmp_path: Path, path: str) -> None:
    """M186: whatever was seen there before, for a link may take the place of a file."""
    for folder in (tmp_path / "skill", tmp_path / "skill/folder"):
        folder.mkdir()
        (folder / "a").write_bytes(b"x")
    (tmp_path / "a").write_bytes(b"outside")
    (tmp_path / "skill/link").symlink_to(tmp_path / "a")
    (tmp_path / "skill/linked").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "skill/pipe")
    assert disk.read_file(tmp_path / "skill", "folder/a", 9) == b"x"
    with pytest.raises(OSError, match=r"No such file|symbolic|directory"):
        disk.read_file(tmp_path / "skill", path, 9)
