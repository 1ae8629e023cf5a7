"""The outbox is sent in time: not before it may be, once, and for all conversations alike where the platform says so."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bot.courier import Courier
from bot.metrics import Metrics
from bot.reach import Reach
from bot.store import outbox
from bot.store.database import SqliteStore, Store, Tx
from channels.errors import RateLimited
from channels.events import Conversation
from channels.outgoing import Outgoing, plain
from tests.bot.parts import CHAT, NOW, Parts
from tests.bot.stages import Platform

PARTS = Parts()
OTHER = Conversation("tg", "6")
IN_TIME = 10.0


@pytest.fixture
async def store(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[Store]:
    opened = SqliteStore(shutil.copy(sqlite_template, tmp_path / "askfirst.db"))
    yield opened
    await opened.close()


class Hours:
    """A clock that goes on when it is told to; it counts how often it was looked at."""

    def __init__(self) -> None:
        self.now = NOW
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return self.now


def courier(store: Store, platform: Platform, clock: Callable[[], float]) -> Courier:
    made = Courier(store, lambda _channel: Reach.of(platform), PARTS.approver, PARTS.closer, clock, Metrics())
    store.listen(made.heed)
    return made


def post(tx: Tx, key: str, to: Conversation, now: float = NOW) -> None:
    outbox.post(tx, key, to, Outgoing(plain(key)), now)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(IN_TIME):
        while True:
            if holds():
                return
            await asyncio.sleep(0.01)  # a lane that waits tells nobody


async def test_what_may_not_be_sent_yet_is_sent_when_it_may_and_once(store: Store) -> None:
    platform, clock = Platform(), Hours()
    sending = courier(store, platform, clock)
    await store.tx(post, "later", CHAT, NOW + 30)
    await sending.start()
    await until(lambda: clock.looks >= 3)
    assert platform.tries == []
    found = await store.tx(outbox.find, "later")
    assert found is not None
    assert found.state == "due"
    clock.now = NOW + 30
    await until(lambda: platform.shown == ["later"])
    await sending.stop()
    assert (await store.tx(outbox.unsettled, "tg"), platform.tries) == (0, [CHAT.key])


async def test_a_wait_for_the_whole_channel_holds_every_conversation(store: Store) -> None:
    platform, clock = Platform(troubles=[RateLimited(30.0, whole_channel=True)]), Hours()
    sending = courier(store, platform, clock)
    await store.tx(post, "first", CHAT)
    await sending.start()
    await until(lambda: len(platform.tries) == 1)
    await store.tx(post, "second", OTHER)
    looks = clock.looks
    await until(lambda: clock.looks >= looks + 2)
    assert platform.tries == [CHAT.key]
    clock.now = NOW + 30
    await until(lambda: sorted(platform.shown) == ["first", "second"])
    await sending.stop()
    assert await store.tx(outbox.unsettled, "tg") == 0


async def test_a_wait_of_one_conversation_holds_no_other(store: Store) -> None:
    platform, clock = Platform(troubles=[RateLimited(30.0)]), Hours()
    sending = courier(store, platform, clock)
    await store.tx(post, "first", CHAT)
    await sending.start()
    await until(lambda: len(platform.tries) == 1)
    await store.tx(post, "second", OTHER)
    await until(lambda: platform.shown == ["second"])
    clock.now = NOW + 30
    await until(lambda: platform.shown == ["second", "first"])
    await sending.stop()
    assert await store.tx(outbox.unsettled, "tg") == 0


async def test_what_is_being_sent_at_a_stop_is_sent_to_its_end(store: Store) -> None:
    let_go = asyncio.Event()
    platform = Platform(hold=let_go.wait)  # type: ignore[arg-type]  # what it returns is not looked at
    sending = courier(store, platform, Hours())
    await store.tx(post, "first", CHAT)
    await store.tx(post, "second", CHAT)
    await sending.start()
    await until(lambda: len(platform.tries) == 1)
    stopping = asyncio.create_task(sending.stop())
    await asyncio.sleep(0)
    let_go.set()
    await stopping
    assert platform.shown == ["first"]
    assert await store.tx(outbox.recover) == 0, "nothing is in doubt"
    assert await store.tx(outbox.unsettled, "tg") == 1
