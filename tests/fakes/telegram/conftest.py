from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import pytest

from tests.fakes.telegram.client import Telegram, connected, telegram_process
from tests.fakes.telegram.raw import Api, raw_api


@pytest.fixture(scope="session")
def telegram_server() -> Iterator[Mapping[str, Any]]:
    with telegram_process() as ready:
        yield ready


@pytest.fixture
async def telegram(telegram_server: Mapping[str, Any]) -> AsyncIterator[Telegram]:
    async with connected(telegram_server) as started:
        yield started


@pytest.fixture
async def api(telegram: Telegram) -> AsyncIterator[Api]:
    async with raw_api(telegram) as made:
        yield made
