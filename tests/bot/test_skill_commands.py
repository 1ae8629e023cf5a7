"""The command about skills: what everyone sees, what admins switch, and what is said to do next."""

from pathlib import Path

import pytest

from bot.commands.desk import Typed
from bot.commands.table import Commands
from bot.curator import Turn
from bot.health import Health
from bot.store import audit, chosen_skills
from bot.store.database import Store
from channels.events import Command, Sender
from channels.outgoing import Outgoing
from channels.telegram.limits import LIMITS
from tests.bot.parts import ANN, BOB, CHAT, GUIDE, NOW
from tests.bot.reading_room import ALL_ON, Room, open_room, packed, scripted


@pytest.fixture
async def room(store: Store, tmp_path: Path) -> Room:
    return await open_room(store, tmp_path)


async def typed(room: Room, arguments: str, sender: Sender = ANN) -> str:
    """The answer, as its words."""
    desk = room.parts.desk(Health(lambda: NOW))
    event = Command("e1", NOW, CHAT, sender, True, "skill", arguments, "1")
    reply = await room.store.tx(Commands(desk).run, Typed(event, GUIDE.id, NOW, LIMITS))
    assert isinstance(reply, Outgoing)
    return str(reply)


async def test_from_its_upload_to_its_use_each_answer_names_the_next_step(room: Room) -> None:
    await room.install(scripted("counting"))
    assert "disabled, not trusted, scripts off" in await typed(room, "list")
    assert "/skill trust counting" in await typed(room, "enable counting")
    assert "/grant guide skill/counting" in await typed(room, "trust coun")
    await room.grant("counting")
    assert "goes by counting here" in await typed(room, "use count")
    assert "already" in await typed(room, "use counting")
    assert "in use here" in await typed(room, "list", BOB)
    assert "scripts on" in await typed(room, "scripts counting on")
    assert "not in use here any more" in await typed(room, "drop counting", BOB)
    assert await room.store.tx(chosen_skills.of, CHAT.key, GUIDE.id) == []


@pytest.mark.parametrize("verb", ["enable", "disable", "trust", "untrust", "scripts"])
async def test_switches_are_for_admins(room: Room, verb: str) -> None:
    await room.bring(scripted("counting"), turn=Turn(enabled=True))
    assert "is for admins" in await typed(room, f"{verb} counting on", BOB)
    [held] = await room.store.tx(room.parts.admin.curator.everything)
    assert (held.enabled, held.trusted, held.scripts_enabled) == (True, False, False)
    last = (await room.store.tx(audit.latest, 1))[0]
    assert (last.who, last.action, last.subject) == (BOB.id, "command_refused", f"skill {verb}")


async def test_others_see_nothing_of_what_they_may_not_use(room: Room) -> None:
    await room.install(packed("secret-plans"), turn=ALL_ON)
    await room.bring(packed("counting"))
    for asked in ("list", "show secret-plans", "use secret-plans", "show", "use", "drop secret-plans"):
        said = await typed(room, asked, BOB)
        assert "secret-plans" not in said.replace("called secret-plans", ""), asked
    assert "counting" in await typed(room, "", BOB)


async def test_a_name_that_is_nearly_right_is_understood_or_named(room: Room) -> None:
    await room.bring(packed("counting"), packed("cooking"))
    assert "cooking, counting" in await typed(room, "show co")
    assert "counting" in await typed(room, "use countign")
    assert "There is no command for skills called us3" in await typed(room, "us3 counting")


async def test_what_is_shown_before_it_is_trusted_is_what_it_says(room: Room) -> None:
    front = "bindShells: [Chat]\nmcpServers:\n  forms: {url: https://example.org}\nallowed-tools: Read\n"
    await room.install(packed("counting", "Count twice. " * 200, front))
    said = await typed(room, "show counting")
    for expected in ("Count twice.", "characters in all", "forms", "Chat", "tools of other services", "not enabled"):
        assert expected in said


async def test_files_that_changed_are_told(room: Room) -> None:
    await room.bring(packed("counting"))
    file = room.folder / "counting" / "SKILL.md"
    file.write_text(file.read_text() + "\nmore\n")
    await room.librarian.settle()
    assert "off, because its files have changed" in await typed(room, "list")
    assert "have changed since it was switched on" in await typed(room, "show counting")


async def test_a_list_fits_a_phone(room: Room) -> None:
    await room.bring(*(packed(f"skill-{number}") for number in range(40)))
    said = await typed(room, "list", BOB)
    assert "and 10 more" in said
