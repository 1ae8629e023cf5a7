"""What shows that something goes on: a status below a thread, which goes with it on every way out."""

import asyncio

import pytest

from tests.fakes.model.script import Reply, calls, fails
from tests.flows.slack.scene import Scene
from tests.flows.slack.ways import by_socket, in_the_long_play

pytestmark = [in_the_long_play, by_socket]

NOTE = calls("add_note", {"text": "milk"})
THINKING = "is thinking…"


async def status(scene: Scene, thread: str, wanted: str) -> None:
    """Until that stands below the thread."""
    async with asyncio.timeout(20):
        while True:
            if (await scene.slack.statuses(scene.chat)).get(thread, {}).get("status", "") == wanted:
                return
            await asyncio.sleep(0.02)  # a status has no event to wait for


async def ponders(scene: Scene, then: Reply) -> str:
    """A thread below which it is said that we think; `then` is what comes of it when `ponder` is released."""
    await scene.hears("ponder", first=then)
    thread = await scene.asks("ponder")
    await status(scene, thread, THINKING)
    return thread


async def cleared(scene: Scene, thread: str) -> None:
    """Nothing is under way, and nothing is said to be."""
    await scene.house.at_rest()
    await status(scene, thread, "")


@pytest.mark.parametrize(
    "then",
    [
        Reply(text="Pondered.", hold="ponder"),
        fails(400, "invalid_value").model_copy(update={"hold": "ponder"}),
        calls("silent_exit").model_copy(update={"hold": "ponder"}),
    ],
    ids=["an answer", "a failure", "silence"],
)
async def test_it_goes_when_the_run_is_over(scene: Scene, then: Reply) -> None:
    """B227: whatever the run ends with, and with nothing too. B225: what means silence is not said."""
    thread = await ponders(scene, then)
    await scene.model.release("ponder")
    if not then.calls:
        await scene.reads("", thread=thread)
    await cleared(scene, thread)
    assert len(await scene.there()) == (0 if then.calls else 1)


async def test_it_goes_when_the_run_is_stopped(scene: Scene) -> None:
    """B227."""
    thread = await ponders(scene, Reply(text="never", hold="ponder"))
    await scene.say("!stop", thread=thread)
    await scene.reads("Stopped.", thread=thread)
    await cleared(scene, thread)


@pytest.mark.parametrize("label", ["Approve", "Reject"])
async def test_it_says_that_a_decision_is_waited_for_and_goes_with_it(scene: Scene, label: str) -> None:
    await scene.hears("milk", first=NOTE, then=Reply(text="Done.", hold="done"))
    thread = await scene.asks("milk")
    card = await scene.card(thread=thread)
    await status(scene, thread, "waits for a decision…")
    await scene.press(card, label)
    await status(scene, thread, THINKING)
    await scene.model.release("done")
    await scene.reads("Done.", thread=thread)
    await cleared(scene, thread)


async def test_it_goes_when_the_card_is_cancelled(scene: Scene) -> None:
    await scene.hears("milk", first=NOTE)
    thread = await scene.asks("milk")
    card = await scene.card(thread=thread)
    await status(scene, thread, "waits for a decision…")
    await scene.say("!stop", thread=thread)
    await scene.settled(card, "Cancelled")
    await cleared(scene, thread)


async def test_a_slow_write_does_not_land_behind_the_last(scene: Scene) -> None:
    """B228: one after the other, and the last is the one that takes it away."""
    await scene.slack.delay("assistant.threads.setStatus", seconds=1.0)
    await scene.slow("ponder", "Pondered.")
    thread = await scene.asks("ponder")
    await scene.slack.wait_calls("assistant.threads.setStatus", arrived=True)
    await scene.model.release("ponder")
    await scene.reads("Pondered.", thread=thread)
    await scene.slack.wait_calls("assistant.threads.setStatus")
    await cleared(scene, thread)
    assert (await scene.slack.statuses(scene.chat))[thread]["history"] == [THINKING, ""]


async def test_a_status_that_slack_does_not_take_now_holds_nothing_up(scene: Scene) -> None:
    """A 429 here is nobody's loss: the answer comes."""
    await scene.slack.fail("assistant.threads.setStatus", status=429, retry_after=1)
    await scene.slow("ponder", "Pondered.")
    thread = await scene.asks("ponder")
    await scene.slack.wait_calls("assistant.threads.setStatus")
    await scene.model.release("ponder")
    await scene.reads("Pondered.", thread=thread)
    await cleared(scene, thread)


async def test_a_thread_that_has_no_status_any_more_takes_it_from_no_other(scene: Scene) -> None:
    await scene.slack.fail("assistant.threads.setStatus", error="invalid_thread_ts")
    await scene.slow("ponder", "Pondered.")
    await scene.asks("ponder")
    await scene.slack.wait_calls("assistant.threads.setStatus")
    other = await scene.asks("ponder")
    await status(scene, other, THINKING)
    await scene.model.release("ponder")
    await scene.reads("Pondered.", thread=other)
    await cleared(scene, other)


async def test_an_answer_that_comes_at_once_needs_none(scene: Scene) -> None:
    await scene.model.otherwise("At once.")
    thread = await scene.asks("hello")
    await scene.reads("At once.", thread=thread)
    await scene.house.at_rest()
    assert THINKING not in str(await scene.slack.statuses(scene.chat))
