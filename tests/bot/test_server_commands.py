"""`/mcp` in a chat: what admins see of MCP servers, and how one that a skill wishes for is accepted."""

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

from bot.commands.desk import Desk, Typed
from bot.commands.table import Commands
from bot.health import Health
from bot.store import buttons, mcp_servers, personas
from bot.store.database import Store, Tx
from bot.store.mcp_servers import Server
from channels.adapter import Receipt
from channels.events import ButtonPress, Command, Sender
from channels.outgoing import Outgoing
from channels.telegram.limits import LIMITS
from tests.bot.parts import ANN, BOB, CHAT, GUIDE, NOW, Parts

FILES = Server("files", '{"command": "npx", "args": ["-y", "files"]}', False, None, "config", NOW)
SPEC = {
    "transport": "streamable_http",
    "url": "https://elsewhere.example.org/mcp",
    "headers": {"Authorization": "Bearer made-up", "X-Key": "${OUR_KEY}"},
    "description": "poems",
}
WISHED = Server("poems", json.dumps(SPEC), False, "poetry", "skill", NOW)


@dataclass(frozen=True, slots=True)
class Room:
    store: Store
    desk: Desk

    async def types(self, arguments: str, sender: Sender = ANN) -> Outgoing:
        event = Command("e1", NOW, CHAT, sender, True, "mcp", arguments, "1")
        typed = Typed(event, GUIDE.id, NOW, LIMITS)
        reply = await self.store.tx(Commands(self.desk).run, typed)
        assert reply is not None
        return reply

    async def presses(self, shown: Outgoing, label: str, sender: Sender = ANN) -> Receipt:
        [token] = [button.token for row in shown.rows for button in row if button.label == label]
        event = ButtonPress("p1", NOW, CHAT, sender, True, token)

        def work(tx: Tx) -> Receipt:
            meaning = buttons.find(tx, token)
            if meaning is None:
                return Receipt("This button is not known")
            return Commands(self.desk).press(tx, meaning, event, NOW)

        return await self.store.tx(work)

    async def stored(self, name: str) -> Server:
        found = await self.store.tx(mcp_servers.find, name)
        assert found is not None
        return found


@pytest.fixture
async def room(store: Store) -> Room:
    def furnish(tx: Tx) -> None:
        personas.put(tx, GUIDE)
        for server in (FILES, WISHED):
            mcp_servers.add(tx, server)

    await store.tx(furnish)
    return Room(store, Parts().desk(Health(lambda: NOW)))


async def test_the_list_tells_of_each_how_it_is(room: Room) -> None:
    said = str(await room.types("list"))
    assert "disabled" in said
    assert "proposed by the skill poetry; nothing of it runs" in said


async def test_what_a_skill_wishes_for_is_shown_with_all_that_it_would_be_given(room: Room) -> None:
    """A skill may ask for our own secrets: an admin must see that before agreeing."""
    shown = await room.types("enable poems")
    said = str(shown)
    assert "The skill poetry wishes for the MCP server poems." in said
    assert "https://elsewhere.example.org/mcp" in said
    assert "X-Key=${OUR_KEY}" in said
    assert "made-up" not in said
    assert not (await room.stored("poems")).registered


async def test_a_variable_of_ours_that_it_would_be_given_is_named_within_other_words_too(room: Room) -> None:
    spec = SPEC | {"headers": {"Authorization": "Bearer ${MODEL_KEY}", "X": "${SPARE:-x}"}, "allow_private": True}
    await room.store.tx(mcp_servers.change, replace(WISHED, spec=json.dumps(spec)))
    said = str(await room.types("enable poems"))
    assert "Takes from our environment: MODEL_KEY, SPARE" in said
    assert "private and loopback addresses" in said


@pytest.mark.parametrize(
    ("spec", "answers"),
    [
        ({"command": "node", "args": ["server.js", "-" * 3_000, "--delete"]}, "too long to be shown here whole"),
        ({"wishes": "all"}, "cannot be understood"),
    ],
    ids=["more than can be shown", "nonsense"],
)
async def test_what_cannot_be_shown_cannot_be_accepted(room: Room, spec: dict[str, Any], answers: str) -> None:
    await room.store.tx(mcp_servers.change, replace(WISHED, spec=json.dumps(spec)))
    shown = await room.types("enable poems")
    assert answers in str(shown)
    assert shown.rows == ()


async def test_what_it_would_start_is_shown_to_its_end(room: Room) -> None:
    spec = {"command": "node", "args": ["server.js", "-" * 1_000, "--delete"]}
    await room.store.tx(mcp_servers.change, replace(WISHED, spec=json.dumps(spec)))
    assert "--delete" in str(await room.types("enable poems"))


async def test_an_admin_accepts_it(room: Room) -> None:
    shown = await room.types("enable poems")
    told = await room.presses(shown, "Accept")
    assert told.notice == "poems was accepted and is being connected."
    accepted = await room.stored("poems")
    assert (accepted.registered, accepted.enabled) == (True, True)
    assert "not known" in str((await room.presses(shown, "Accept")).notice)


@pytest.mark.parametrize(("label", "sender"), [("Leave it", ANN), ("Accept", BOB)], ids=["left", "not an admin"])
async def test_nothing_changes_otherwise(room: Room, label: str, sender: Sender) -> None:
    await room.presses(await room.types("enable poems"), label, sender)
    assert await room.stored("poems") == WISHED


async def test_what_was_shown_is_what_is_accepted(room: Room) -> None:
    shown = await room.types("enable poems")
    other = replace(WISHED, spec=json.dumps({**SPEC, "url": "https://other.example.org/mcp"}))
    await room.store.tx(mcp_servers.change, other)
    told = await room.presses(shown, "Accept")
    assert told.notice == "This is not what is proposed any more. Nothing changed."
    assert await room.stored("poems") == other


@pytest.mark.parametrize(
    ("arguments", "answers"),
    [
        ("enable files", "files is enabled and is being connected. /mcp show files tells how it is."),
        ("disable files", "files is disabled already."),
        ("reload files", "files is disabled, so there is nothing to reload. /mcp enable files connects it."),
        ("test poems", "poems is only proposed by a skill: nothing of it runs."),
        ("show nothing", "There is no MCP server called nothing. There is: files, poems."),
        ("fly files", "There is no command for MCP servers called fly."),
        ("show fi", "npx -y files"),
        ("show", "Say which MCP server: files, poems."),
    ],
)
async def test_each_command_answers_in_plain_words(room: Room, arguments: str, answers: str) -> None:
    assert answers in str(await room.types(arguments))


async def test_it_is_for_admins(room: Room) -> None:
    assert "/mcp is for admins. Nothing was done." in str(await room.types("enable files", BOB))
    assert await room.stored("files") == FILES


async def test_without_a_server_it_says_where_they_come_from(store: Store) -> None:
    empty = Room(store, Parts().desk(Health(lambda: NOW)))
    assert "There is no MCP server. Put one into mcpServers" in str(await empty.types(""))
