"""A process that is frozen still is one: a second is not let in beside it."""

import os
import signal

import pytest

from bot.serving import AlreadyRunning
from tests.crash.scene import Scene


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_second_process_is_refused_while_the_first_is_frozen_and_the_first_goes_on(scene: Scene) -> None:
    await scene.model_rings("one")
    first = await scene.start()
    await scene.say("ring one.")
    card = await scene.card()
    os.kill(first.pid, signal.SIGSTOP)
    try:
        await scene.press(card)
        with pytest.raises(AssertionError, match=str(AlreadyRunning.__doc__)[:40]):
            await scene.start()
        assert not scene.world.asked
    finally:
        os.kill(first.pid, signal.SIGCONT)
    await scene.once("ring/one is done")
    assert scene.world.acted == {"ring/one": 1}
