"""One driver at a time: claims grow the epoch, and whoever was left behind writes nothing."""

import asyncio

import pytest

from bot.domain.run import Run
from bot.errors import Fenced
from bot.store import entries, runs, sessions
from bot.store.database import Store, Tx
from bot.store.entries import Entry
from channels.events import Conversation
from tests.bot.parts import CHAT, NOW, begin, queue

KEY = CHAT.key


async def claimed(store: Store) -> Run:
    run = await store.tx(runs.claim, KEY)
    assert run is not None
    return run


async def test_runs_of_a_conversation_are_claimed_in_their_order(store: Store) -> None:
    ids = [await store.tx(queue) for _ in range(3)]
    for run_id in ids:
        run = await claimed(store)
        assert (run.id, run.state, run.epoch, run.attempts) == (run_id, "running", 1, 1)
        await store.tx(runs.end, run.id, "completed", NOW)
    assert await store.tx(runs.claim, KEY) is None


async def test_a_run_that_waits_holds_back_those_behind_it(store: Store) -> None:
    run = await store.tx(begin)
    await store.tx(queue)
    await store.tx(runs.suspend, run)
    assert await store.tx(runs.claim, KEY) is None
    await store.tx(runs.resume, run.id)
    again = await claimed(store)
    assert (again.id, again.epoch, again.attempts) == (run.id, 2, 1), "a wait is not an attempt"


async def test_the_driver_that_was_replaced_is_fenced_whatever_it_writes(store: Store) -> None:
    """B186: two drivers never both write; nothing of the older one's transaction stays."""
    old = await store.tx(begin)
    new = await claimed(store)
    assert (new.id, new.epoch, new.attempts) == (old.id, 2, 2)

    def writes(tx: Tx) -> None:
        entries.add(tx, Entry(old.id, "completed", None, NOW, {}))
        runs.guard(tx, old, state="completed", ended_at=NOW)

    for work in (lambda tx: runs.guard(tx, old), writes, lambda tx: runs.suspend(tx, old)):
        with pytest.raises(Fenced):
            await store.tx(work)
    assert [entry.kind for entry in await store.tx(entries.of_runs, [old.id])] == ["queued"]
    await store.tx(lambda tx: runs.guard(tx, new))


async def test_a_run_that_was_ended_from_outside_fences_its_driver(store: Store) -> None:
    run = await store.tx(begin)
    assert await store.tx(runs.end, run.id, "cancelled", NOW)
    assert not await store.tx(runs.end, run.id, "cancelled", NOW), "it ends once"
    with pytest.raises(Fenced):
        await store.tx(lambda tx: runs.guard(tx, run))
    await store.tx(runs.resume, run.id)
    assert not await store.tx(runs.alive, run.id), "a late decision does not revive it"


async def test_of_two_claims_at_once_the_later_one_holds(store: Store) -> None:
    await store.tx(queue)
    found = await asyncio.gather(*(store.tx(runs.claim, KEY) for _ in range(4)))
    epochs = sorted(run.epoch for run in found if run is not None)
    assert len(set(epochs)) == len(epochs), "no two drivers hold the same ticket"
    holder = next(run for run in found if run is not None and run.epoch == epochs[-1])
    await store.tx(lambda tx: runs.guard(tx, holder))


async def test_an_orderly_stop_is_no_attempt(store: Store) -> None:
    run = await store.tx(begin)
    await store.tx(runs.release, run)
    assert (await claimed(store)).attempts == 1


async def test_conversations_do_not_hold_each_other_back(store: Store) -> None:
    await store.tx(begin)
    other = Conversation("tg", "6")
    run_id = await store.tx(queue, other)
    assert sorted(await store.tx(runs.drivable)) == [KEY, other.key]
    run = await store.tx(runs.claim, other.key)
    assert run is not None
    assert run.id == run_id


async def test_what_was_said_before_is_found_until_the_session_ends(store: Store) -> None:
    first = await store.tx(begin)
    await store.tx(runs.end, first.id, "completed", NOW)
    second = await store.tx(begin)
    assert second.session_id == first.session_id
    assert second.session_id is not None
    assert await store.tx(runs.history, second.session_id, second.seq, 10) == [first.id]
    assert await store.tx(sessions.end, KEY) == 1
    third = await store.tx(queue)
    fresh = await store.tx(runs.find, third)
    assert fresh is not None
    assert fresh.session_id not in (None, first.session_id)
