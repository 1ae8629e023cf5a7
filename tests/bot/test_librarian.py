"""The files of skills and what the database says of them: together, also when the process dies between the two."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.curator import Turn
from bot.doctor import skills_folder as examined
from bot.domain.capability import Grant
from bot.errors import Protected, Taken, Unknown
from bot.librarian import Librarian, LibraryUnavailable
from bot.store import audit, chosen_skills, grants, personas, skills
from bot.store.database import Store
from skills.errors import ContentRefused
from skills.library import Library
from skills.limits import Limits
from skills.package import Package
from tests.bot.parts import CHAT, GUIDE, NOW
from tests.bot.reading_room import ALL_ON, ANN, Room, open_room, packed, scripted


class Killed(BaseException):
    """The process dies here."""


class DyingLibrary(Library):
    """Dies at a step, before it or after it."""

    def __init__(self, directory: Path, builtin: Path, step: str, *, after: bool) -> None:
        super().__init__(directory, builtin)
        self._step = step
        self._after = after

    def install(self, packages: Any) -> tuple[str, ...]:
        done: tuple[str, ...] = self._die("install", super().install, packages)
        return done

    def delete(self, name: str) -> None:
        self._die("delete", super().delete, name)

    def amend(self, skill: Any) -> None:
        self._die("amend", super().amend, skill)

    def _die(self, step: str, work: Callable[[Any], Any], argument: Any) -> Any:
        done = work(argument) if self._after or step != self._step else None
        if step == self._step:
            raise Killed
        return done


@pytest.fixture
async def room(store: Store, tmp_path: Path) -> Room:
    return await open_room(store, tmp_path)


def dying(room: Room, step: str, *, after: bool) -> Librarian:
    library = DyingLibrary(room.folder, room.folder.parent / "none", step, after=after)
    return Librarian(room.store, library, Limits(), room.parts.admin.curator, room.health, lambda: NOW)


async def known(room: Room) -> dict[str, tuple[bool, bool, bool]]:
    """The skills that there are, and their switches."""
    held = await room.store.tx(room.parts.admin.curator.everything)
    return {each.name: (each.enabled, each.trusted, each.scripts_enabled) for each in held}


async def rows(room: Room) -> list[str]:
    return [row.capability for row in await room.store.tx(grants.everything)]


async def tied(room: Room) -> None:
    """Granted, preloaded and chosen."""
    await room.grant("counting")
    await room.store.tx(personas.put, replace(GUIDE, preload_skills=("counting",)))
    await room.store.tx(chosen_skills.choose, CHAT.key, GUIDE.id, "counting")


async def loose(room: Room) -> bool:
    """Nothing hangs on it any more."""
    guide = await room.store.tx(personas.find, GUIDE.id)
    chosen = await room.store.tx(chosen_skills.of, CHAT.key, GUIDE.id)
    return guide is not None and not guide.preload_skills and not chosen and await rows(room) == []


@pytest.mark.parametrize("after", [False, True], ids=["before the disk", "after the disk"])
async def test_a_death_while_it_is_installed_leaves_it_whole_and_off_or_not_at_all(room: Room, after: bool) -> None:
    with pytest.raises(Killed):
        await dying(room, "install", after=after).install([packed("counting")], ANN, turn=ALL_ON)
    assert await room.at_hand() == []
    again = await open_room(room.store, room.folder.parent)
    assert await known(again) == ({"counting": (False, False, False)} if after else {})


@pytest.mark.parametrize("after", [False, True], ids=["before the disk", "after the disk"])
async def test_a_death_while_it_is_deleted_leaves_nothing(room: Room, after: bool) -> None:
    await room.bring(scripted("counting"), turn=ALL_ON)
    await tied(room)
    with pytest.raises(Killed):
        await dying(room, "delete", after=after).delete("counting", ANN)
    assert await known(room) == {}
    assert await loose(room)
    again = await open_room(room.store, room.folder.parent)
    assert await known(again) == {}
    assert not (room.folder / "counting").exists()
    assert await room.store.tx(skills.everything) == []
    await again.install(packed("counting"))
    assert await known(again) == {"counting": (False, False, False)}


async def test_a_death_while_it_is_changed_turns_it_off(room: Room) -> None:
    await room.bring(packed("counting"), turn=ALL_ON)
    other = packed("counting", "Another text.").skill
    with pytest.raises(Killed):
        await dying(room, "amend", after=True).amend("counting", lambda _skill: other, ANN, ALL_ON)
    again = await open_room(room.store, room.folder.parent)
    assert await known(again) == {"counting": (False, False, False)}


async def test_a_disk_that_fails_while_it_is_deleted_loses_no_right_to_it_twice(room: Room) -> None:
    """It is gone for everybody at once; its files go when the disk is well again."""
    await room.bring(packed("counting"), turn=ALL_ON)
    staging = room.folder / ".staging"
    lock = staging / "lock"
    lock.unlink()
    lock.mkdir()
    with pytest.raises(LibraryUnavailable):
        await room.librarian.delete("counting", ANN)
    assert await known(room) == {}
    lock.rmdir()
    await room.librarian.settle()
    assert not (room.folder / "counting").exists()
    assert await room.store.tx(skills.everything) == []


async def test_one_that_is_put_there_by_hand_is_entered_with_nothing_on(room: Room) -> None:
    await room.store.tx(grants.put, Grant("guide", "skill/counting", "allow", None, "", ANN, NOW))
    _by_hand(room, packed("counting"))
    await room.librarian.settle()
    assert await known(room) == {"counting": (False, False, False)}
    assert await rows(room) == [], "what a namesake had is not its own"
    [entry] = [each for each in await room.store.tx(audit.latest, 10) if each.action == "skill_installed"]
    assert entry.who == "askfirst"


async def test_files_that_change_count_as_off_and_those_that_come_back_as_before(room: Room) -> None:
    await room.bring(scripted("counting"), turn=ALL_ON)
    script = room.folder / "counting" / "scripts" / "count.py"
    before = script.read_bytes()
    script.write_bytes(before + b"# more\n")
    await room.librarian.settle()
    assert await known(room) == {"counting": (False, False, False)}
    [held] = await room.store.tx(room.parts.admin.curator.everything)
    assert held.changed
    script.write_bytes(before)
    await room.librarian.settle()
    assert await known(room) == {"counting": (True, True, True)}
    script.write_bytes(b"print('other')")
    await room.librarian.settle()
    await room.turn("counting", Turn(enabled=True))
    assert await known(room) == {"counting": (True, False, False)}, "what is set anew is set for these files alone"


async def test_a_namesake_of_one_that_was_taken_away_by_hand_starts_with_nothing(room: Room) -> None:
    await room.bring(packed("counting"), turn=ALL_ON)
    await tied(room)
    (room.folder / "counting" / "SKILL.md").unlink()
    (room.folder / "counting").rmdir()
    await room.librarian.settle()
    assert await known(room) == {}
    await room.install(packed("counting"))
    assert await known(room) == {"counting": (False, False, False)}
    assert await loose(room)


async def test_what_is_refused_changes_nothing(room: Room) -> None:
    await room.bring(packed("counting"))
    before = await room.store.tx(audit.latest, 50)
    with pytest.raises(Taken, match="counting"):
        await room.install(packed("other"), packed("counting"))
    with pytest.raises(ContentRefused, match="fly"):
        await room.install(packed("other"), packed("flying", front="tool-names: [fly]\n"))
    with pytest.raises(Unknown):
        await room.librarian.delete("other", ANN)
    assert list(await known(room)) == ["counting"]
    assert await room.store.tx(audit.latest, 50) == before


async def test_what_comes_with_the_service_is_neither_replaced_nor_deleted(store: Store, tmp_path: Path) -> None:
    room = await open_room(store, tmp_path, builtin=True)
    with pytest.raises(Protected):
        await room.install(packed("note-keeping"))
    with pytest.raises(Protected):
        await room.librarian.delete("note-keeping", ANN)
    with pytest.raises(Protected):
        await room.turn("note-keeping", Turn(trusted=False))
    usable = await store.tx(room.parts.skillsets.usable, GUIDE, "tg", NOW)
    assert "note-keeping" in {each.name for each in usable}
    await room.turn("note-keeping", Turn(enabled=False))
    usable = await store.tx(room.parts.skillsets.usable, GUIDE, "tg", NOW)
    assert "note-keeping" not in {each.name for each in usable}


async def test_a_folder_that_cannot_be_read_is_told_and_the_others_are_there(room: Room) -> None:
    await room.install(packed("counting"))
    (room.folder / "broken").mkdir()
    (room.folder / "broken" / "SKILL.md").write_text("---\nname: broken\nallowed-tools: Read: x\n---\n")
    await room.librarian.settle()
    assert list(await known(room)) == ["counting"]
    assert [fault.entry.partition("/")[0] for fault in room.parts.stock.seen.faults][:1] == ["broken"]


def _by_hand(room: Room, package: Package) -> None:
    for path, content in package.content.items():
        file = room.folder / package.skill.name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


async def test_a_skill_whose_files_are_lost_is_told_of_and_can_be_deleted(room: Room) -> None:
    """Everything else goes on; when they are back, all is as it was."""
    await room.bring(packed("poems"))
    part = room.health.parts["skills"]
    assert (part.state, part.ok) == ("connected", True)
    away = room.folder.rename(room.folder.with_name("away"))
    await room.librarian.settle()
    part = room.health.parts["skills"]
    assert (part.state, part.ok) == ("error", True)
    assert "The files of poems are gone." in part.detail
    assert await room.at_hand() == []
    shutil.rmtree(room.folder)
    away.rename(room.folder)
    await room.librarian.settle()
    assert room.health.parts["skills"].state == "connected"
    assert await room.at_hand() == ["poems"]
    shutil.rmtree(room.folder / "poems")
    await room.librarian.settle()
    await room.librarian.delete("poems", ANN)
    await room.librarian.settle()
    assert room.health.parts["skills"].state == "connected"
    assert await room.store.tx(skills.everything) == []
    with pytest.raises(Unknown):
        await room.librarian.delete("poems", ANN)


@pytest.mark.parametrize(
    ("there", "began", "ok", "words"),
    [
        (True, True, True, "can be read and written"),
        (False, False, True, "made at the first start"),
        (False, True, False, "is gone. If skills were installed, bring it back"),
    ],
)
async def test_the_doctor_looks_for_the_folder(tmp_path: Path, there: bool, began: bool, ok: bool, words: str) -> None:
    data = tmp_path / "data"
    if began:
        data.mkdir()
    if there:
        (data / "skills").mkdir()
    finding = examined(data / "skills", data)
    assert (finding.part, finding.ok) == ("skills", ok)
    assert words in finding.text
