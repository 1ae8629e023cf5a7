"""People write and decide in four chats while the service is killed again and again at random moments."""

import asyncio
import random
import time
from contextlib import suppress

from tests.crash.scene import MARK, UNKNOWN, Scene
from tests.crash.service import PATIENCE_S
from tests.fakes.model.script import Reply
from tests.fakes.telegram.line import ControlError
from tests.fakes.telegram.protocol import Place, Shown

CHATS = 4
MESSAGES = 5
"""In each chat."""
DEATHS = 8
SHORTEST_LIFE_S, LONGEST_LIFE_S = 0.2, 2.5
SEED = 7
GIVEN_UP = "brought the service down 3 times"


async def test_nothing_is_lost_doubled_or_done_twice_under_random_kills(scene: Scene) -> None:
    chats = [scene.chat, *[await scene.newcomer(name) for name in ("Bob", "Eve", "Dan")]]
    asked = [[_asked(chat, number) for number in range(MESSAGES)] for chat in range(CHATS)]
    for tool in ("ring", "peek"):
        keys = [text.split()[1].rstrip(".") for texts in asked for text in texts if text.startswith(tool)]
        await scene.model_rings(*keys, tool=tool, says="On {user} {result}")
    await scene.model.otherwise(Reply(text="On {user} hello"))
    chance = random.Random(SEED)
    await scene.start()
    async with asyncio.TaskGroup() as people:
        for chat, texts in zip(chats, asked, strict=True):
            people.create_task(_writes(scene, chat, texts, chance.uniform(0.2, 1.2)))
        deciding = [asyncio.create_task(_decides(scene, chat)) for chat in chats]
        for _ in range(DEATHS):
            await asyncio.sleep(chance.uniform(SHORTEST_LIFE_S, LONGEST_LIFE_S))
            await scene.kill()
            await scene.start()
    await _all_answered(scene)
    for each in deciding:
        each.cancel()
    await asyncio.gather(*deciding, return_exceptions=True)
    await scene.settled()
    for number, chat in enumerate(chats):
        await _hold(scene, chat, asked[number])
    assert set(scene.ledger.approvals().values()) == {1}


def _asked(chat: int, number: int) -> str:
    """A write, a read or a mere word, in turn."""
    verb = ("ring", "peek", "greet")[(chat + number) % 3]
    return f"{verb} k{chat}{number}."


async def _writes(scene: Scene, chat: Place, texts: list[str], pause: float) -> None:
    for text in texts:
        await scene.say(text, chat)
        await asyncio.sleep(pause)


async def _decides(scene: Scene, chat: Place) -> None:
    """Approve whatever can be approved, the leftovers of a crash too, until told to stop."""
    while True:
        for card in await scene.pressable(chat):
            with suppress(ControlError):  # its buttons went between looking and pressing
                await scene.press(card, chat=chat)
        await asyncio.sleep(0.3)


async def _all_answered(scene: Scene) -> None:
    end = time.monotonic() + PATIENCE_S
    while left := _unanswered(scene):
        assert time.monotonic() < end, left
        await asyncio.sleep(0.1)


def _unanswered(scene: Scene) -> list[str]:
    ran = scene.ledger.runs()
    missing = ["not accepted"] * (CHATS * MESSAGES - len(ran))
    return missing + [str(run) for run in ran if run.state not in ("completed", "failed")]


async def _hold(scene: Scene, chat: Place, texts: list[str]) -> None:
    """What must hold in one chat, after all of it. A message over which the service died too often is answered in
    words that say so; the kills here come so fast that this may happen to one that has no part in them."""
    assert not await scene.pressable(chat)
    shown = await scene.ours(chat)
    ran = [run for run in scene.ledger.runs() if run.conversation == f"tg:{chat.id}"]
    assert [int(run.message) for run in ran] == sorted(int(run.message) for run in ran)
    first: list[int] = []
    for text, run in zip(texts, ran, strict=True):
        given_up = run.state == "failed"
        answers = [message for message in shown if (GIVEN_UP if given_up else f"On {text}") in message.text]
        assert answers, (text, [message.text for message in shown])
        if given_up:
            assert scene.world.asked[_what(text)] <= 1 or not text.startswith("ring")
            continue
        assert sum(MARK not in message.text for message in answers) <= 1, [message.text for message in answers]
        first.append(answers[0].id)
        _holds(scene, text, answers[-1])
    assert first == sorted(first)


def _what(text: str) -> str:
    return text.rstrip(".").replace(" ", "/")


def _holds(scene: Scene, text: str, answer: Shown) -> None:
    what = _what(text)
    if text.startswith("greet"):
        assert "hello" in answer.text
    elif text.startswith("peek"):
        assert f"{what} is done" in answer.text
    elif f"{what} is done" in answer.text:
        assert scene.world.asked[what] == scene.world.acted[what] == 1
    else:
        assert "Unknown outcome" in answer.text or UNKNOWN in answer.text
        assert scene.world.asked[what] <= 1
