"""Slack keeps what is not acknowledged, and can be asked what was posted: nothing is lost, and nothing doubled."""

from collections.abc import AsyncIterator, Iterator, Mapping
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

from tests.crash.counter import World
from tests.crash.service import PATIENCE_S
from tests.crash.slack import SlackLife, SlackScene
from tests.fakes.model.client import Address
from tests.fakes.model.client import connected as model_connected
from tests.fakes.model.script import Reply, Rule
from tests.fakes.slack.client import connected, slack_process
from tests.flows.slack.plan import SlackPlan, Transport
from tests.flows.slack.stage import free_port

pytestmark = pytest.mark.parametrize(
    ("transport", "database_url"), [("socket", "sqlite"), ("http", "postgres")], indirect=["database_url"]
)
"""Each way to deliver and each database once: neither knows of the other."""


@pytest.fixture(scope="session")
def slack_ready() -> Iterator[Mapping[str, Any]]:
    with slack_process() as ready:
        yield ready


@pytest.fixture
async def scene(
    transport: Transport,
    database_url: str,
    slack_ready: Mapping[str, Any],
    model_address: Address,
    counter: World,
    tmp_path: Path,
    forks: ForkServerContext,
) -> AsyncIterator[SlackScene]:
    async with connected(slack_ready) as slack, model_connected(model_address) as model:
        ann = await slack.user("Ann")
        chat, direct = await slack.channel("general", members=[ann]), await slack.private_chat(ann)
        plan = SlackPlan(
            slack.api_url,
            slack.bot_token,
            slack.app_token,
            slack.signing_secret,
            transport,
            free_port(),
            (f"team:{ann.id}",),
            f"http://127.0.0.1:{model_address.port}/v1",
            database_url,
        )
        life = SlackLife(slack, model, counter, plan, tmp_path, forks)
        try:
            yield SlackScene(slack, life, ann, chat, direct)
            await life.end()
        finally:
            await life.abandon()
        assert not await model.violations()


@pytest.mark.parametrize("crash_at", ["before Gateway._accept 1", "after Gateway._accept 1", "after Agent._take 1"])
async def test_a_message_is_answered_once_wherever_the_service_died(scene: SlackScene, crash_at: str) -> None:
    """Before it was stored, and between that and the acknowledgement: Slack delivers again, and it is one run. With the
    answer stored but not sent: it is sent."""
    await scene.life.model_echoes()
    await scene.life.start(crash_at)
    thread = await scene.asks("hello")
    await scene.life.died()
    await scene.life.start()
    await scene.once("Echo of Ann: hello")
    await scene.slack.wait_confirmed(timeout=PATIENCE_S)
    await scene.say("and again", thread=thread)
    await scene.once("Echo of Ann: and again")
    await scene.once("Echo of Ann: hello")
    assert len(await scene.model.requests()) == 2
    tries = [each.tries for each in await scene.slack.deliveries()]
    assert max(tries) > 1 or crash_at.startswith("after Agent")


async def test_what_was_taken_before_a_crash_is_known_when_it_is_delivered_again_after_it(scene: SlackScene) -> None:
    """B003: ids outlive the process. B227: the status is taken away in the end, and the chat is not busy for ever."""
    await scene.model.rules(Rule(times=1, reply=Reply(text="never heard", hold="for ever")))
    await scene.life.model_echoes()
    await scene.life.start()
    sent = await scene.slack.write(scene.chat, scene.person, f"{scene.mention} hello")
    await scene.model.wait_request(1, PATIENCE_S)
    await scene.slack.wait_confirmed()
    await scene.slack.wait_calls("assistant.threads.setStatus", timeout=PATIENCE_S)
    await scene.life.kill()
    await scene.life.start()
    for event_id in sent.event_ids:
        await scene.slack.repeat(event_id)
    await scene.slack.wait_confirmed()
    await scene.once("Echo of Ann: hello")
    assert len(await scene.model.requests()) == 2
    assert (await scene.slack.statuses(scene.chat))[sent.message_id]["status"] == ""


async def test_an_answer_that_was_posted_and_not_recorded_is_found_and_not_doubled(scene: SlackScene) -> None:
    """Slack can be asked, so there is no second post, not even a marked one."""
    await scene.life.model_echoes()
    await scene.life.start()
    await scene.slack.hold("chat.postMessage", when="after")
    thread = await scene.asks("hello")
    await scene.reads("Echo of Ann: hello", thread=thread)
    await scene.life.kill()
    await scene.life.start()
    await scene.once("Echo of Ann: hello")
    await scene.say("go on", thread=thread)
    await scene.once("Echo of Ann: go on")
    await scene.once("Echo of Ann: hello")


async def test_a_card_that_was_posted_and_not_recorded_is_found_and_decides(scene: SlackScene) -> None:
    await scene.life.model_rings("one")
    await scene.life.start()
    await scene.slack.hold("chat.postMessage", when="after")
    await scene.asks("ring one.")
    card = await scene.card()
    await scene.life.kill()
    await scene.life.start()
    await scene.life.settled()
    assert await scene.press(card, "Approve") == "Approved."
    await scene.rung_once(card)


async def test_an_approval_waits_through_a_crash(scene: SlackScene) -> None:
    await scene.life.model_rings("one")
    await scene.life.start()
    thread = await scene.asks("ring one.")
    card = await scene.card()
    await scene.life.settled()
    await scene.life.kill()
    await scene.say("what is the time?", thread=thread)
    await scene.life.model_echoes()
    await scene.life.start()
    assert await scene.press(card, "Approve") == "Approved."
    done = await scene.reads("ring/one is done")
    queued = await scene.reads("Echo of Ann: what is the time?")
    assert done.id < queued.id
    await scene.rung_once(card)


@pytest.mark.parametrize("crash_at", ["before Gateway._accept 3", "after Gateway._accept 3"])
async def test_a_press_around_a_crash_runs_the_tool_once(scene: SlackScene, crash_at: str) -> None:
    """Slack has one try for a press: the presser sees that it failed, presses again, and is told what became of it."""
    await scene.life.model_rings("one")
    await scene.life.start(crash_at)
    await scene.asks("ring one.")
    card = await scene.card()
    pressed = await scene.slack.press(scene.chat, scene.person, card.id, "Approve")
    await scene.life.died()
    assert (await scene.slack.wait_answer(pressed, timeout=PATIENCE_S)).failed
    await scene.life.start()
    told = await scene.press_old(card)
    assert told == "Approved." if crash_at.startswith("before") else told.startswith("Too late: Approved by Ann")
    await scene.rung_once(card)
