"""The fakes run once for all flows, each test starts with empty ones.

`stage` is for a flow that starts a service of its own; `scene` for one that may share the service of the long play,
which runs on fakes of its own.
"""

import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pytest
import pytest_asyncio

from tests.databases import new_postgres, postgres_server
from tests.fakes.model.client import Address, ModelServer, launched
from tests.fakes.model.client import connected as model_connected
from tests.fakes.telegram.client import Telegram, telegram_process
from tests.fakes.telegram.client import connected as telegram_connected
from tests.fakes.telegram.protocol import Person, Place
from tests.flows.hearing import PATIENCE_S
from tests.flows.house import House, Plan, running
from tests.flows.scene import Scene
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


@dataclass(frozen=True, slots=True)
class LongPlay:
    """The service that all scenes share, with its fakes."""

    telegram: Telegram
    model: ModelServer
    house: House
    admins: Iterator[tuple[Person, Place]]
    """Each scene has another one, with a private chat: one alone would write so much that it counts as a flood."""


SHARED = {
    "http": {"admin_token": "${ADMIN_TOKEN}"},
    "personas": {
        "guide": {"display_name": "Guide", "model": "main"},
        "boss": {"display_name": "Boss", "model": "main", "mode": "supervisor"},
        "reader": {"display_name": "Reader", "model": "main", "default_builtin": "read"},
    },
    "limits": {
        "run_steps": 6,
        "run_tokens": 20_000,
        "handoffs": 2,
        "queue_per_conversation": 3,
        "events_per_minute_per_conversation": 30,
        "message_chars": 4_000,
    },
    "approvals": {"policies": [{"capability": "builtin/save_persona_memory", "needed": 2}]},
}
"""Limits low enough to be reached; for one write two must agree."""
SWITCHING = {"switching": True}


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def long_play(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LongPlay]:
    directory = tmp_path_factory.mktemp("long-play")
    with telegram_process() as ready, launched("gpt-fake") as address:
        async with telegram_connected(ready) as telegram, model_connected(address) as model:
            admins = [await telegram.user("Ann") for _ in range(10)]
            desks = [await telegram.private_chat(admin) for admin in admins]
            url = f"http://127.0.0.1:{address.port}/v1"
            named = tuple(f"tg:{admin.id}" for admin in admins)
            plan = Plan(telegram.api_url, telegram.token, named, url, extra=SHARED, telegram=SWITCHING)
            async with running(plan, directory) as house:
                await model.otherwise("Good morning.")
                # the provider's library is loaded at the first question
                await telegram.write(desks[0], admins[0], "Wake up")
                await telegram.wait_message(desks[0], containing="Good morning.", timeout=PATIENCE_S)
                yield LongPlay(telegram, model, house, cycle(zip(admins, desks, strict=True)))
            written = house.log.read_text()
            assert not any(secret in written for secret in plan.environment.values()), "a secret stands in the log"


@pytest_asyncio.fixture(loop_scope="session")
async def scene(long_play: LongPlay) -> AsyncIterator[Scene]:
    """A person of this test alone, in the service that all scenes share; nothing is scripted."""
    play = long_play
    scene = await Scene.open(play.telegram, play.model, play.house, "Guest", *next(play.admins))
    yield scene
    await scene.close()
