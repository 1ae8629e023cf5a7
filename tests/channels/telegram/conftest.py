"""A Telegram of a test's own; or one bot that polls for all tests of a module that do not trouble its intake, with a
visitor for each."""

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.channels.telegram.house import House, Visitor, made, running
from tests.fakes.telegram.client import Telegram, running_telegram


@pytest_asyncio.fixture
async def telegram() -> AsyncIterator[Telegram]:
    async with running_telegram() as telegram:
        yield telegram


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house() -> AsyncIterator[House]:
    async with running_telegram() as telegram, running(telegram, made(telegram)) as house:
        yield house


@pytest_asyncio.fixture(loop_scope="module")
async def visitor(house: House) -> Visitor:
    return await Visitor.arrive(house.telegram)
