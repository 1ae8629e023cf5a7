"""A write that waits, or was just decided, when the service dies: decided once, run once, one card for it."""

import asyncio
import time

import pytest

from tests.crash.scene import MARK, Scene
from tests.crash.service import PATIENCE_S


async def test_a_card_that_was_stored_and_not_sent_is_shown_after_a_crash(scene: Scene) -> None:
    await scene.model_rings("one")
    await scene.start("after Agent._take 1")
    await scene.say("ring one.")
    await scene.died()
    assert not await scene.ours()
    await scene.start()
    card = await scene.card()
    assert MARK not in card.text
    assert await scene.told(await scene.press(card)) == "Approved."
    await scene.once("ring/one is done")
    await settled_once(scene)


async def test_a_card_whose_sending_was_cut_off_before_it_arrived_is_shown_with_a_mark(scene: Scene) -> None:
    await scene.model_rings("one")
    await scene.start()
    await scene.telegram.hold("sendMessage")
    await scene.say("ring one.")
    await scene.telegram.wait_held("sendMessage", timeout=PATIENCE_S)
    await scene.kill()
    await scene.start()
    card = await scene.card()
    assert MARK in card.text
    await scene.press(card)
    await scene.once("ring/one is done")
    await settled_once(scene)


async def test_a_card_that_arrived_unrecorded_is_repeated_and_both_decide_the_same_once(scene: Scene) -> None:
    """The platform cannot be asked whether it arrived. Whichever is pressed, the other has nothing left to decide."""
    await scene.model_rings("one")
    await scene.start()
    await scene.telegram.hold("sendMessage", when="after")
    await scene.say("ring one.")
    lost = await scene.card()
    await scene.kill()
    await scene.start()
    repeated = await scene.card(after=lost.id)
    assert MARK in repeated.text
    assert await scene.told(await scene.press(lost)) == "Approved."
    await scene.once("ring/one is done")
    for card in (lost, repeated):
        await scene.reads("Approved by Ann", message=card.id, no_buttons=True)
    await settled_once(scene)


async def test_the_lost_twin_of_a_decided_card_loses_its_buttons_when_it_is_pressed(scene: Scene) -> None:
    await scene.model_rings("one")
    await scene.start()
    await scene.telegram.hold("sendMessage", when="after")
    await scene.say("ring one.")
    lost = await scene.card()
    await scene.kill()
    await scene.start()
    repeated = await scene.card(after=lost.id)
    await scene.press(repeated, "Reject")
    await scene.reads("Rejected by Ann", message=repeated.id, no_buttons=True)
    assert "Too late" in await scene.told(await scene.press(lost))
    await scene.reads("Rejected by Ann", message=lost.id, no_buttons=True)
    assert not scene.world.asked
    assert not await scene.pressable()


async def test_an_approval_waits_through_a_crash(scene: Scene) -> None:
    await scene.model_rings("one")
    await scene.start()
    await scene.say("ring one.")
    await scene.card()
    await scene.settled()
    await scene.say("what is the time?")
    await scene.telegram.wait_confirmed()
    card = await scene.card(containing="Your message comes next")
    await scene.kill()
    await scene.model_echoes()
    await scene.start()
    assert await scene.told(await scene.press(card)) == "Approved."
    done = await scene.once("ring/one is done")
    queued = await scene.once("Echo of what is the time?")
    assert done.id < queued.id
    await settled_once(scene)


@pytest.mark.parametrize("crash_at", ["before Gateway._accept 2", "after Gateway._accept 2"])
async def test_three_presses_around_a_crash_run_the_tool_once(scene: Scene, crash_at: str) -> None:
    """The service dies over the first press, before or after its decision is stored, and two more come while it is down."""
    await scene.model_rings("one")
    await scene.start(crash_at)
    await scene.say("ring one.")
    card = await scene.card()
    presses = [await scene.press(card)]
    await scene.died()
    presses += [await scene.press(card), await scene.press(card)]
    await scene.start()
    first, *later = [await scene.told(press) for press in presses]
    assert first == ("" if crash_at.startswith("after") else "Approved.")
    assert all(words.startswith("Too late: Approved by Ann") for words in later)
    await scene.once("ring/one is done")
    await scene.reads("Approved by Ann", message=card.id, no_buttons=True)
    await settled_once(scene)


async def test_a_press_that_was_carried_out_and_never_acknowledged_is_not_carried_out_again(scene: Scene) -> None:
    await scene.model_rings("one")
    await scene.start()
    await scene.say("ring one.")
    card = await scene.card()
    await scene.telegram.hold("answerCallbackQuery")
    await scene.press(card)
    await scene.once("ring/one is done")
    await scene.settled()
    await scene.kill()
    await scene.start()
    await scene.telegram.wait_confirmed(timeout=PATIENCE_S)
    await scene.say("ring one.")
    await scene.card(after=card.id)
    await scene.once("ring/one is done")
    assert scene.world.acted == {"ring/one": 1}


async def test_a_card_whose_closing_was_cut_off_is_closed_after_a_crash(scene: Scene) -> None:
    await scene.model_rings("one")
    await scene.start()
    await scene.say("ring one.")
    card = await scene.card()
    await scene.telegram.hold("editMessageText", when="after")
    await scene.press(card)
    await scene.model.wait_ended(2, PATIENCE_S)
    await scene.reads("Approved by Ann", message=card.id)
    await scene.kill()
    await scene.start()
    await scene.once("ring/one is done")
    await scene.once("Approved by Ann")
    await settled_once(scene)


async def test_an_approval_that_expires_while_the_service_is_down_is_no_consent(scene: Scene) -> None:
    await scene.model_rings("one")
    await scene.start(expire_after="5s", remind_before="1s")
    await scene.say("ring one.")
    card = await scene.card()
    shown = time.monotonic()
    await scene.settled()
    await scene.kill()
    pressed = await scene.press(card)
    await asyncio.sleep(shown + 5.2 - time.monotonic())
    await scene.start()
    assert "Too late" in await scene.told(pressed)
    await scene.once("Nobody decided in time")
    await scene.reads("Expired", message=card.id, no_buttons=True)
    assert not scene.world.asked
    assert not await scene.pressable()


async def settled_once(scene: Scene) -> None:
    """It was done once, and nothing is left to press."""
    assert scene.world.acted == {"ring/one": 1}
    assert not await scene.pressable()
