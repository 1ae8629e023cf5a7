"""The fakes run once for all flows, each test starts with empty ones."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.databases import new_postgres, postgres_server
from tests.fakes.model.client import Address, ModelServer, launched
from tests.fakes.model.client import connected as model_connected
from tests.fakes.telegram.client import Telegram, telegram_process
from tests.fakes.telegram.client import connected as telegram_connected
from tests.flows.stage import Stage


@pytest.fixture(scope="session")
def telegram_ready() -> Iterator[object]:
    with telegram_process() as ready:
        yield ready


@pytest.fixture(scope="session")
def model_address() -> Iterator[Address]:
    with launched("gpt-fake") as address:
        yield address


@pytest.fixture
async def telegram(telegram_ready: dict[str, object]) -> AsyncIterator[Telegram]:
    async with telegram_connected(telegram_ready) as fake:
        await fake.reset()
        yield fake


@pytest.fixture
async def model(model_address: Address) -> AsyncIterator[ModelServer]:
    async with model_connected(model_address) as server:
        yield server


@pytest.fixture
async def stage(telegram: Telegram, model: ModelServer, model_address: Address, tmp_path: Path) -> AsyncIterator[Stage]:
    """Telegram with a person who is admin, and no service yet."""
    stage = await Stage.set(telegram, model, f"http://127.0.0.1:{model_address.port}/v1", tmp_path)
    yield stage
    await stage.clear()


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of an empty database; empty text for the SQLite file in the data directory."""
    if request.param == "sqlite" or os.environ.get("ASKFIRST_NO_POSTGRES"):
        yield ""
        return
    with new_postgres(postgres_server()) as url:
        yield url
