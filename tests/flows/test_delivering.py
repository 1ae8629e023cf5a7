"""What is said reaches the chat: in order, none lost, none doubled without its mark, one chat not waiting for another."""

import pytest

from tests.fakes.model.script import Reply, calls
from tests.flows.scene import Scene

pytestmark = pytest.mark.asyncio(loop_scope="session")

REPEAT = "↻ This may be a repeat"


def long_answer(parts: int) -> Reply:
    return Reply(text="\n\n".join(f"Part {n}. " + "word " * 600 for n in range(parts)), piece=4000)


async def test_a_part_of_which_nobody_knows_whether_it_came_is_repeated_once_with_a_mark(scene: Scene) -> None:
    """B014: the parts after it are still sent; here the doubtful one is not left out either, but marked."""
    await scene.hears("long", first=long_answer(4))
    await scene.telegram.drop("sendMessage", when="after", chat=scene.chat, skip=1)
    await scene.say("long")
    await scene.reads("Part 3.")
    said = await scene.there()
    assert [text.split(".")[0] for text in said if REPEAT not in text] == [f"Part {n}" for n in range(4)]
    [repeated] = [text for text in said if REPEAT in text]
    assert "Part 1." in repeated
    assert said.index(repeated) == 2


async def test_what_did_not_leave_is_sent_again_without_a_mark(scene: Scene) -> None:
    await scene.hears("hello", first=Reply(text="Hello."))
    await scene.telegram.fail("sendMessage", status=429, retry_after=1, chat=scene.chat)
    await scene.type("hello", "Hello.")
    assert await scene.there() == ["Hello."]


async def test_a_chat_that_must_wait_does_not_hold_up_another(scene: Scene) -> None:
    """B096: the platform's own waiting time is kept. B098: nothing is tried before it is over."""
    bob, chat = await scene.someone("Bob")
    await scene.model.otherwise("Yes.")
    await scene.telegram.fail("sendMessage", status=429, retry_after=3, chat=scene.chat)
    await scene.say("hello")
    await scene.telegram.wait_calls("sendMessage", chat=scene.chat)
    said = await scene.say("hello", chat=chat, who=bob)
    await scene.reads("Yes.", chat=chat, after=said)
    assert await scene.there() == []
    await scene.reads("Yes.")
    first, second = await scene.telegram.calls("sendMessage", chat=scene.chat)
    assert second.at - first.ended >= 2.9


async def test_a_card_that_can_no_longer_be_edited_is_answered_by_a_new_message(scene: Scene) -> None:
    """B118: an outcome is never lost because the card is gone."""
    await scene.hears("milk", first=calls("add_note", {"text": "milk"}), then="Noted.")
    await scene.say("milk")
    card = await scene.card()
    await scene.telegram.remove_message(scene.chat, card.id)
    assert await scene.press_data(card.data[0][0], on=card.id, inaccessible=True) == "Approved."
    await scene.reads("Approved by Guest", after=card.id)
    await scene.reads("Noted.")


async def test_an_edit_of_which_nobody_knows_is_made_again(scene: Scene) -> None:
    """B095: an edit may be repeated; it makes no second message."""
    await scene.hears("milk", first=calls("add_note", {"text": "milk"}), then="Noted.")
    await scene.say("milk")
    card = await scene.card()
    await scene.telegram.drop("editMessageText", when="after", chat=scene.chat)
    await scene.press(card, "Approve")
    await scene.settled(card, "Approved by Guest")
    await scene.reads("Noted.")
    assert not any(REPEAT in text for text in await scene.there())
    assert len(await scene.there()) == 2


async def test_a_message_that_the_platform_refuses_does_not_hold_up_the_next(scene: Scene) -> None:
    await scene.model.otherwise("Yes.")
    await scene.telegram.fail("sendMessage", status=400, description="Bad Request: whatever", chat=scene.chat)
    await scene.say("lost")
    await scene.telegram.wait_calls("sendMessage", chat=scene.chat)
    await scene.type("hello", "Yes.")


async def test_telegram_down_for_a_moment_loses_nothing(scene: Scene) -> None:
    await scene.hears("slow", first=Reply(text="At last.", hold="slow"))
    await scene.say("slow")
    await scene.model.wait_request(1)
    await scene.telegram.refuse_connections(1.5)
    await scene.model.release("slow")
    await scene.reads("At last.")
    assert [text for text in await scene.there() if "At last." in text] == ["At last."]
