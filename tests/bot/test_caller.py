"""A call is begun once, checked right before, and what nobody knows is never guessed."""

import asyncio
from dataclasses import replace

import pytest

from bot.caller import CHANGED, UNKNOWN_RESTART, Caller
from bot.domain.access import Decider
from bot.domain.approval import Approval
from bot.domain.run import Call, CallState, Run
from bot.errors import Fenced
from bot.store import approvals, calls, memories, notes, outbox, personas, runs
from bot.store.database import Store, Tx
from bot.store.memories import Owner
from tests.bot.parts import BOB, GUIDE, NOW, Parts, begin

PARTS = Parts()


def caller(store: Store) -> Caller:
    return PARTS.caller(store)


async def agreed(store: Store, text: str = "milk") -> tuple[Run, Call]:
    """A write that a person has agreed to and that is about to be made."""

    def work(tx: Tx) -> tuple[Run, Approval]:
        run = begin(tx)
        approval = PARTS.ask(tx, run, text)
        approvals.decide(tx, approval.id, "approved", NOW, BOB.id, BOB.name, None)
        calls.step(tx, approval.call_id, "waiting", "ready")
        return run, approval

    run, approval = await store.tx(work)
    return run, await found(store, approval.call_id)


async def found(store: Store, call_id: str) -> Call:
    call = await store.tx(calls.find, call_id)
    assert call is not None
    return call


async def kept(store: Store) -> int:
    return await store.tx(notes.count, f"user:{BOB.id}")


async def test_what_was_agreed_to_is_done_once_however_often_it_is_asked_for(store: Store) -> None:
    run, call = await agreed(store)
    await caller(store).make(run, call)
    await caller(store).make(run, call)
    assert await kept(store) == 1
    assert (await found(store, call.id)).state == "done"


async def test_what_was_revoked_since_is_not_done(store: Store) -> None:
    """B172: between the decision and the call a revocation still acts."""
    run, call = await agreed(store)
    await store.tx(PARTS.granter.revoke, "*", "builtin/add_note", "tg:1", NOW)
    await caller(store).make(run, call)
    assert await kept(store) == 0
    after = await found(store, call.id)
    assert (after.state, after.failure) == ("done", "not_authorized")
    assert "not granted here" in (after.result or "")


async def test_without_the_agreement_a_write_asks_instead_of_running(store: Store) -> None:
    """The grants changed in between: what would have run unasked asks now."""
    run = await store.tx(begin)
    call = await store.tx(lambda tx: PARTS.call(tx, run, "add_note", {"text": "x"}))
    await caller(store).make(run, call)
    assert await kept(store) == 0
    assert (await found(store, call.id)).state == "waiting"
    [approval] = await store.tx(approvals.pending_of_run, run.id)
    assert approval.call_id == call.id


async def test_other_arguments_than_those_agreed_to_are_not_used(store: Store) -> None:
    run, call = await agreed(store)
    await caller(store).make(run, replace(call, arguments='{"text":"a bomb"}'))
    assert await kept(store) == 0
    after = await found(store, call.id)
    assert "has changed since this call was shown" in (after.result or "")


async def test_what_would_do_something_else_by_now_is_not_done(store: Store) -> None:
    """The memory that the card quoted was changed meanwhile."""
    owner = Owner(GUIDE.id, f"user:{BOB.id}")

    def work(tx: Tx) -> tuple[Run, str]:
        run = begin(tx)
        number = memories.add(tx, owner, "likes tea", NOW)
        call = PARTS.call(tx, run, "delete_persona_memory", {"memory_id": number}, "waiting")
        approval = PARTS.asker.ask(tx, run, call, f"Forget the memory {number}: “likes tea”", NOW)
        approvals.decide(tx, approval.id, "approved", NOW, BOB.id, BOB.name, None)
        calls.step(tx, call.id, "waiting", "ready")
        memories.update(tx, owner, number, "likes coffee", NOW)
        return run, call.id

    run, call_id = await store.tx(work)
    await caller(store).make(run, await found(store, call_id))
    after = await found(store, call_id)
    assert (after.result, after.failure) == (CHANGED, "not_authorized")
    assert len(await store.tx(memories.read, owner, "")) == 1


async def test_a_write_that_a_crash_cut_off_is_not_repeated_and_called_unknown(store: Store) -> None:
    run, call = await agreed(store)
    await store.tx(calls.step, call.id, "ready", "started")
    await caller(store).make(run, await found(store, call.id))
    assert await kept(store) == 0
    after = await found(store, call.id)
    assert (after.result, after.failure) == (UNKNOWN_RESTART, "unknown_outcome")


