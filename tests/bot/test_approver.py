"""A decision is taken once, by whom it may, in time, and everything that shows it follows."""

import asyncio
from dataclasses import replace

import pytest

from bot.approver import SHOWN_AGAIN_AFTER_S
from bot.domain.access import House
from bot.domain.approval import Approval
from bot.store import approvals, buttons, calls, outbox, runs
from bot.store.buttons import Meaning
from bot.store.database import Signal, Store, Tx
from channels.adapter import Receipt
from tests.bot.parts import ANN, BOB, EVE, NOW, Parts, begin

PARTS = Parts()


async def waiting(store: Store, parts: Parts = PARTS) -> Approval:
    def work(tx: Tx) -> Approval:
        run = begin(tx)
        approval = parts.ask(tx, run)
        runs.suspend(tx, run)
        return approval

    return await store.tx(work)


async def take(
    store: Store, approval: Approval, *, approve: bool = True, by: object = BOB, now: float = NOW
) -> Receipt:
    def work(tx: Tx) -> Receipt:
        fresh = approvals.find(tx, approval.id)
        assert fresh is not None
        return PARTS.approver.take(tx, fresh, approve, by, None, now)  # type: ignore[arg-type]  # a Sender

    return await store.tx(work)


async def test_an_approval_makes_the_call_ready_and_wakes_its_run(store: Store) -> None:
    approval = await waiting(store)
    told: list[Signal] = []
    store.listen(told.append)
    assert (await take(store, approval)).notice == "Approved."
    call = await store.tx(calls.find, approval.call_id)
    run = await store.tx(runs.find, approval.run_id)
    assert call is not None
    assert run is not None
    assert (call.state, run.state) == ("ready", "running")
    assert {("decided", approval.run_id), ("wake", "tg:5")} <= {(each.topic, each.subject) for each in told}


async def test_a_rejection_answers_the_call_and_wakes_its_run(store: Store) -> None:
    """B153."""
    approval = await waiting(store)
    await take(store, approval, approve=False)
    call = await store.tx(calls.find, approval.call_id)
    run = await store.tx(runs.find, approval.run_id)
    assert call is not None
    assert run is not None
    assert (call.state, call.failure, run.state) == ("denied", "rejected", "running")


async def test_of_many_deciders_at_once_one_is_heard(store: Store) -> None:
    """B143: compare-and-set, whatever the database does at the same time."""
    approval = await waiting(store)
    receipts = await asyncio.gather(
        *(take(store, approval, approve=number % 2 == 0, by=ANN if number % 3 else BOB) for number in range(12))
    )
    assert sum(not receipt.alert for receipt in receipts) == 1
    late = [receipt.notice or "" for receipt in receipts if receipt.alert]
    assert all(notice.startswith("Too late: ") and notice.endswith("Nothing changed.") for notice in late)


async def test_who_may_not_decide_changes_nothing(store: Store) -> None:
    approval = await waiting(store)
    receipt = await take(store, approval, by=EVE)
    assert receipt.alert
    assert "You may not decide this" in (receipt.notice or "")
    assert (await store.tx(approvals.find, approval.id)) == replace(approval)


async def test_who_asked_may_not_decide_where_that_is_denied(store: Store) -> None:
    parts = Parts(House(frozenset({"tg:1"}), ("requester", "admins"), deny_self=True))
    approval = await waiting(store, parts)
    assert (await store.tx(parts.approver.take, approval, True, BOB, None, NOW)).alert
    assert not (await store.tx(parts.approver.take, approval, True, ANN, None, NOW)).alert


async def test_a_decision_after_its_time_is_none_even_before_the_sweep(store: Store) -> None:
    """B136: resolve first, then show."""
    approval = await waiting(store)
    receipt = await take(store, approval, now=approval.expires_at)
    assert receipt.notice == "Too late: this has expired. Nothing was done."
    fresh = await store.tx(approvals.find, approval.id)
    assert fresh is not None
    assert fresh.state == "expired"
    [card] = await store.tx(outbox.about, approval.id)
    assert "Approved" not in card.body
    assert "Expired" in card.body


async def test_a_decision_for_a_run_that_ended_is_none(store: Store) -> None:
    approval = await waiting(store)
    await store.tx(runs.end, approval.run_id, "failed", NOW)
    assert (await take(store, approval)).notice == "Too late: the run had ended. Nothing was done."
    fresh = await store.tx(approvals.find, approval.id)
    assert fresh is not None
    assert fresh.state == "cancelled"


