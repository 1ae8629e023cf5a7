"""The browser chat keeps the contract of adapters."""

import pytest

from tests.channels.contract import AdapterContract, Bench
from tests.channels.web.house import House, Visitor


@pytest.fixture
def bench(house: House) -> Bench:
    return Bench(house.adapter, house.inlet, Visitor(house))


class TestWeb(AdapterContract):
    pass
