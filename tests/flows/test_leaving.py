"""When we are removed, disconnected, or taken out of the configuration: everything of it ends, and nothing revives it."""

import pytest

from tests.fakes.model.script import Reply, calls
from tests.flows.house import House
from tests.flows.scene import Scene
from tests.flows.stage import Stage

NOTE = calls("add_note", {"text": "milk"})

in_the_long_play = pytest.mark.asyncio(loop_scope="session")


@in_the_long_play
async def test_blocked_while_waiting_ends_the_run_and_its_session(scene: Scene) -> None:
    """B203, B207: no retry, no session left. A press that comes after it finds nothing to decide."""
    await scene.hears("milk", first=NOTE)
    await scene.say("milk")
    card = await scene.card()
    await scene.telegram.block(scene.chat, scene.person)
    await scene.telegram.wait_confirmed()
    pressed = await scene.telegram.press(scene.chat, scene.admin, card.id, data=card.data[0][0], forged=True)
    assert (await scene.telegram.wait_answer(pressed)).text.startswith("Too late: Cancelled")
    assert f"tg:{scene.chat.id}:" not in (await scene.order("/sessions", "tg:")).text
    assert len(await scene.model.requests()) == 1


@in_the_long_play
async def test_an_event_from_before_the_end_does_not_bring_a_session_back(scene: Scene) -> None:
    await scene.hears("hello", first=Reply(text="Hello."))
    await scene.type("hello", "Hello.")
    await scene.telegram.block(scene.chat, scene.person)
    await scene.telegram.wait_confirmed()
    late = {
        "message_id": 7_000,
        "date": 1_700_000_000,
        "chat": {"id": scene.chat.id, "type": "private", "first_name": "Guest"},
        "from": {"id": scene.person.id, "is_bot": False, "first_name": "Guest"},
        "text": "hello",
    }
    await scene.telegram.inject({"message": late})
    await scene.telegram.wait_confirmed()
    assert f"tg:{scene.chat.id}:" not in (await scene.order("/sessions", "tg:")).text
    assert len(await scene.model.requests()) == 1


@in_the_long_play
async def test_one_who_comes_back_starts_with_an_empty_session(scene: Scene) -> None:
    """B209: coming back works, and nothing of before is remembered."""
    await scene.hears("Rex", first=Reply(text="Nice dog."))
    await scene.hears("called", first=Reply(text="I do not know."))
    await scene.type("My dog is Rex", "Nice dog.")
    await scene.telegram.block(scene.chat, scene.person)
    await scene.telegram.advance(2)
    await scene.telegram.unblock(scene.chat, scene.person)
    await scene.type("What is it called?", "I do not know.")
    assert "Rex" not in str((await scene.model.requests())[1].body["messages"])


@in_the_long_play
async def test_a_chat_that_refuses_us_is_cleared_like_one_that_removed_us(scene: Scene) -> None:
    """B203: a 403 at a send says the same as an event."""
    await scene.hears("slow", first=Reply(text="At last.", hold="slow"))
    await scene.say("slow")
    await scene.model.wait_request(1)
    await scene.telegram.fail("sendMessage", status=403, chat=scene.chat)
    await scene.model.release("slow")
    await scene.telegram.wait_calls("sendMessage", chat=scene.chat)
    assert f"tg:{scene.chat.id}:" not in (await scene.order("/sessions", "tg:")).text
    assert len(await scene.telegram.calls("sendMessage", chat=scene.chat)) == 1


async def test_disconnected_and_connected_a_channel_starts_afresh(stage: Stage) -> None:
    """B148: what is decided in the browser is heard of in the chat that asked."""
    bob = await stage.telegram.user("Bob")
    chat = await stage.telegram.private_chat(bob)
    async with stage.service(model_url="", admins=(*stage.plan.admins, "web:admin")) as house:
        await stage.say("add a note: milk", chat=chat, who=bob)
        card = await stage.card(chat=chat)
        said = await stage.say("/disconnect tg")
        await stage.reads("tg is disconnected", after=said)
        await stage.settled(card, "Cancelled", chat=chat)
        await _state(house, "channel:tg", "disconnected")
        await house.web_says("/connect tg")
        await house.ready()
        await _state(house, "channel:tg", "connected")
        said = await stage.say("/sessions")
        await stage.reads("There is no session.", after=said)
        assert (await stage.press_old(card, chat=chat, who=bob)).startswith("Too late: Cancelled")
        await stage.say("add a note: bread", chat=chat, who=bob)
        fresh = await stage.card(chat=chat, after=card.id)
        await house.web_says(f"/approve {fresh.text.rpartition('/approve ')[2].split()[0]}")
        await stage.settled(fresh, "Approved by admin", chat=chat)
        await stage.reads("was added", chat=chat, after=fresh.id)


async def test_a_channel_that_left_the_configuration_is_cleared_at_the_next_start(stage: Stage) -> None:
    async with stage.service(model_url=""):
        await stage.say("add a note: milk")
        card = await stage.card()
    only_web = {"channels": {"tg": None}, "admins": []}
    async with stage.service(extra=only_web) as house:
        assert "channel:tg" not in await house.parts()
        assert "askfirst_waiting_approvals 0.0" in await house.metrics()
    async with stage.service(extra={}):
        assert (await stage.press_old(card)).startswith("Too late: Cancelled")
        said = await stage.say("/sessions")
        await stage.reads("There is no session.", after=said)


async def _state(house: House, part: str, state: str) -> None:
    await house.until(lambda parts: parts[part]["state"] == state)
