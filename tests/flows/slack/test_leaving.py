"""Channels and workspaces that put us out: everything of exactly that scope ends, and nothing revives it."""

from typing import Any

import pytest

from tests.fakes.model.script import calls
from tests.fakes.slack.answers import Place, Shown
from tests.flows.house import House
from tests.flows.slack.scene import Scene
from tests.flows.slack.stage import Stage
from tests.flows.slack.ways import by_socket, in_the_long_play

NOTE = calls("add_note", {"text": "milk"})
ECHO = "Heard: {user}"


async def busy(scene: Scene, chat: Place) -> tuple[Shown, str]:
    """A channel where one thread waits for a decision and another for the model, with a message queued behind."""
    await scene.hears("milk", first=NOTE, then="Noted.")
    await scene.slow("ponder", "Pondered.")
    waiting = await scene.asks("milk", chat=chat)
    card = await scene.card(chat=chat, thread=waiting)
    thinking = await scene.asks("ponder", chat=chat)
    await scene.model.wait_request(2)
    await scene.say("behind it", chat=chat, thread=thinking)
    await scene.slack.wait_confirmed()
    return card, thinking


async def over(scene: Scene, card: Shown, before: int) -> None:
    """Runs, card, queue and sessions of the channel have ended, and nothing was sent there since."""
    assert (await scene.model.wait_ended(2)).how == "left"
    await scene.model.release("ponder")
    assert not scene.sessions(scene.house, scene.chat)
    await scene.order("!pending", "Nothing waits for a decision.")
    assert (await scene.press_old(card)).startswith("Too late: Cancelled")
    await scene.house.at_rest()
    late = [call.method for call in await scene.slack.calls(chat=scene.chat, after=before)]
    assert not {"chat.postMessage", "chat.update"} & set(late), late
    assert len(await scene.heard()) == 2


@in_the_long_play
async def test_removed_from_a_channel_it_is_seen_although_no_event_says_so(scene: Scene) -> None:
    """B207: the membership is looked at again and again. Another channel, and a chat with us alone, go on."""
    await scene.model.otherwise(ECHO)
    elsewhere = await scene.slack.channel("elsewhere", members=[scene.person])
    card, _ = await busy(scene, scene.chat)
    thread = await scene.asks("hello", chat=elsewhere)
    await scene.reads("Heard", chat=elsewhere, thread=thread)
    await scene.tells("hello", "Heard: hello")
    before = (await scene.slack.calls())[-1].number
    await scene.slack.remove_bot(scene.chat)
    assert (await scene.model.wait_ended(2)).how == "left"
    assert not scene.sessions(scene.house, scene.chat)
    assert scene.sessions(scene.house, elsewhere) == [thread]
    assert scene.sessions(scene.house, scene.direct) == [""]
    await scene.model.reset()
    await scene.model.otherwise(ECHO)
    await scene.say("still there?", chat=elsewhere, thread=thread)
    await scene.reads("Heard: Guest: still there?", chat=elsewhere)
    assert (await scene.press_old(card)).startswith("Too late: Cancelled")
    late = [call.method for call in await scene.slack.calls(chat=scene.chat, after=before)]
    assert not {"chat.postMessage", "chat.update"} & set(late), late


@in_the_long_play
@by_socket
async def test_let_in_again_we_start_with_nothing(scene: Scene) -> None:
    """B209."""
    await scene.model.otherwise(ECHO)
    thread = await scene.asks("my dog is Rex")
    await scene.reads("Heard", thread=thread)
    await scene.slack.remove_bot(scene.chat)
    looked = len(await scene.slack.calls("users.conversations"))
    await scene.slack.wait_calls("users.conversations", looked + 2)
    await scene.slack.join(scene.chat)
    await scene.say("are you here?", thread=thread)
    said = await scene.asks("what is it called?", thread=thread)
    await scene.reads("Heard: Guest: what is it called?", after=said)
    assert await scene.history(2) == ["Guest: what is it called?"]


@in_the_long_play
@by_socket
@pytest.mark.parametrize(
    "event",
    [
        {"type": "channel_archive"},
        {"type": "group_archive", "is_moved": 0},
        {"type": "channel_deleted"},
        {"type": "channel_left"},
        {"type": "group_left"},
        {"type": "member_left_channel", "user": "us", "channel_type": "C"},
    ],
    ids=lambda event: event["type"],
)
async def test_an_event_that_says_so_ends_the_channel_with_all_of_its_threads(
    scene: Scene, event: dict[str, Any]
) -> None:
    """B207: archived, deleted, or removed where that is told."""
    card, thread = await busy(scene, scene.chat)
    before = (await scene.slack.calls())[-1].number
    ours = {"user": scene.slack.bot_user_id} if "user" in event else {}
    late = {"type": "message", "channel": scene.chat.id, "user": scene.person.id, "thread_ts": thread}
    await scene.slack.inject_event({**event, "channel": scene.chat.id, **ours})
    await scene.slack.wait_confirmed()
    await scene.slack.inject_event({**late, "text": "ponder", "ts": "1700000000.000100"})
    await scene.slack.wait_confirmed()
    await over(scene, card, before)


