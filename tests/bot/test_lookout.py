"""Where a platform does not say that we were removed, it is seen, and what belongs to that chat alone ends."""

import pytest

from bot.lookout import Lookout
from bot.reach import Reach
from bot.store import approvals, runs, sessions
from bot.store.database import Store
from channels.errors import ChannelError, NotSent, RateLimited
from channels.events import Conversation
from tests.bot.parts import NOW, Parts, begin
from tests.bot.stages import Platform

PARTS = Parts()
HERE, THREAD, ELSEWHERE = Conversation("tg", "C1"), Conversation("tg", "C1", "7.1"), Conversation("tg", "C2", "8.1")
LATER = NOW + 100


class Town(Platform):
    """Says where we are, or fails to."""

    def __init__(self, *places: str, trouble: ChannelError | None = None) -> None:
        super().__init__()
        self.where = frozenset(places)
        self.trouble = trouble

    async def places(self) -> frozenset[str]:
        if self.trouble is not None:
            raise self.trouble
        return self.where


def lookout(store: Store, platform: Platform, now: float = LATER) -> Lookout:
    return Lookout(store, lambda _channel: Reach.of(platform), ["tg"], PARTS.closer, 60.0, lambda: now)


async def at_work(store: Store, *where: Conversation) -> None:
    for each in where:
        await store.tx(begin, each)


async def alive(store: Store) -> list[str]:
    found = await store.tx(sessions.conversations_of, "tg", LATER)
    opened = await store.tx(runs.open_in, [each.key for each in (HERE, THREAD, ELSEWHERE)])
    assert len(opened) == len(found)
    return sorted(found)


async def test_a_chat_that_we_were_removed_from_ends_with_all_its_threads(store: Store) -> None:
    await at_work(store, HERE, THREAD, ELSEWHERE)
    approval = await store.tx(lambda tx: PARTS.ask(tx, begin(tx, Conversation("tg", "C1", "9.1"))))
    await lookout(store, Town("C2", "D9")).look("tg")
    assert await alive(store) == [ELSEWHERE.key]
    closed = await store.tx(approvals.find, approval.id)
    assert closed is not None
    assert closed.state == "cancelled"


async def test_where_we_still_are_nothing_ends(store: Store) -> None:
    await at_work(store, HERE, ELSEWHERE)
    await lookout(store, Town("C1", "C2")).look("tg")
    assert await alive(store) == sorted([HERE.key, ELSEWHERE.key])


@pytest.mark.parametrize("trouble", [NotSent("away"), RateLimited(5.0)], ids=["away", "limited"])
async def test_a_platform_that_cannot_say_ends_nothing(store: Store, trouble: ChannelError) -> None:
    await at_work(store, HERE)
    await lookout(store, Town(trouble=trouble)).look("tg")
    assert await alive(store) == [HERE.key]


async def test_a_platform_that_never_says_is_not_asked(store: Store) -> None:
    await at_work(store, HERE)
    await lookout(store, Platform()).look("tg")
    assert await alive(store) == [HERE.key]


async def test_what_began_after_the_question_is_left_alone(store: Store) -> None:
    """The chat that we were just added to is not in the answer yet."""
    await at_work(store, HERE)
    await lookout(store, Town(), now=NOW).look("tg")
    assert await alive(store) == [HERE.key]
