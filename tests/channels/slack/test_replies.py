"""How people are answered: aside, in a form, beside a card."""

import asyncio

import pytest

from channels.adapter import Receipt
from channels.events import ButtonPress, Command, Conversation, FormAnswer, Message
from channels.outgoing import Button, Field, Form, Outgoing, plain
from tests.channels.slack.house import PROMPTS, House, Visitor

pytestmark = pytest.mark.asyncio(loop_scope="module")

ASK = Outgoing(plain("May I?"), ((Button("Approve", "t1", "primary"), Button("Edit", "t2")),))
FORM = Form(
    "Edit this call", "Change it.", (Field("text", "Text", "milk", long=True), Field("due", "Due", "3")), "Save"
)


async def test_a_command_is_answered_in_its_acknowledgement(house: House, visitor: Visitor) -> None:
    """B017."""
    house.inlet.receipt = Receipt(answer=(Outgoing(plain("first")),))
    pressed = await house.slack.command(visitor.chat, visitor.user, "/askfirst", "Status  of it")
    answer = await house.slack.wait_answer(pressed, expect_notice=True)
    assert answer.body["response_type"] == "ephemeral"
    assert answer.text == "first"
    typed = await house.inlet.next(Command, visitor.where)
    assert (typed.name, typed.arguments, typed.aside, typed.mark) == ("status", "of it", True, "/askfirst ")


async def test_an_answer_in_parts_comes_in_order(house: House, visitor: Visitor) -> None:
    house.inlet.receipt = Receipt(answer=tuple(Outgoing(plain(f"part {number}")) for number in range(4)))
    await house.slack.command(visitor.chat, visitor.user, "/askfirst", "grants")
    await house.slack.wait_message(visitor.chat, containing="part 3", to=visitor.user)
    shown = await house.slack.messages(visitor.chat, ephemeral_for=visitor.user)
    assert [one.text for one in shown if one.ephemeral_to] == [f"part {number}" for number in range(4)]


async def test_another_apps_command_is_not_ours(house: House, visitor: Visitor) -> None:
    await house.slack.command(visitor.chat, visitor.user, "/other", "status")
    await visitor.say("done")
    await house.inlet.next(Message, visitor.where)
    assert house.inlet.of(Command, visitor.where) == []


async def test_a_refusal_is_for_the_pressers_eyes_alone(house: House, visitor: Visitor) -> None:
    await house.adapter.send(visitor.where, ASK)
    house.inlet.receipt = Receipt("You may not.", alert=True)
    assert await visitor.press("Approve") == "You may not."
    assert [seen.text for seen in await visitor.sees()] == ["May I?"]


async def test_where_we_may_not_write_a_press_is_answered_all_the_same(house: House, visitor: Visitor) -> None:
    await house.adapter.send(visitor.where, ASK)
    house.inlet.receipt = Receipt("Noted.", alert=True)
    await house.slack.fail("chat.postEphemeral", error="user_not_in_channel", chat=visitor.chat)
    assert await visitor.press("Approve") == "Noted."
    assert await house.slack.calls("response_url")


async def test_a_button_that_one_alone_sees_is_replaced_by_what_came_of_it(house: House, visitor: Visitor) -> None:
    house.inlet.receipt = Receipt(answer=(Outgoing(plain("Sure?"), ((Button("Confirm", "t9"),),)),))
    pressed = await house.slack.command(visitor.chat, visitor.user, "/askfirst", "grant x")
    await house.slack.wait_answer(pressed, expect_notice=True)
    shown = await house.slack.wait_message(visitor.chat, button="Confirm", to=visitor.user)
    house.inlet.receipt = Receipt("Granted.")
    await house.slack.press(visitor.chat, visitor.user, shown.id, "Confirm")
    replaced = await house.slack.wait_message(visitor.chat, containing="Granted.", to=visitor.user)
    assert replaced.buttons == ()
    press = await house.inlet.next(ButtonPress, visitor.where)
    assert (press.token, press.message) == ("t9", None)


