"""A message is answered once, wherever the service died over it."""

import pytest

from bot.dispatch.procrastinated import STALLED_AFTER_S
from tests.crash.scene import MARK, Scene
from tests.crash.service import PATIENCE_S
from tests.fakes.model.script import Reply, Rule


@pytest.mark.parametrize("crash_at", ["before Gateway._accept 1", "after Gateway._accept 1", "after Agent._take 1"])
async def test_a_message_is_answered_once_wherever_the_service_died(scene: Scene, crash_at: str) -> None:
    """Before it was stored (the platform delivers again), before that was acknowledged (the second delivery is a
    duplicate), and with the answer stored but not sent."""
    await scene.model_echoes()
    await scene.start(crash_at)
    await scene.say("hello")
    await scene.died()
    await scene.start()
    await scene.once("Echo of hello")
    await scene.telegram.wait_confirmed()
    await scene.say("and again")
    await scene.once("Echo of and again")
    await scene.once("Echo of hello")
    assert len(await scene.model.requests()) == 2


async def test_a_message_that_was_acknowledged_is_answered_after_a_crash_during_the_model_call(scene: Scene) -> None:
    await scene.model.rules(Rule(times=1, reply=Reply(text="never heard", hold="for ever")))
    await scene.model_echoes()
    await scene.start()
    await scene.say("first")
    await scene.model.wait_request(1, PATIENCE_S)
    await scene.say("second")
    await scene.telegram.wait_confirmed()
    await scene.kill()
    await scene.start()
    first, second = await scene.once("Echo of first"), await scene.once("Echo of second")
    assert first.id < second.id
    assert len(await scene.model.requests()) == 3


async def test_what_a_killed_process_had_begun_is_taken_up_as_soon_as_the_next_is_ready(scene: Scene) -> None:
    """It is not waited for its heartbeats to be missed (PostgreSQL), let alone for a sweep."""
    await scene.model.rules(Rule(times=1, reply=Reply(text="never heard", hold="for ever")))
    await scene.model_echoes()
    await scene.start()
    await scene.say("hello")
    await scene.model.wait_request(1, PATIENCE_S)
    await scene.kill()
    await scene.start()
    await scene.model.wait_request(2, STALLED_AFTER_S / 2)


async def test_an_answer_that_was_sent_and_not_recorded_is_repeated_once_with_a_mark(scene: Scene) -> None:
    await scene.model_echoes()
    await scene.start()
    await scene.telegram.hold("sendMessage", when="after")
    await scene.say("hello")
    await scene.reads("Echo of hello")
    await scene.kill()
    await scene.start()
    await scene.reads("Echo of hello", count=2)
    await scene.say("go on")
    await scene.once("Echo of go on")
    texts = [message.text for message in await scene.ours() if "Echo of hello" in message.text]
    assert [MARK in text for text in texts] == [False, True]
    assert len(await scene.model.requests()) == 2


async def test_an_answer_that_was_edited_in_and_not_recorded_is_edited_in_again(scene: Scene) -> None:
    """The status line is what it goes into: an edit may be repeated, so nothing is doubled and nothing marked."""
    await scene.model.rules(Rule(reply=Reply(text="At last", hold="thinking")))
    await scene.start()
    await scene.say("hello")
    status = await scene.reads("thinking")
    await scene.telegram.hold("editMessageText", when="after")
    await scene.model.release("thinking")
    await scene.reads("At last")
    await scene.kill()
    before = len(await scene.telegram.calls("editMessageText"))
    await scene.start()
    await scene.telegram.wait_calls("editMessageText", before + 1, timeout=PATIENCE_S)
    assert (await scene.once("At last")).id == status.id
    assert len(await scene.ours()) == 1


async def test_a_run_that_kills_the_service_three_times_is_given_up_in_words(scene: Scene) -> None:
    await scene.model_echoes()
    await scene.start("before Agent._take 1")
    await scene.say("poison")
    await scene.died()
    for _ in range(2):
        await scene.start("before Agent._take 1")
        await scene.died()
    await scene.start()
    await scene.once("brought the service down 3 times")
    await scene.say("well again")
    await scene.once("Echo of well again")
