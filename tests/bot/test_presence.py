"""Signs end with the run that they are of."""

import asyncio
from collections.abc import Awaitable, Callable

from bot.domain.run import Run
from bot.presence import Presence
from bot.reach import Reach
from bot.store.database import Store
from tests.bot.parts import NOW, begin
from tests.bot.stages import Platform


async def watched(store: Store, work: Callable[[Presence, Run], Awaitable[None]]) -> list[str]:
    """What was seen of a run on a page, in order."""
    platform = Platform()
    presence = Presence(store, lambda _channel: Reach.of(platform), lambda: NOW)
    run = await store.tx(begin)
    await presence.during(run, work(presence, run))
    return platform.live


async def test_a_short_run_that_says_nothing_leaves_no_half_written_text(store: Store) -> None:
    async def silent(presence: Presence, run: Run) -> None:
        await asyncio.sleep(0)
        await presence.streamer(run)("I had better keep quiet")

    assert await watched(store, silent) == ["partial I had better keep quiet", "idle"]


async def test_a_run_that_is_over_before_any_sign_troubles_nobody(store: Store) -> None:
    async def nothing(_presence: Presence, _run: Run) -> None:
        return

    assert await watched(store, nothing) in ([], ["idle"])
