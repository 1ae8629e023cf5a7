"""The fakes run once for all crashes; each test starts with empty ones and an empty, migrated database."""

from collections.abc import AsyncIterator, Iterator, Mapping
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

from tests.crash.counter import World, world
from tests.crash.launcher import nursery
from tests.crash.scene import Scene
from tests.fakes.model.client import Address, launched
from tests.fakes.model.client import connected as model_connected
from tests.fakes.telegram.client import connected as telegram_connected
from tests.fakes.telegram.client import telegram_process
from tests.flows.house import Plan


@pytest.fixture(scope="session")
def telegram_ready() -> Iterator[Mapping[str, Any]]:
    with telegram_process() as ready:
        yield ready


@pytest.fixture(scope="session")
def model_address() -> Iterator[Address]:
    with launched("gpt-fake") as address:
        yield address


@pytest.fixture(scope="session")
def forks() -> ForkServerContext:
    return nursery()


@pytest.fixture
async def counter() -> AsyncIterator[World]:
    async with world() as here:
        yield here


@pytest.fixture
async def scene(
    telegram_ready: Mapping[str, Any],
    model_address: Address,
    counter: World,
    database_url: str,
    tmp_path: Path,
    forks: ForkServerContext,
) -> AsyncIterator[Scene]:
    async with telegram_connected(telegram_ready) as telegram, model_connected(model_address) as model:
        ann = await telegram.user("Ann")
        plan = Plan(
            telegram.api_url,
            telegram.token,
            (f"tg:{ann.id}",),
            f"http://127.0.0.1:{model_address.port}/v1",
            database=database_url,
        )
        chat = await telegram.private_chat(ann)
        scene = Scene(telegram, model, counter, plan, tmp_path, chat, forks)
        try:
            yield scene
            await scene.end()
        finally:
            await scene.abandon()
        assert not await model.violations()
