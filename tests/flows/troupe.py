"""A plugin: the service that all stories told in Telegram share, with fakes of its own. Its bounds are the product's."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio

from tests.fakes.model.client import ModelServer, launched
from tests.fakes.model.client import connected as model_connected
from tests.fakes.telegram.client import Telegram, telegram_process
from tests.fakes.telegram.client import connected as telegram_connected
from tests.fakes.telegram.protocol import Person, Place
from tests.flows.groups import ECHO, Story
from tests.flows.hearing import PATIENCE_S
from tests.flows.house import House, Plan, running


@dataclass(frozen=True, slots=True)
class Troupe:
    """The service that all stories share, with its fakes."""

    telegram: Telegram
    model: ModelServer
    house: House
    admin: Person
    desk: Place


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def troupe(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Troupe]:
    directory = tmp_path_factory.mktemp("stories")
    with telegram_process() as ready, launched("gpt-fake") as address:
        async with telegram_connected(ready) as telegram, model_connected(address) as model:
            admin = await telegram.user("Ann")
            desk = await telegram.private_chat(admin)
            url = f"http://127.0.0.1:{address.port}/v1"
            plan = Plan(telegram.api_url, telegram.token, (f"tg:{admin.id}",), url)
            async with running(plan, directory) as house:
                await model.otherwise("Good morning.")
                await telegram.write(desk, admin, "Wake up")  # the provider's library is loaded at the first question
                await telegram.wait_message(desk, containing="Good morning.", timeout=PATIENCE_S)
                yield Troupe(telegram, model, house, admin, desk)
            written = house.log.read_text()
            assert not any(secret in written for secret in plan.environment.values()), "a secret stands in the log"


@pytest_asyncio.fixture(loop_scope="session")
async def story(troupe: Troupe) -> AsyncIterator[Story]:
    """A person named Guest, and a private chat of theirs."""
    story = await Story.open(troupe.telegram, troupe.model, troupe.house, "Guest", troupe.admin, troupe.desk)
    await story.model.otherwise(ECHO)
    yield story
    await story.close()
