"""What Slack delivers outlives a restart of ours, and a store that is away."""

import asyncio

import pytest

from channels.adapter import Receipt
from channels.errors import NotSent
from channels.events import Event, Message
from tests.channels.contract import RecordingInlet
from tests.channels.slack.house import Visitor, made, running, time_passing
from tests.fakes.slack.client import Slack

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_what_is_kept_is_read_after_a_restart(slack: Slack) -> None:
    await slack.reset()
    inlet = RecordingInlet()
    visitor = await Visitor.arrive(slack)
    await slack.fail("users.info", status=503, times=None)
    async with running(slack, made(slack), inlet):
        await visitor.say("hello")
        await inlet.until(lambda: len(inlet.waiting) == 1)
    await slack.clear_faults()
    async with running(slack, made(slack), inlet):
        assert (await inlet.next(Message, visitor.where)).text == "hello"
        await inlet.until(lambda: not inlet.waiting)


async def test_a_store_that_is_away_is_no_fault_of_the_event(slack: Slack) -> None:
    class Away(RecordingInlet):
        def __init__(self) -> None:
            super().__init__()
            self.back, self.tried = False, asyncio.Event()

        async def receive(self, event: Event) -> Receipt:
            if self.back:
                return await super().receive(event)
            self.tried.set()
            raise NotSent("away")

    await slack.reset()
    await slack.settings(ack_within=0.3)
    inlet = Away()
    async with running(slack, made(slack), inlet):
        visitor = await Visitor.arrive(slack)
        await visitor.say("keep me")
        async with time_passing(slack):
            await asyncio.wait_for(inlet.tried.wait(), 10)
            inlet.back = True
            assert (await inlet.next(Message, visitor.where)).text == "keep me"
    assert inlet.aside == []
