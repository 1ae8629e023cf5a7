"""The outbox is sent in time: not before it may be, once, and for all conversations alike where the platform says so."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bot.courier import Courier
from bot.metrics import Metrics
from bot.reach import Reach
from bot.store import files, outbox
from bot.store.database import SqliteStore, Store, Tx
from channels.errors import ChannelError, NotSent, OutcomeUnknown, RateLimited, Refused
from channels.events import Conversation
from channels.files import File, FileRef
from channels.outgoing import MessageRef, Outgoing, plain
from tests.bot.parts import CHAT, NOW, Parts, begin
from tests.bot.stages import Gallery, Platform

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
    made = Courier(
        store, lambda _channel: Reach.of(platform), PARTS.approver, PARTS.questioner, PARTS.closer, clock, Metrics()
    )
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


async def test_what_was_never_said_does_not_wait_for_an_edit_that_must(store: Store) -> None:
    """A card may be limited while it is brought up to date; the answer below it is not."""
    platform, clock = Platform(), Hours()
    sending = courier(store, platform, clock)
    await store.tx(post, "card", CHAT)
    await sending.start()
    await until(lambda: platform.shown == ["card"])

    def edited(tx: Tx) -> None:
        found = outbox.find(tx, "card")
        assert found is not None
        outbox.amend(tx, found, Outgoing(plain("card, decided")))
        taken = outbox.take(tx, CHAT.key, NOW)
        assert taken is not None
        outbox.again(tx, taken, NOW + 30)
        outbox.post(tx, "answer", CHAT, Outgoing(plain("answer")), NOW)

    await store.tx(edited)
    await until(lambda: platform.shown == ["card", "answer"])
    clock.now = NOW + 30
    await until(lambda: platform.shown == ["card, decided", "answer"])
    await sending.stop()


class Asked(Platform):
    """A platform that can be asked whether a message arrived."""

    def __init__(self, trouble: ChannelError | None = None, *, arrives: bool) -> None:
        super().__init__(troubles=[OutcomeUnknown("cut off")])
        self.arrives = arrives
        self.trouble = trouble
        self.marks: list[str | None] = []

    async def send(self, to: Conversation, message: Outgoing) -> MessageRef:
        self.marks.append(message.mark)
        if self.troubles and self.arrives:
            self.shown.append("lost answer")
        return await super().send(to, message)

    async def find(self, to: Conversation, mark: str, since: float) -> MessageRef | None:
        if self.trouble is not None:
            raise self.trouble
        assert since < NOW
        return MessageRef(to.key, "1") if mark in self.marks and self.arrives else None


async def sent_by(store: Store, platform: Asked) -> list[str]:
    clock = Hours()
    sending = courier(store, platform, clock)
    await store.tx(post, "hello", CHAT)
    await sending.start()
    await until(lambda: len(platform.tries) == 1)
    clock.now = NOW + 60
    await until(lambda: "hello" in " ".join(platform.shown))
    await sending.stop()
    assert await store.tx(outbox.unsettled, "tg") == 0
    return platform.shown


async def test_a_post_that_arrived_unheard_is_found_and_not_repeated(store: Store) -> None:
    assert await sent_by(store, Asked(arrives=True)) == ["hello"]


async def test_a_post_that_did_not_arrive_is_made_once_more_without_a_mark(store: Store) -> None:
    platform = Asked(arrives=False)
    assert await sent_by(store, platform) == ["hello"]
    assert len(set(platform.marks)) == 1, "it has one name, however often it is sent"


async def test_where_nobody_can_say_the_repeat_is_marked(store: Store) -> None:
    [shown] = await sent_by(store, Asked(Refused("no scope"), arrives=False))
    assert "may be a repeat" in shown


async def test_a_platform_that_cannot_be_asked_now_is_asked_again(store: Store) -> None:
    platform = Asked(NotSent("away"), arrives=True)
    clock = Hours()
    sending = courier(store, platform, clock)
    await store.tx(post, "hello", CHAT)
    await sending.start()
    await until(lambda: len(platform.tries) == 1)
    clock.now = NOW + 60
    looks = clock.looks
    await until(lambda: clock.looks >= looks + 4)
    assert platform.shown == ["lost answer"]
    platform.trouble = None
    clock.now = NOW + 120
    await until(lambda: platform.shown == ["hello"])
    await sending.stop()


async def test_a_file_that_a_crash_kept_from_being_sent_is_sent_once_by_the_next_courier(store: Store) -> None:
    content = File("a.png", "image/png", b"x" * 1000)

    def handed(tx: Tx) -> None:
        files.add(tx, "f", begin(tx).id, CHAT.key, content, NOW)
        outbox.post(tx, "file", CHAT, Outgoing(plain("a.png"), file=FileRef("f", "a.png", "image/png", 1000)), NOW)

    await store.tx(handed)
    platform = Gallery()
    for _start in range(2):
        sending = courier(store, platform, Hours())
        await sending.start()
        await until(lambda: len(platform.uploaded) == 1)
        await sending.stop()
    assert platform.uploaded == [(content, "a.png")]
    assert await store.tx(outbox.unsettled, "tg") == 0