async def test_a_reader_that_a_crash_cut_off_is_run_again(store: Store) -> None:
    run = await store.tx(begin)
    call = await store.tx(lambda tx: PARTS.call(tx, run, "list_notes", {}, "started"))
    await caller(store).make(run, call)
    assert (await found(store, call.id)).result == "There are no notes."


async def cut_off(store: Store, number: int) -> tuple[Run, str]:
    """A change that may be repeated, begun when nothing asked, and cut off by a crash."""

    def work(tx: Tx) -> tuple[Run, str]:
        run = begin(tx)
        arguments = {"memory_id": number, "text": "likes coffee"}
        return run, PARTS.call(tx, run, "update_persona_memory", arguments, "started").id

    return await store.tx(work)


async def remembered(store: Store) -> list[str]:
    owner = Owner(GUIDE.id, f"user:{BOB.id}")
    return [memory.text for memory in await store.tx(memories.read, owner, "")]


async def test_a_change_that_a_crash_cut_off_and_that_must_ask_by_now_waits_for_a_person(store: Store) -> None:
    number = await store.tx(memories.add, Owner(GUIDE.id, f"user:{BOB.id}"), "likes tea", NOW)
    run, call_id = await cut_off(store, number)
    await caller(store).make(run, await found(store, call_id))
    assert (await found(store, call_id)).state == "waiting"
    [approval] = await store.tx(approvals.pending_of_run, run.id)
    assert len(await store.tx(outbox.about, approval.id)) == 1, "it has its card"
    assert await remembered(store) == ["likes tea"]
    await store.tx(PARTS.approver.take, approval, True, Decider(BOB), None, NOW)
    await caller(store).make(run, await found(store, call_id))
    assert (await found(store, call_id)).failure is None
    assert await remembered(store) == ["likes coffee"]


@pytest.mark.parametrize("state", ["ready", "started"])
async def test_what_must_ask_by_now_and_cannot_be_done_at_all_says_so(store: Store, state: CallState) -> None:
    run, call_id = await cut_off(store, 404)
    if state == "ready":
        await store.tx(calls.step, call_id, "started", "ready")
    await caller(store).make(run, await found(store, call_id))
    after = await found(store, call_id)
    assert (after.state, after.failure) == ("done", "not_found")
    assert "404" in (after.result or "")
    assert await store.tx(approvals.pending_of_run, run.id) == []


async def test_a_driver_that_was_replaced_begins_nothing(store: Store) -> None:
    run, call = await agreed(store)
    await store.tx(runs.claim, run.conversation)
    with pytest.raises(Fenced):
        await caller(store).make(run, call)
    assert await kept(store) == 0


async def test_a_result_that_comes_after_the_end_is_not_written(store: Store) -> None:
    run, call = await agreed(store)
    fit = await store.tx(caller(store)._begin, run, call)
    assert fit is not None
    await store.tx(runs.end, run.id, "cancelled", NOW)
    with pytest.raises(Fenced):
        await caller(store).make(run, await found(store, call.id))
    assert (await found(store, call.id)).state == "started"


async def test_a_persona_that_is_gone_does_nothing(store: Store) -> None:
    run, call = await agreed(store)
    await store.tx(personas.put, replace(GUIDE, default_builtin="none"))
    await caller(store).make(run, call)
    assert await kept(store) == 0


async def test_a_call_that_is_under_way_when_we_stop_is_brought_to_its_result(store: Store) -> None:
    """B197: an orderly stop leaves no unknown outcome behind."""
    run, call = await agreed(store)
    making = asyncio.create_task(caller(store).make(run, call))
    await asyncio.sleep(0)
    making.cancel()
    with pytest.raises(asyncio.CancelledError):
        await making
    assert await kept(store) == 1
    assert (await found(store, call.id)).state == "done"


async def test_a_call_whose_run_was_ended_before_it_began_is_not_made(store: Store) -> None:
    run, call = await agreed(store)
    await store.tx(runs.end, run.id, "cancelled", NOW)
    making = asyncio.create_task(caller(store).make(run, call))
    await asyncio.sleep(0)
    making.cancel()
    with pytest.raises(asyncio.CancelledError):
        await making
    assert await kept(store) == 0
