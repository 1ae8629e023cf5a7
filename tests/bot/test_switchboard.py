"""A channel is where its last switch left it, and what it had to say before that is not said later."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from bot.health import Health
from bot.store import channels, outbox
from bot.store.database import Store, Tx
from bot.switchboard import Switchboard
from channels.errors import Misconfigured
from channels.outgoing import Outgoing, plain
from tests.bot.parts import CHAT, NOW, Parts
from tests.bot.stages import Platform
from tests.channels.contract import RecordingInlet

PARTS = Parts()
IN_TIME = 10.0


@asynccontextmanager
async def switched(store: Store, platform: Platform, clock: Callable[[], float]) -> AsyncIterator[Switchboard]:
    """The channel tg, switched on."""
    switchboard = Switchboard(store, {"tg": platform}, Health(clock), clock)
    store.listen(switchboard.heed)
    await store.tx(channels.note, "tg")
    await switchboard.start(RecordingInlet())
    try:
        yield switchboard
    finally:
        await switchboard.stop()


def changes() -> list[asyncio.Task[object]]:
    """Switches that are being followed."""
    return [task for task in asyncio.all_tasks() if task.get_name() == "switch tg"]


async def followed() -> None:
    async with asyncio.timeout(IN_TIME):
        while under_way := changes():
            await asyncio.wait(under_way)


def say(tx: Tx, key: str) -> None:
    outbox.post(tx, key, CHAT, Outgoing(plain("last words")), NOW)


async def test_a_channel_that_is_switched_on_again_while_its_last_words_are_said_is_on(store: Store) -> None:
    platform = Platform()
    async with switched(store, platform, lambda: NOW) as switchboard, asyncio.timeout(IN_TIME):
        await platform.listening.wait()
        await store.tx(say, "closing")
        await store.tx(PARTS.admin.disconnect, "tg", "web:admin", NOW)
        [saying] = changes()
        await asyncio.wait([saying], timeout=0.1)
        await store.tx(PARTS.admin.connect, "tg", "web:admin", NOW)
        post = await store.tx(outbox.take, CHAT.key, NOW)
        assert post is not None
        await store.tx(outbox.sent, post, "77", NOW)
        await followed()
        assert switchboard.connected("tg") is not None
        await asyncio.sleep(0)
        assert platform.listening.is_set()
    assert platform.starts == 1


async def test_what_could_not_be_said_before_a_channel_was_off_is_not_said_when_it_is_on(store: Store) -> None:
    times = iter(range(1_000))

    def clock() -> float:
        """Each look is a minute later, so that the time for last words is over at once."""
        return NOW + 60 * next(times)

    platform = Platform()
    async with switched(store, platform, clock) as switchboard, asyncio.timeout(IN_TIME):
        await store.tx(say, "closing")
        await store.tx(PARTS.admin.disconnect, "tg", "web:admin", NOW)
        await followed()
        assert switchboard.connected("tg") is None
        await store.tx(PARTS.admin.connect, "tg", "web:admin", NOW)
        await followed()
        await platform.listening.wait()
        assert switchboard.connected("tg") is not None
        assert await store.tx(outbox.busy) == []
        post = await store.tx(outbox.find, "closing")
        assert post is not None
        assert post.state == "dropped"


async def test_to_connect_a_channel_that_ended_by_itself_starts_it_again(store: Store) -> None:
    platform = Platform(ends=Misconfigured("the token is wrong"))
    async with switched(store, platform, lambda: NOW), asyncio.timeout(IN_TIME):
        [ended] = [task for task in asyncio.all_tasks() if task.get_name() == "tg"]
        await asyncio.wait([ended])
        platform.ends = None
        await store.tx(PARTS.admin.connect, "tg", "web:admin", NOW)
        await platform.listening.wait()
        await followed()
        await store.tx(PARTS.admin.connect, "tg", "web:admin", NOW)
        await followed()
    assert platform.starts == 2, "one that runs is left alone"