async def test_a_form_opens_and_comes_back_under_its_buttons_token(house: House, visitor: Visitor) -> None:
    await house.adapter.send(visitor.where, ASK)
    house.inlet.receipt = Receipt(form=FORM)
    [message] = await house.slack.messages(visitor.chat)
    await house.slack.press(visitor.chat, visitor.user, message.id, "Edit")
    view = await house.slack.wait_view(visitor.user, containing="Edit this call")
    assert [(field.label, field.value, field.multiline) for field in view.fields] == [
        ("Text", "milk", True),
        ("Due", "3", False),
    ]
    house.inlet.receipt = Receipt(mistakes={"due": "Not a number."})
    await house.slack.submit(view, {"Due": "soon"})
    await house.slack.wait_view(visitor.user, error="Not a number.")
    house.inlet.receipt = Receipt("Changed.")
    view = await house.slack.wait_view(visitor.user)
    pressed = await house.slack.submit(view, {"Due": "4"})
    assert (await house.slack.wait_answer(pressed, expect_notice=False)).acked
    await house.slack.wait_message(visitor.chat, containing="Changed.", to=visitor.user)
    await house.slack.wait_no_view(visitor.user)
    answer = await house.inlet.next(FormAnswer, visitor.where, count=2)
    assert (answer.token, dict(answer.values), answer.private) == ("t2", {"text": "milk", "due": "4"}, True)
    assert answer.sender.id == visitor.id


async def test_a_form_that_comes_too_late_is_said_to_be_so(house: House, visitor: Visitor) -> None:
    """A trigger lives for three seconds."""
    await house.adapter.send(visitor.where, ASK)
    house.inlet.receipt = Receipt(form=FORM)
    await house.slack.fail("views.open", error="expired_trigger_id")
    assert "did not open in time" in await visitor.press("Edit")


async def test_an_answer_goes_nowhere_but_to_slack(house: House, visitor: Visitor) -> None:
    """A payload may say what it will."""
    body = {
        "command": "/askfirst",
        "text": "status",
        "channel_id": visitor.chat.id,
        "user_id": visitor.user.id,
        "team_id": house.slack.team_id,
        "trigger_id": "1.1.x",
        "response_url": "http://169.254.169.254/latest",
    }
    house.inlet.receipt = Receipt(answer=(Outgoing(plain("one")), Outgoing(plain("two"))))
    await house.slack.forget()
    await house.slack.inject(body)
    await house.inlet.next(Command, visitor.where)
    await visitor.say("done")
    await house.inlet.next(Message, visitor.where)
    assert not await house.slack.calls("response_url")


async def test_the_pane_suggests_what_may_be_asked_and_gets_a_title(house: House, visitor: Visitor) -> None:
    opened = await house.slack.start_thread(visitor.user)
    await house.slack.wait_calls("assistant.threads.setSuggestedPrompts", chat=visitor.chat)
    prompts = (await house.slack.statuses(visitor.chat))[opened.message_id]["prompts"]
    assert [prompt["message"] for prompt in prompts] == list(PROMPTS)
    await house.slack.write(visitor.chat, visitor.user, "Water\nthe plants", thread=opened.message_id)
    where = Conversation("team", visitor.chat.id, opened.message_id)
    assert (await house.inlet.next(Message, where)).private
    await house.slack.wait_calls("assistant.threads.setTitle", chat=visitor.chat)
    assert (await house.slack.statuses(visitor.chat))[opened.message_id]["title"] == "Water the plants"


async def test_the_last_word_about_a_status_is_the_last_one_shown(house: House, visitor: Visitor) -> None:
    """B227, B228: a slow write does not land after the clear."""
    opened = await house.slack.start_thread(visitor.user)
    where = Conversation("team", visitor.chat.id, opened.message_id)
    await house.slack.hold("assistant.threads.setStatus")

    thinking = asyncio.create_task(house.adapter.show(where, "thinking"))
    await house.slack.wait_held("assistant.threads.setStatus")
    resting = asyncio.create_task(house.adapter.show(where, "idle"))
    await house.slack.release("assistant.threads.setStatus")
    assert await thinking
    assert await resting
    assert (await house.slack.statuses(visitor.chat))[opened.message_id]["status"] == ""
