"""Presses: answered at once, wherever their message is by now."""

from tests.fakes.model.script import Reply, Rule, calls
from tests.flows.groups import TROUPE, Story, in_a_story
from tests.flows.stage import Stage

pytest_plugins = [TROUPE]

NOTE = calls("add_note", {"text": "milk"})


@in_a_story
async def test_a_press_is_answered_at_once_while_its_chat_is_busy(story: Story) -> None:
    """B116: neither the run that works nor a chat that must wait holds the answer up."""
    await story.model.rules(
        Rule(contains="milk", reply=NOTE),
        Rule(contains="milk", after="results", reply=Reply(text="Noted.", hold="result")),
    )
    await story.say("milk")
    card = await story.card()
    assert await story.press(card, "Approve") == "Approved."
    await story.model.wait_request(2)
    await story.say("and more")
    pressed = await story.telegram.press(story.chat, story.person, card.id, data=card.data[0][1], forged=True)
    answer = await story.telegram.wait_answer(pressed, timeout=2)
    assert answer.text.startswith("Too late: Approved by Guest")
    assert answer.show_alert
    await story.model.release("result")
    await story.reads("Noted.")
    await story.reads("and more")


@in_a_story
async def test_the_outcome_of_a_card_that_is_gone_comes_as_a_new_message_in_its_topic(story: Story) -> None:
    """B118: the press names a message that cannot be edited; what was decided is said all the same."""
    chat = await story.telegram.forum("Plans", members=[story.person])
    red = await story.telegram.topic(chat, story.person, "Red")
    await story.hears("milk", first=NOTE, then="Noted.")
    await story.asks(chat, "milk", thread=red)
    card = await story.card(chat=chat)
    await story.telegram.remove_message(chat, card.id)
    pressed = await story.telegram.press(
        chat, story.person, card.id, data=card.data[0][0], forged=True, inaccessible=True
    )
    assert (await story.telegram.wait_answer(pressed)).text == "Approved."
    outcome = await story.reads("Approved by Guest", chat=chat, thread=red, no_buttons=True)
    assert outcome.id > card.id
    await story.reads("Noted.", chat=chat, thread=red)


async def test_buttons_of_a_topic_work_after_a_restart(stage: Stage) -> None:
    """B119: what a button means is in the store, and so is where its card stands."""
    chat = await stage.telegram.forum("Plans", members=[stage.ann])
    red = await stage.telegram.topic(chat, stage.ann, "Red")
    stage.change(model_url="")
    async with stage.service():
        await stage.say(f"@{stage.telegram.bot_username} add a note: milk", chat=chat, thread=red)
        card = await stage.card(chat=chat)
    pressed = await stage.telegram.press(chat, stage.ann, card.id, "Approve")
    async with stage.service():
        assert (await stage.telegram.wait_answer(pressed)).text == "Approved."
        await stage.settled(card, "Approved by Ann", chat=chat)
        answer = await stage.reads("Note 1 was added", chat=chat, after=card.id)
        assert answer.thread == red
