"""A run asks the person it works for, in Telegram: a blank at a time, by buttons and by words."""

from typing import Any

from tests.fakes.model.script import Reply, calls
from tests.flows.groups import TROUPE, Story, in_a_story
from tests.flows.stage import Stage

pytest_plugins = [TROUPE]

SIZE = {
    "name": "size",
    "label": "Size",
    "kind": "choice",
    "options": [{"value": "s", "label": "Small"}, {"value": "Large"}],
}
COUNT = {"name": "count", "label": "How many", "kind": "integer"}
NAME = {"name": "who", "label": "For whom", "required": False}


def asking(*fields: dict[str, Any]) -> Reply:
    return calls("ask_form", {"message": "I need this for the order.", "fields": list(fields)})


@in_a_story
async def test_a_form_is_filled_in_step_by_step_and_the_run_goes_on(story: Story) -> None:
    await story.hears("order", first=asking(COUNT, SIZE, NAME), then="Result: {result}")
    await story.say("order cups")
    card = await story.reads("1 of 3: How many")
    said = await story.say("a few")
    again = await story.reads("That was not taken. This is not a whole number.", after=said)
    assert not (await story.reads("This goes on below.", message=card.id)).buttons
    assert "Run: waiting_input" in (await story.type("/status", "Open questions: 1")).text
    assert "I need this for the order." in (await story.type("/pending", "for the order")).text
    said = await story.say("12")
    size = await story.reads("2 of 3: Size", after=said)
    assert again.id < size.id
    assert await story.press(size, "Large") == "Noted."
    name = await story.reads("3 of 3: For whom", message=size.id)
    assert await story.press(name, "Skip") == "Thank you, it is passed on."
    closed = await story.settled(name, "✓ Answered by Guest")
    assert "12" in closed.text
    await story.reads('Result: Guest answered: {"count": 12, "size": "Large"}')


@in_a_story
async def test_a_question_is_declined(story: Story) -> None:
    await story.hears("order", first=asking(SIZE), then="Result: {result}")
    await story.say("order cups")
    card = await story.reads("Size")
    assert await story.press(card, "Decline") == "Declined. Nothing is passed on."
    await story.settled(card, "✗ Declined by Guest")
    await story.reads("Guest declined to answer.")


@in_a_story
async def test_in_a_group_only_who_asked_answers_and_only_to_us(story: Story) -> None:
    eve, _ = await story.someone("Eve")
    group = await story.group("Kitchen", eve)
    await story.hears("order", first=asking(COUNT), then="Result: {result}")
    await story.asks(group, "order cups")
    card = await story.reads("How many", chat=group)
    assert await story.press(card, "Decline", who=eve, chat=group) == "Only Guest may answer this. Nothing changed."
    said = await story.say("7", chat=group)
    await story.say("8", chat=group, who=eve, reply_to=card.id)
    shown = await story.reads("it answers nothing. This is still open:", chat=group, after=said)
    await story.say("9", chat=group, reply_to=shown.id)
    await story.reads('Result: Guest answered: {"count": 9}', chat=group)
    hers = await story.reads("How many", chat=group, after=shown.id)  # what she wrote was a message like any other
    await story.press(hers, "Decline", who=eve, chat=group)
    await story.settled(hers, "✗ Declined by Eve", chat=group)


@in_a_story
async def test_stop_ends_a_question(story: Story) -> None:
    await story.hears("order", first=asking(SIZE))
    await story.say("order cups")
    card = await story.reads("Size")
    await story.type("/stop", "Stopped.")
    closed = await story.settled(card, "Cancelled")
    assert "stopped" in closed.text
    assert (await story.press_old(card)).startswith("Too late: Cancelled")


async def test_an_answer_that_was_begun_goes_on_after_a_restart(stage: Stage, database: str) -> None:
    """What was given before a crash is kept, on both databases; what nobody answers in time ends."""
    await stage.model.answer(asking(COUNT, SIZE), "Ordered: {result}")
    async with stage.service(database=database) as house:
        await stage.say("order cups")
        await stage.reads("1 of 2: How many")
        await stage.say("12")
        card = await stage.reads("2 of 2: Size")
        await house.kill()
    async with stage.service(expire_after="4s", remind_before="2s"):
        await stage.press(card, "Small")
        await stage.settled(card, "✓ Answered by Ann")
        await stage.reads('Ordered: Ann answered: {"count": 12, "size": "s"}')
        await stage.model.answer(asking(SIZE), "Nobody said: {result}")
        said = await stage.say("again")
        open_card = await stage.reads("Size", after=said)
        await stage.reads("Still open, and it ends", after=open_card.id)
        await stage.reads("Nobody answered in time.")
        assert "Expired" in await stage.press_old(open_card)


async def test_in_the_browser_chat_it_is_asked_step_by_step_too(stage: Stage) -> None:
    await stage.model.answer(asking(COUNT, SIZE), "Ordered: {result}")
    async with stage.service() as house:
        await house.web_says("order cups")
        await house.web_reads("1 of 2: How many")
        await house.web_says("12")
        card = await house.web_reads("2 of 2: Size")
        await house.web_press(card, "Small")
        assert not (await house.web_reads("✓ Answered by"))["rows"]
        await house.web_reads("Ordered:")
    last = (await stage.model.requests())[-1].body["messages"][-1]
    assert '{"count": 12, "size": "s"}' in str(last)
