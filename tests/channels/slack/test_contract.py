"""Slack keeps the contract of adapters, by socket and by HTTP."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from channels.adapter import Receipt
from tests.channels.contract import AdapterContract, Bench
from tests.channels.slack.house import House, Transport, Visitor, made, running, time_passing
from tests.fakes.slack.client import running_slack

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["socket", "http"])
async def house(request: pytest.FixtureRequest) -> AsyncIterator[House]:
    mode: Transport = request.param
    async with running_slack() as slack, running(slack, made(slack, mode)) as house:
        await slack.settings(ack_within=0.5)
        yield house


@pytest_asyncio.fixture(loop_scope="module")
async def bench(house: House) -> Bench:
    house.inlet.refuse, house.inlet.receipt = lambda event: False, Receipt()
    person = await Visitor.arrive(house.slack, takes_turns=bool(house.url))
    return Bench(house.adapter, house.inlet, person, lambda: time_passing(house.slack))


class TestSlack(AdapterContract):
    pass
