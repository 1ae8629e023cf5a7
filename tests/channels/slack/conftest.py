"""One fake Slack for a module, and an adapter that listens to it by socket."""

from collections.abc import AsyncIterator

import pytest_asyncio

from channels.adapter import Receipt
from tests.channels.slack.house import House, Visitor, made, running
from tests.fakes.slack.client import Slack, running_slack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def slack() -> AsyncIterator[Slack]:
    async with running_slack() as slack:
        await slack.settings(ack_within=0.5)
        yield slack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def connected(slack: Slack) -> AsyncIterator[House]:
    async with running(slack, made(slack)) as house:
        yield house


@pytest_asyncio.fixture(loop_scope="module")
async def house(connected: House) -> AsyncIterator[House]:
    """With an inlet that takes everything and says nothing; faults end with the test."""
    connected.inlet.refuse, connected.inlet.receipt = lambda event: False, Receipt()
    yield connected
    await connected.slack.clear_faults()


@pytest_asyncio.fixture(loop_scope="module")
async def visitor(house: House) -> Visitor:
    return await Visitor.arrive(house.slack)