async def test_what_is_due_expires_and_the_rest_waits(store: Store) -> None:
    approval = await waiting(store)
    assert await store.tx(PARTS.approver.expire, NOW + 3599) == 0
    assert await store.tx(PARTS.approver.expire, NOW + 3600) == 1
    assert await store.tx(PARTS.approver.expire, NOW + 3601) == 0
    call = await store.tx(calls.find, approval.call_id)
    assert call is not None
    assert (call.state, call.failure) == ("denied", "expired")
    assert "not consent" in (call.result or "")


@pytest.mark.parametrize(
    ("expire", "before", "at"), [(3600.0, 600.0, 3000.0), (100.0, 99.0, 50.0), (100.0, 60.0, 50.0)]
)
async def test_a_reminder_comes_once_and_not_too_early(store: Store, expire: float, before: float, at: float) -> None:
    """Of a short wait it comes at half time."""
    parts = Parts(times=replace(PARTS.times, expire_after=expire, remind_before=before))
    approval = await waiting(store, parts)
    assert await store.tx(parts.approver.remind, NOW + at - 1) == 0
    assert await store.tx(parts.approver.remind, NOW + at) == 1
    assert await store.tx(parts.approver.remind, NOW + at + 1) == 0
    assert len(await store.tx(outbox.about, approval.id)) == 2


async def test_a_card_is_shown_again_at_once_and_then_not_for_a_while(store: Store) -> None:
    approval = await waiting(store)

    async def shown(now: float) -> int:
        await store.tx(PARTS.approver.show_again, "tg:5", "Next.", now)
        return len(await store.tx(outbox.about, approval.id))

    assert await shown(NOW + 1) == 2
    assert await shown(NOW + 2) == 2
    assert await shown(NOW + 1 + SHOWN_AGAIN_AFTER_S) == 3


async def test_every_card_of_an_approval_is_closed_together(store: Store) -> None:
    """B142."""
    approval = await waiting(store)
    await store.tx(PARTS.approver.show_again, "tg:5", "Next.", NOW)
    await take(store, approval)
    for post in await store.tx(outbox.about, approval.id):
        assert post.message is not None
        assert post.message.rows == ()
        assert "Approved by Bob" in post.body


async def test_the_common_button_takes_only_what_was_shown_and_only_from_who_may(store: Store) -> None:
    def work(tx: Tx) -> list[Approval]:
        run = begin(tx)
        asked = [
            PARTS.approver.ask(tx, run, PARTS.call(tx, run, "add_note", {"text": t}, "waiting", n), t, NOW)
            for n, t in enumerate(("milk", "bread", "tea"))
        ]
        PARTS.approver.show(tx, asked, NOW)
        approvals.mark_shown(tx, asked[0].id, NOW)
        approvals.mark_shown(tx, asked[1].id, NOW)
        return asked

    asked = await store.tx(work)
    last = (await store.tx(outbox.about, asked[-1].id))[0].message
    assert last is not None
    token = last.rows[1][0].token
    meaning = await store.tx(buttons.find, token)
    assert isinstance(meaning, Meaning)
    assert (await store.tx(PARTS.approver.press, meaning, EVE, None, NOW)).alert
    assert (await store.tx(PARTS.approver.press, meaning, BOB, None, NOW)).notice == "Approved: 2."
    states = [(await store.tx(approvals.find, each.id)) for each in asked]
    assert [each.state for each in states if each] == ["approved", "approved", "pending"]


async def test_a_card_that_cannot_be_shown_frees_its_run_but_one_that_was_shown_does_not(store: Store) -> None:
    """B147."""
    approval = await waiting(store)
    await store.tx(approvals.mark_shown, approval.id, NOW)
    await store.tx(PARTS.approver.undelivered, approval.id, NOW)
    still = await store.tx(approvals.find, approval.id)
    assert still is not None
    assert still.state == "pending"
    await take(store, approval)
    other = await waiting(store)
    await store.tx(PARTS.approver.undelivered, other.id, NOW)
    call = await store.tx(calls.find, other.call_id)
    assert call is not None
    assert (call.state, call.failure) == ("denied", "cancelled")
    assert "could not be shown" in (call.result or "")


async def test_codes_of_what_waits_are_unique_and_tokens_fit_every_platform(store: Store) -> None:
    def work(tx: Tx) -> list[Approval]:
        run = begin(tx)
        return [PARTS.ask(tx, run, f"note {n}", place=n) for n in range(50)]

    asked = await store.tx(work)
    assert len({each.code for each in asked}) == 50
    tokens = await store.tx(buttons.tokens_of, asked[0].id)
    assert all(len(token.encode()) <= 64 for token in tokens.values())
    assert len(set(tokens.values())) == 2
