"""The server itself keeps to the codes and shapes that a method has."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from tests.fakes.slack.codes import allowed
from tests.fakes.slack.desk import Desk
from tests.fakes.slack.errors import Json, refused
from tests.fakes.slack.fake import Fake, build, closed
from tests.fakes.slack.methods import NAMES, Method
from tests.fakes.slack.schema import known
from tests.fakes.slack.server import WebApi
from tests.fakes.slack.world import App, Install, World
from tests.fakes.telegram.clock import Clock


def wrong_code(desk: Desk, install: Install, args: Json) -> Json:
    raise refused("no_text")


def wrong_shape(desk: Desk, install: Install, args: Json) -> Json:
    return {"colour": "red"}


@pytest.fixture
async def fake() -> AsyncIterator[Fake]:
    made = await build(0, validation=True)
    yield made
    await closed(made)
    await made.door.close()


async def answer(fake: Fake, method: Method) -> Json:
    """What the server says when a method goes wrong."""
    fake.door.api = WebApi(fake.desk, fake.record, fake.faults, fake.waiters, (method,))
    headers = {"Authorization": f"Bearer {fake.token}"}
    url = f"{fake.desk.base_url}/api/{method.name}"
    async with aiohttp.ClientSession() as http, http.post(url, json={}, headers=headers) as response:
        body: Json = await response.json()
        return body


async def test_code_that_the_method_does_not_have_is_never_sent(fake: Fake) -> None:
    assert await answer(fake, Method("auth.test", wrong_code)) == {"ok": False, "error": "fatal_error"}
    assert "'no_text'" in fake.record.violations[0].reason


async def test_answer_of_a_wrong_shape_is_never_sent(fake: Fake) -> None:
    assert await answer(fake, Method("auth.test", wrong_shape)) == {"ok": False, "error": "internal_error"}
    [violation] = fake.record.violations
    assert "colour" in violation.reason


class StillClock(Clock):
    def now(self) -> float:
        return 1_700_000_000.999_998


def test_every_message_of_a_channel_is_later_than_the_one_before() -> None:
    world = World(StillClock(), App("A1", "Guide", "", "", "", "", ""))
    channel = world.add_channel("public", "general", ["T1"], "U1")
    assert [world.next_ts(channel) for _ in range(3)] == ["1700000000.999998", "1700000000.999999", "1700000001.000000"]


@pytest.mark.parametrize("name", NAMES)
def test_every_method_is_known_to_both_sources(name: str) -> None:
    assert known(name)
    assert "ratelimited" in allowed(name)