@in_the_long_play
@by_socket
async def test_somebody_else_who_leaves_ends_nothing(scene: Scene) -> None:
    await scene.hears("milk", first=NOTE, then="Noted.")
    bob = await scene.joins("Bob")
    await scene.asks("milk")
    card = await scene.card()
    left = {"type": "member_left_channel", "user": bob.id, "channel": scene.chat.id, "channel_type": "C"}
    await scene.slack.inject_event(left)
    await scene.slack.wait_confirmed()
    assert await scene.press(card, "Approve") == "Approved."
    await scene.reads("Noted.")


@in_the_long_play
@by_socket
@pytest.mark.parametrize("error", ["not_in_channel", "channel_not_found", "is_archived"])
async def test_a_channel_that_refuses_a_message_is_left_with_all_of_its_threads(scene: Scene, error: str) -> None:
    """B207, B203: such a refusal is the end, not a thing to be tried again."""
    await scene.hears("milk", first=NOTE, then="Noted.")
    await scene.slow("ponder", "Pondered.")
    await scene.asks("milk")
    card = await scene.card()
    thinking = await scene.asks("ponder")
    await scene.model.wait_request(2)
    await scene.slack.fail("chat.postMessage", error=error, chat=scene.chat, times=None)
    before = len(await scene.slack.calls("chat.postMessage", chat=scene.chat))
    await scene.model.release("ponder")
    await scene.slack.wait_calls("chat.postMessage", before + 1, chat=scene.chat)
    await scene.house.at_rest()
    assert not scene.sessions(scene.house, scene.chat)
    await scene.slack.clear_faults()
    assert (await scene.press_old(card)).startswith("Too late: Cancelled")
    assert len(await scene.slack.calls("chat.postMessage", chat=scene.chat)) == before + 1
    await scene.model.reset()
    await scene.model.otherwise(ECHO)
    await scene.asks("again", thread=thinking)
    await scene.reads("Heard: Guest: again", thread=thinking)
    assert await scene.history(1) == ["Guest: again"]


@pytest.mark.parametrize(("transport", "end"), [("socket", "uninstalled"), ("http", "revoked")], indirect=["transport"])
async def test_an_app_that_is_put_out_of_its_workspace_ends_there(stage: Stage, end: str) -> None:
    """B205, B206: all of it ends, it is told where the service's state is told, and nobody tries again and again."""
    await stage.hears("milk", first=NOTE, then="Noted.")
    await stage.slow("ponder", "Pondered.")
    async with stage.service() as house:
        await stage.asks("milk")
        await stage.card()
        await stage.say("ponder", chat=stage.direct)
        await stage.model.wait_request(2)
        before = (await stage.slack.calls())[-1].number
        await (stage.slack.uninstall() if end == "uninstalled" else stage.slack.revoke_tokens())
        assert (await stage.model.wait_ended(2)).how == "left"
        await ended(house)
        await stage.model.release("ponder")
        await house.at_rest()
        late = [call.method for call in await stage.slack.calls(after=before)]
        assert set(late) <= {"auth.test", "assistant.threads.setStatus"}, late
        about = [each for each in await stage.slack.deliveries() if each.payload["event"]["type"] == "tokens_revoked"]
        assert [each.state for each in about] == ["taken"]


@by_socket
async def test_a_token_that_died_unsaid_is_seen_at_the_next_send(stage: Stage) -> None:
    """B205: whether the event about it comes or not."""
    await stage.hears("milk", first=NOTE, then="Noted.")
    await stage.slow("ponder", "Pondered.")
    async with stage.service() as house:
        await stage.asks("milk")
        await stage.card()
        await stage.say("ponder", chat=stage.direct)
        await stage.model.wait_request(2)
        await stage.slack.pause()
        await stage.slack.revoke_tokens()
        await stage.model.release("ponder")
        await ended(house)
        assert len(await stage.slack.calls("auth.test")) == 2


async def ended(house: House) -> None:
    """The channel is in error, says why, and nothing of it is left."""
    await house.until(lambda parts: parts["channel:team"]["state"] == "error")
    parts = await house.parts()
    assert "does not take the bot token" in parts["channel:team"]["detail"]
    assert parts["channel:web"]["state"] == "connected"
    assert "askfirst_waiting_approvals 0.0" in await house.metrics()
    assert "Traceback" not in house.log.read_text()
