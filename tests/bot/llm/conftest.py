"""One scripted model server for all tests of the port, empty at the start of each."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.fakes.model.client import Address, ModelServer, connected, launched


@pytest.fixture(scope="package")
def address() -> Iterator[Address]:
    with launched() as started:
        yield started


@pytest.fixture
async def server(address: Address) -> AsyncIterator[ModelServer]:
    async with connected(address) as running:
        yield running
