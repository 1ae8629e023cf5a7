"""How it starts and ends: what it finds out about its bot, what it tells Telegram of itself, what it leaves behind."""

import asyncio

import pytest

from channels.errors import Misconfigured
from channels.events import Message
from channels.outgoing import Outgoing, plain
from channels.telegram.menu import MenuEntry
from tests.channels.contract import RecordingInlet
from tests.channels.telegram.house import Visitor, made, running
from tests.fakes.telegram.client import Telegram


async def test_a_wrong_token_is_told_in_words_without_it(telegram: Telegram) -> None:
    await telegram.settings(revoked=True)
    inlet = RecordingInlet()
    with pytest.raises(Misconfigured) as caught:
        await made(telegram).run(inlet)
    assert "token is wrong" in str(caught.value)
    assert telegram.token not in str(caught.value)
    assert inlet.states[-1] == ("error", str(caught.value))


async def test_a_server_that_is_no_bot_api_is_told(telegram: Telegram) -> None:
    with pytest.raises(Misconfigured, match="api_url"):
        await made(telegram, settings={"api_url": telegram.control_url}).run(RecordingInlet())


async def test_the_menu_shows_admins_more(telegram: Telegram) -> None:
    visitor = await Visitor.arrive(telegram)
    menu = (MenuEntry("help", "What I can do"), MenuEntry("grant", "Give a right", admin_only=True))
    adapter = made(telegram, menu=menu, admins=[visitor.id, "web:admin", "tg:999"])
    async with running(telegram, adapter):
        for scope in ("default", "all_private_chats", "all_group_chats"):
            assert [entry["command"] for entry in await telegram.commands(scope)] == ["help"]
        admins = await telegram.commands(f"chat:{visitor.chat.id}")
        assert [entry["command"] for entry in admins] == ["help", "grant"]


@pytest.mark.parametrize("name", ["Help", "mcp-list", "", "x" * 33])
def test_a_name_that_telegram_does_not_take_is_no_menu_entry(name: str) -> None:
    with pytest.raises(ValueError, match="not a command"):
        MenuEntry(name, "does something")


async def test_privacy_that_makes_it_deaf_is_told(telegram: Telegram) -> None:
    await telegram.settings(privacy=True)
    async with running(telegram, made(telegram, settings={"listen": "all"})) as house:
        assert "/setprivacy" in house.inlet.states[-1][1]
    async with running(telegram, made(telegram)) as house:
        assert house.inlet.states[-1][1] == f"@{telegram.bot_username}"


async def test_a_stop_leaves_nothing_behind(telegram: Telegram) -> None:
    before = asyncio.all_tasks()
    async with running(telegram, made(telegram)):
        pass
    assert asyncio.all_tasks() == before


async def test_it_can_be_started_again(telegram: Telegram) -> None:
    visitor, adapter = await Visitor.arrive(telegram), made(telegram)
    async with running(telegram, adapter):
        pass
    async with running(telegram, adapter) as house:
        await visitor.say("hi")
        await house.inlet.next(Message, visitor.where)
        await adapter.send(visitor.where, Outgoing(plain("back")))
