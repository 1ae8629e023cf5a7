from collections.abc import AsyncIterator

import pytest

from tests.fakes.telegram.client import Telegram, running_telegram
from tests.fakes.telegram.raw import Api, raw_api


@pytest.fixture
async def telegram() -> AsyncIterator[Telegram]:
    async with running_telegram() as started:
        yield started


@pytest.fixture
async def api(telegram: Telegram) -> AsyncIterator[Api]:
    async with raw_api(telegram) as made:
        yield made
