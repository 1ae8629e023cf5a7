"""`stage` is for a flow that starts a service of its own; `scene` for one that may share the service of the long play,
which runs on fakes of its own. Both come by socket and by HTTP; `by_socket` and `by_http` of `tests.flows.slack.ways`
keep a test to one."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.fakes.model.client import Address, ModelServer, launched
from tests.fakes.model.client import connected as model_connected
from tests.fakes.slack.answers import Person, Place
from tests.fakes.slack.client import Slack, slack_process
from tests.fakes.slack.client import connected as slack_connected
from tests.flows.hearing import PATIENCE_S
from tests.flows.house import House, running
from tests.flows.slack.plan import SlackPlan, Transport
from tests.flows.slack.scene import Scene
from tests.flows.slack.stage import Stage, delivered, free_port


@pytest.fixture(params=["socket", "http"])
def transport(request: pytest.FixtureRequest) -> Transport:
    way: Transport = request.param
    return way


@pytest.fixture(scope="session")
def slack_ready() -> Iterator[Mapping[str, Any]]:
    with slack_process() as ready:
        yield ready


@pytest.fixture
async def slack(slack_ready: Mapping[str, Any]) -> AsyncIterator[Slack]:
    async with slack_connected(slack_ready) as fake:
        yield fake


@pytest.fixture
async def stage(
    slack: Slack, model: ModelServer, model_address: Address, tmp_path: Path, transport: Transport
) -> AsyncIterator[Stage]:
    """Slack with a person who is admin, and no service yet."""
    stage = await Stage.set(slack, model, f"http://127.0.0.1:{model_address.port}/v1", tmp_path, transport)
    yield stage
    await stage.clear()


@dataclass(frozen=True, slots=True)
class LongPlay:
    """The service that all scenes share, with its fakes."""

    slack: Slack
    model: ModelServer
    house: House
    transport: Transport
    admins: Iterator[tuple[Person, Place]]
    """Each scene has another one, with a chat of theirs: one alone would write so much that it counts as a flood."""


SHARED = {
    "http": {"admin_token": "${ADMIN_TOKEN}"},
    "personas": {
        "guide": {"display_name": "Guide", "model": "main"},
        "boss": {"display_name": "Boss", "model": "main", "mode": "supervisor"},
        "reader": {"display_name": "Reader", "model": "main", "default_builtin": "read"},
    },
    "limits": {"membership_every": "1s"},
    "approvals": {"policies": [{"capability": "builtin/save_persona_memory", "needed": 2}]},
}


@asynccontextmanager
async def playing(transport: Transport, directory: Path) -> AsyncIterator[LongPlay]:
    with slack_process() as ready, launched("gpt-fake") as address:
        async with slack_connected(ready) as slack, model_connected(address) as model:
            admins = [await slack.user("Ann") for _ in range(10)]
            desks = [await slack.private_chat(admin) for admin in admins]
            plan = SlackPlan(
                slack.api_url,
                slack.bot_token,
                slack.app_token,
                slack.signing_secret,
                transport,
                free_port(),
                tuple(f"team:{admin.id}" for admin in admins),
                f"http://127.0.0.1:{address.port}/v1",
                slack={"switching": True},
                extra=SHARED,
            )
            async with running(plan, directory) as house:
                await delivered(slack, plan, house)
                await model.otherwise("Good morning.")
                # the provider's library is loaded at the first question
                await slack.write(desks[0], admins[0], "Wake up")
                await slack.wait_message(desks[0], containing="Good morning.", timeout=PATIENCE_S)
                yield LongPlay(slack, model, house, transport, cycle(zip(admins, desks, strict=True)))
            log = house.log.read_text()
            assert not any(secret in log for secret in plan.environment.values()), "a secret stands in the log"
            assert "Traceback" not in log


# Two fixtures and not one with parameters: that would be set up anew whenever the tests go from one way to the other.


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def socket_play(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LongPlay]:
    async with playing("socket", tmp_path_factory.mktemp("slack-socket")) as play:
        yield play


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def http_play(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LongPlay]:
    async with playing("http", tmp_path_factory.mktemp("slack-http")) as play:
        yield play


@pytest.fixture
def long_play(transport: Transport, request: pytest.FixtureRequest) -> LongPlay:
    play: LongPlay = request.getfixturevalue(f"{transport}_play")
    return play


@pytest_asyncio.fixture(loop_scope="session")
async def scene(long_play: LongPlay) -> AsyncIterator[Scene]:
    """A person of this test alone, in the service that all scenes share; nothing is scripted."""
    play = long_play
    scene = await Scene.open(play.slack, play.model, play.house, play.transport, *next(play.admins))
    yield scene
    await scene.close()
