"""A run asks the person it works for, in Slack: in a form, or by buttons where one choice is all."""

from typing import Any

from tests.fakes.model.script import Reply, calls
from tests.flows.slack.scene import Scene
from tests.flows.slack.ways import in_the_long_play

pytestmark = in_the_long_play

SIZES = [{"value": "s", "label": "Small"}, {"value": "Large"}]
SIZE = {"name": "size", "label": "Size", "kind": "choice", "options": SIZES}
EXTRAS = {"name": "extras", "label": "Extras", "kind": "choices", "options": [{"value": "Milk"}, {"value": "Sugar"}]}
COUNT = {"name": "count", "label": "How many", "kind": "integer", "hint": "a dozen is common"}
NAME = {"name": "who", "label": "For whom", "required": False}
SURE = {"name": "sure", "label": "Sure?", "kind": "yes_no"}


def asking(*fields: dict[str, Any]) -> Reply:
    return calls("ask_form", {"message": "I need this for the order.", "fields": list(fields)})


async def test_a_form_opens_for_who_asked_and_its_answers_go_on(scene: Scene) -> None:
    await scene.hears("order", first=asking(COUNT, SIZE, EXTRAS, NAME, SURE), then="Result: {result}")
    await scene.asks("order cups")
    card = await scene.reads("For whom")
    assert card.buttons == (("Answer", "Decline"),)
    assert await scene.press(card, "Answer", who=scene.admin) == "Only Guest may answer this. Nothing changed."
    form = await scene.form(card, "Answer")
    assert [field.label for field in form.fields] == ["How many", "Size", "Extras", "For whom", "Sure?"]
    given = {"Size": "Small", "Extras": ["Milk", "Sugar"], "Sure?": "yes"}
    sent = await scene.slack.submit(form, {**given, "How many": "a few"})
    assert (await scene.slack.wait_answer(sent)).errors["count"].startswith("This is not a whole number.")
    await scene.slack.submit(form, {**given, "How many": "12"})
    await scene.slack.wait_no_view(scene.person)
    closed = await scene.settled(card, "✓ Answered by Guest")
    assert "Milk, Sugar" in closed.text
    answer = '{"count": 12, "size": "s", "extras": ["Milk", "Sugar"], "sure": true}'
    await scene.reads(f"Result: Guest answered: {answer}")


async def test_one_choice_is_made_on_the_card_and_words_are_queued(scene: Scene) -> None:
    await scene.hears("order", first=asking(SIZE), then="Result: {result}")
    await scene.asks("order cups")
    card = await scene.reads("Size")
    assert card.thread is not None
    await scene.say(f"{scene.mention} Large", thread=card.thread)
    again = await scene.reads("it answers nothing. This is still open:", thread=card.thread)
    assert again.buttons == (("Small", "Large"), ("Decline",))
    assert await scene.press(again, "Small") == "Thank you, it is passed on."
    await scene.settled(again, "✓ Answered by Guest")
    await scene.reads('Result: Guest answered: {"size": "s"}', thread=card.thread)
