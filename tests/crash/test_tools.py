"""The service dies around a call of a tool: what writes is never called again, what may be repeated is."""

from typing import Literal

import pytest

from tests.crash.scene import UNKNOWN, Scene


@pytest.mark.parametrize(("crash_at", "acted"), [("after Caller._begin 1", 0), ("before Caller._record 1", 1)])
async def test_a_write_cut_off_beside_its_act_is_never_called_again(scene: Scene, crash_at: str, acted: int) -> None:
    """The intent is stored and the tool not yet called; or it has acted and that is not stored."""
    await scene.model_rings("one", says="All is well.")
    await scene.start(crash_at)
    await scene.say("ring one.")
    await scene.press(await scene.card())
    await scene.died()
    assert scene.world.acted["ring/one"] == acted
    await scene.start()
    answer = await scene.once(UNKNOWN)
    assert "All is well." in answer.text
    assert scene.world.asked["ring/one"] == acted
    (told,) = await scene.results_told()
    assert "Unknown outcome: the service restarted during this call" in told
    assert not await scene.pressable()


@pytest.mark.parametrize(("when", "acted"), [("before", 0), ("after", 1)])
async def test_calls_cut_off_in_the_middle_are_repeated_only_where_that_is_harmless(
    scene: Scene, when: Literal["before", "after"], acted: int
) -> None:
    bob, eve = await scene.newcomer("Bob"), await scene.newcomer("Eve")
    await scene.model_rings("one", says="All is well.")
    await scene.model_rings("two", tool="peek")
    await scene.model_rings("three", tool="tune")
    scene.world.hold(when)
    await scene.start()
    await scene.say("ring one.")
    await scene.say("peek two.", bob)
    await scene.say("tune three.", eve)
    await scene.press(await scene.card())
    await scene.press(await scene.card(eve), chat=eve)
    await scene.world.wait_held(3)
    await scene.kill()
    assert scene.world.acted.total() == 3 * acted
    await scene.start()
    await scene.once(UNKNOWN)
    await scene.once("peek/two is done", bob)
    await scene.once("tune/three is done", eve)
    assert scene.world.asked == {"ring/one": 1, "peek/two": 2, "tune/three": 2}
    assert scene.world.acted["ring/one"] == acted
    for chat in (scene.chat, bob, eve):
        assert not await scene.pressable(chat)


@pytest.mark.parametrize("crash_at", ["before Caller._begin 1", "after Caller._record 1", "before Agent._take 2"])
async def test_a_write_is_done_once_when_the_service_dies_clear_of_its_act(scene: Scene, crash_at: str) -> None:
    """Approved and not begun: it is done afterwards. Done and stored: its result is used, it is not done again."""
    await scene.model_rings("one")
    await scene.start(crash_at)
    await scene.say("ring one.")
    await scene.press(await scene.card())
    await scene.died()
    await scene.start()
    answer = await scene.once("ring/one is done")
    assert UNKNOWN not in answer.text
    assert scene.world.asked == {"ring/one": 1}
    await scene.once("Approved by Ann")
    assert not await scene.pressable()


async def test_a_worker_goes_on_after_crashes_in_the_middle_of_its_frame(scene: Scene) -> None:
    """Once with its card stored and not shown, once in the middle of its tool; then it reports to the persona."""
    await scene.model_delegates("ring one.")
    await scene.model_rings("one", says="All is well.")
    await scene.start("after Agent._take 2", mode="supervisor")
    await scene.say("please see to the bell")
    await scene.died()
    scene.world.hold("after")
    await scene.start()
    await scene.press(await scene.card())
    await scene.world.wait_held(1)
    await scene.kill()
    await scene.start()
    answer = await scene.once("The worker says: All is well.")
    assert UNKNOWN in answer.text
    assert scene.world.asked == {"ring/one": 1}
    assert not await scene.pressable()
