"""Getting what we say into Slack once and in order, when it wants us to wait and when it falls silent."""

import time

import pytest

from tests.fakes.model.script import calls
from tests.flows.slack.scene import Scene
from tests.flows.slack.ways import by_socket, in_the_long_play

pytestmark = [in_the_long_play, by_socket]

NOTE = calls("add_note", {"text": "milk"})
ECHO = "Heard: {user}"
REPEAT = "This may be a repeat"


# When Slack wants us to wait


async def test_a_channel_that_must_wait_holds_no_other_up(scene: Scene) -> None:
    """B099: a real 429 is asked again after Retry-After, and not before."""
    await scene.model.otherwise(ECHO)
    await scene.slack.fail("chat.postMessage", status=429, retry_after=2, chat=scene.chat)
    began = time.monotonic()
    thread = await scene.asks("hello")
    await scene.slack.wait_calls("chat.postMessage", chat=scene.chat)
    other = await scene.asks("me too")
    await scene.tells("and me", "Heard: and me")
    assert time.monotonic() - began < 2
    assert await scene.there() == []
    await scene.reads("Heard: Guest: hello", thread=thread)
    await scene.reads("Heard: Guest: me too", thread=other)
    first, *later = await scene.slack.calls("chat.postMessage", chat=scene.chat)
    assert len(later) == 2
    assert all(call.at - first.ended >= 2 for call in later)


async def test_an_edit_that_must_wait_holds_no_answer_up(scene: Scene) -> None:
    """The card gets its last look when it may."""
    await scene.hears("milk", first=NOTE, then="Noted.")
    thread = await scene.asks("note milk")
    card = await scene.card(thread=thread)
    await scene.slack.fail("chat.update", status=429, retry_after=2)
    await scene.press(card, "Approve")
    await scene.reads("Noted.", thread=thread)
    assert (await scene.now(card)).buttons
    await scene.settled(card, "Approved by Guest")
    first, second = await scene.slack.calls("chat.update")
    assert second.at - first.ended >= 2


async def test_the_ok_field_decides_whatever_the_status_says(scene: Scene) -> None:
    """B100: HTTP 200 with `ratelimited` is no success."""
    await scene.hears("milk", first=NOTE, then="Noted.")
    await scene.asks("note milk")
    card = await scene.card()
    await scene.slack.fail("chat.update", error="ratelimited", status=200, retry_after=1)
    await scene.press(card, "Reject")
    await scene.settled(card, "Rejected by Guest")
    assert [call.verdict for call in await scene.slack.calls("chat.update")] == ["fault", "ok"]


# When nobody knows what became of it


@pytest.mark.parametrize("trouble", ["cut off", "trouble of its own", "not Slack's"])
async def test_what_was_posted_unheard_is_found_and_not_doubled(scene: Scene, trouble: str) -> None:
    """B099: what may have been done is not done again. Slack is asked, by the mark that the message carries."""
    await scene.model.otherwise(ECHO)
    if trouble == "cut off":
        await scene.slack.drop("chat.postMessage", when="after", chat=scene.chat)
    else:
        status = 503 if trouble == "trouble of its own" else 200
        await scene.slack.answer_with(
            "chat.postMessage",
            body="<html>Sorry!</html>",
            status=status,
            content_type="text/html",
            when="after",
            chat=scene.chat,
        )
    thread = await scene.asks("hello")
    await scene.slack.wait_calls("conversations.replies", chat=scene.chat)
    await scene.say("go on", thread=thread)
    await scene.reads("Heard: Guest: go on", thread=thread)
    assert await scene.there() == ["Heard: Guest: hello", "Heard: Guest: go on"]


async def test_what_was_cut_off_before_it_arrived_is_posted_once(scene: Scene) -> None:
    await scene.model.otherwise(ECHO)
    await scene.slack.drop("chat.postMessage", when="before", chat=scene.chat)
    thread = await scene.asks("hello")
    await scene.reads("Heard: Guest: hello", thread=thread)
    await scene.slack.drop("chat.postMessage", when="before", chat=scene.direct)
    await scene.tells("hello", "Heard: hello")
    await scene.house.at_rest()
    assert await scene.there() == ["Heard: Guest: hello"]
    assert await scene.there(chat=scene.direct) == ["Heard: hello"]


async def test_where_nobody_may_look_what_may_be_a_repeat_says_so(scene: Scene) -> None:
    await scene.model.otherwise(ECHO)
    await scene.slack.drop("chat.postMessage", when="after", chat=scene.chat)
    await scene.slack.fail("conversations.replies", error="missing_scope", chat=scene.chat)
    thread = await scene.asks("hello")
    await scene.reads(REPEAT, thread=thread)
    first, second = await scene.there()
    assert REPEAT not in first
    assert "Heard: Guest: hello" in second


async def test_while_slack_refuses_connections_nothing_is_lost_nor_doubled(scene: Scene) -> None:
    await scene.slow("ponder", "Pondered.")
    thread = await scene.asks("ponder")
    await scene.model.wait_request(1)
    await scene.slack.refuse_connections(1.5)
    await scene.model.release("ponder")
    await scene.reads("Pondered.", thread=thread)
    await scene.slack.wait_sockets(1)
    await scene.house.ready()
    assert await scene.there() == ["Pondered."]
