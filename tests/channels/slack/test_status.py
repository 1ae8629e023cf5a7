"""The status below a thread: whatever a write takes, the last word is the last, and no other thread waits for it."""

import asyncio

import pytest

from channels.events import Conversation
from tests.channels.slack.house import House, Visitor

pytestmark = pytest.mark.asyncio(loop_scope="module")

SET = "assistant.threads.setStatus"


async def thread(house: House, visitor: Visitor) -> Conversation:
    opened = await house.slack.start_thread(visitor.user)
    return Conversation("team", visitor.chat.id, opened.message_id)


async def shown(house: House, where: Conversation) -> str:
    return str((await house.slack.statuses(where.chat))[where.thread or ""]["status"])


async def test_a_write_that_nobody_waits_for_any_more_is_seen_to_its_end(house: House, visitor: Visitor) -> None:
    """B228: a run that ends gives its signs up in the middle of a write."""
    where = await thread(house, visitor)
    await house.slack.hold(SET)
    thinking = asyncio.create_task(house.adapter.show(where, "thinking"))
    await house.slack.wait_held(SET)
    thinking.cancel()
    resting = asyncio.create_task(house.adapter.show(where, "idle"))
    await asyncio.sleep(0)
    await house.slack.release(SET)
    assert await resting
    assert await shown(house, where) == ""


async def test_a_write_that_hangs_holds_no_other_thread_up(house: House, visitor: Visitor) -> None:
    slow, other = await thread(house, visitor), await thread(house, visitor)
    await house.slack.hold(SET)
    thinking = asyncio.create_task(house.adapter.show(slow, "thinking"))
    await house.slack.wait_held(SET)
    async with asyncio.timeout(0.9):
        assert await house.adapter.show(other, "thinking")
    assert await shown(house, other) == "is thinking…"
    assert await thinking
    assert await house.adapter.show(slow, "idle")
    await house.slack.release(SET)
    calls = len(await house.slack.calls(SET, chat=visitor.chat))
    await house.slack.wait_calls(SET, calls + 1, chat=visitor.chat)
    assert await shown(house, slow) == ""


async def test_what_slack_does_not_take_now_is_written_when_it_may(house: House, visitor: Visitor) -> None:
    where = await thread(house, visitor)
    assert await house.adapter.show(where, "thinking")
    await house.slack.fail(SET, status=429, retry_after=1)
    await house.adapter.show(where, "idle")
    await house.slack.wait_calls(SET, 3, chat=visitor.chat)
    assert await shown(house, where) == ""
