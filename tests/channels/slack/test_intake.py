"""Stored, then acknowledged, within three seconds, whatever users.info does; in a chat in the order in which it came."""

import asyncio

import pytest

from channels.events import Command, Conversation, Event, Message
from channels.slack.parse import delivery_id
from tests.channels.slack.house import House, Visitor, time_passing

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_slow_look_up_does_not_hold_up_the_acknowledgement(house: House) -> None:
    """B018: half of what Slack grants, then the delivery is kept and read when it can be."""
    visitor = await Visitor.arrive(house.slack, "Slow")
    await house.slack.hold("users.info")
    sent = await house.slack.write(visitor.chat, visitor.user, "hello")
    await house.slack.wait_held("users.info")
    async with asyncio.timeout(10):
        await house.slack.settings(ack_within=3.0)
        await house.slack.wait_confirmed()
    assert house.inlet.of(Message, visitor.where) == []
    assert list(house.inlet.waiting) == [f"e:{sent.event_id}"]
    await house.slack.release("users.info")
    assert (await house.inlet.next(Message, visitor.where)).text == "hello"
    await house.inlet.until(lambda: not house.inlet.waiting)
    await house.slack.settings(ack_within=0.5)


async def test_what_comes_after_one_that_waits_waits_behind_it(house: House) -> None:
    """B091: the order of arrival is kept, also for those whose names are known."""
    slow = await Visitor.arrive(house.slack, "Slow")
    channel = await house.slack.channel("order", members=[slow.user])
    quick = await Visitor.arrive(house.slack, "Quick")
    await house.slack.join(channel, quick.user)
    await quick.say("make me known")
    await house.inlet.next(Message, quick.where)
    await house.slack.settings(ack_within=3.0)
    await house.slack.hold("users.info")
    root = await house.slack.write(channel, slow.user, f"{house.slack.mention} first")
    await house.slack.wait_held("users.info")
    await house.slack.write(channel, quick.user, f"{house.slack.mention} second", thread=root.message_id)
    await house.slack.wait_confirmed()
    await house.slack.release("users.info")
    where = Conversation("team", channel.id, root.message_id)
    await house.inlet.next(Message, where, count=2)
    assert [message.text for message in house.inlet.of(Message, where)] == ["first", "second"]
    await house.slack.settings(ack_within=0.5)


async def test_a_command_that_nobody_can_answer_in_time_is_not_acknowledged(house: House) -> None:
    """Slack says that it did not work; nothing was done."""
    visitor = await Visitor.arrive(house.slack, "Command")
    await house.slack.fail("users.info", status=503, times=None)
    pressed = await house.slack.command(visitor.chat, visitor.user, "/askfirst", "status")
    answer = await house.slack.wait_answer(pressed)
    assert answer.failed
    assert house.inlet.of(Command, visitor.where) == []


async def test_a_person_is_looked_up_once(house: House, visitor: Visitor) -> None:
    """B092: and one that Slack does not know is not asked about for ever."""
    before = len(await house.slack.calls("users.info"))
    for number in range(5):
        await visitor.say(f"number {number}, dear <@U0GHOST> and @Nobody")
    await house.inlet.next(Message, visitor.where, count=5)
    asked = [call.args["user"] for call in (await house.slack.calls("users.info"))[before:]]
    assert len(asked) == len(set(asked))


async def test_a_poisonous_event_is_set_aside_and_holds_up_nobody(house: House, visitor: Visitor) -> None:
    def refuse(event: Event) -> bool:
        return isinstance(event, Message) and event.text == "poison"

    house.inlet.refuse = refuse
    await visitor.say("poison")
    async with time_passing(house.slack):
        await house.inlet.until(lambda: any("poison" in raw for _, raw, _ in house.inlet.aside))
    await visitor.say("good")
    assert (await house.inlet.next(Message, visitor.where)).text == "good"


async def test_what_cannot_be_read_is_set_aside_under_its_id(house: House, visitor: Visitor) -> None:
    event = {"type": "message", "channel": visitor.chat.id, "user": visitor.user.id, "ts": 5, "text": "x"}
    event_id = await house.slack.inject_event({**event, "channel_type": "im"})
    await house.inlet.until(lambda: f"e:{event_id}" in [aside for aside, _, _ in house.inlet.aside])
    assert delivery_id({"event_id": event_id}) == f"e:{event_id}"
    await house.slack.wait_confirmed()
