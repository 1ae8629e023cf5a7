"""Telegram keeps the contract of adapters."""

import pytest
import pytest_asyncio

from channels.adapter import Receipt
from tests.channels.contract import AdapterContract, Bench
from tests.channels.telegram.house import House, Visitor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def bench(house: House) -> Bench:
    house.inlet.refuse, house.inlet.receipt = lambda event: False, Receipt()
    return Bench(house.adapter, house.inlet, await Visitor.arrive(house.telegram))


class TestTelegram(AdapterContract):
    pass
