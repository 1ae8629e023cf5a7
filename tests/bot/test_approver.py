"""A decision is taken once, by whom it may, in time, and everything that shows it follows."""

import asyncio
from dataclasses import replace

import pytest

from bot.asker import SHOWN_AGAIN_AFTER_S
from bot.domain.access import Decider
from bot.domain.approval import Approval
from bot.domain.policy import Rules
from bot.store import approvals, buttons, calls, outbox, runs
from bot.store.buttons import Meaning
from bot.store.database import Signal, Store, Tx
from channels.adapter import Receipt
from channels.events import Conversation, Sender
from tests.bot.parts import ANN, BOB, CHAT, EVE, NOW, Parts, begin

PARTS = Parts()


async def waiting(store: Store, parts: Parts = PARTS) -> Approval:
    def work(tx: Tx) -> Approval:
        run = begin(tx)
        approval = parts.ask(tx, run)
        runs.suspend(tx, run)
        return approval

    return await store.tx(work)


async def take(
    store: Store, approval: Approval, *, approve: bool = True, by: Sender = BOB, now: float = NOW
) -> Receipt:
    def work(tx: Tx) -> Receipt:
        fresh = approvals.find(tx, approval.id)
        assert fresh is not None
        return PARTS.approver.take(tx, fresh, approve, Decider(by), None, now)

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
    parts = Parts(rules=Rules(deny_self=True))
    approval = await waiting(store, parts)
    assert (await store.tx(parts.approver.take, approval, True, Decider(BOB), None, NOW)).alert
    assert not (await store.tx(parts.approver.take, approval, True, Decider(ANN), None, NOW)).alert


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
    parts = Parts(rules=Rules(expire_after=expire, remind_before=before))
    approval = await waiting(store, parts)
    assert await store.tx(parts.asker.remind, NOW + at - 1) == 0
    assert await store.tx(parts.asker.remind, NOW + at) == 1
    assert await store.tx(parts.asker.remind, NOW + at + 1) == 0
    assert len(await store.tx(outbox.about, approval.id)) == 2


async def test_a_card_is_shown_again_at_once_and_then_not_for_a_while(store: Store) -> None:
    approval = await waiting(store)

    async def shown(now: float) -> int:
        await store.tx(PARTS.asker.show_again, "tg:5", "Next.", now)
        return len(await store.tx(outbox.about, approval.id))

    assert await shown(NOW + 1) == 2
    assert await shown(NOW + 2) == 2
    assert await shown(NOW + 1 + SHOWN_AGAIN_AFTER_S) == 3


async def test_every_card_of_an_approval_is_closed_together(store: Store) -> None:
    """B142."""
    approval = await waiting(store)
    await store.tx(PARTS.asker.show_again, "tg:5", "Next.", NOW)
    await take(store, approval)
    for post in await store.tx(outbox.about, approval.id):
        assert post.message is not None
        assert post.message.rows == ()
        assert "Approved by Bob" in post.body


async def test_the_common_button_takes_only_what_was_shown_and_only_from_who_may(store: Store) -> None:
    def work(tx: Tx) -> list[Approval]:
        run = begin(tx)
        asked = [
            PARTS.asker.ask(tx, run, PARTS.call(tx, run, "add_note", {"text": t}, "waiting", n), t, NOW)
            for n, t in enumerate(("milk", "bread", "tea"))
        ]
        PARTS.asker.show(tx, asked, NOW)
        approvals.mark_shown(tx, asked[0].id, NOW)
        approvals.mark_shown(tx, asked[1].id, NOW)
        return asked

    asked = await store.tx(work)
    last = (await store.tx(outbox.about, asked[-1].id))[0].message
    assert last is not None
    token = last.rows[1][0].token
    meaning = await store.tx(buttons.find, token)
    assert isinstance(meaning, Meaning)
    assert (await store.tx(PARTS.approver.press, meaning, Decider(EVE), None, NOW)).alert
    assert (await store.tx(PARTS.approver.press, meaning, Decider(BOB), None, NOW)).notice == "Approved: 2."
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


TEAM = Conversation("tg", "-100")
"""Where approvals are asked."""


async def asked(store: Store, parts: Parts, where: Conversation = CHAT) -> Approval:
    """What waits as these parts have it, and has been shown."""

    def work(tx: Tx) -> Approval:
        run = begin(tx, where)
        approval = parts.ask(tx, run)
        runs.suspend(tx, run)
        approvals.mark_shown(tx, approval.id, NOW)
        return approval

    return await store.tx(work)


async def decided(store: Store, parts: Parts, approval: Approval, who: Decider, *, approve: bool = True) -> Receipt:
    def work(tx: Tx) -> Receipt:
        found = approvals.find(tx, approval.id)
        assert found is not None
        return parts.approver.take(tx, found, approve, who, None, NOW + 1)

    return await store.tx(work)


async def cards_of(store: Store, approval: Approval) -> dict[str, str]:
    """What is shown about it, by conversation."""
    return {post.conversation: post.body for post in await store.tx(outbox.about, approval.id)}


async def test_of_several_who_must_agree_none_is_enough_alone(store: Store) -> None:
    parts = Parts(rules=Rules(("requester", "admins", "tg:9"), needed=2))
    approval = await asked(store, parts)
    assert (await decided(store, parts, approval, Decider(BOB))).notice == "Noted: 1 of 2 have agreed."
    again = await decided(store, parts, approval, Decider(BOB))
    assert again.alert
    assert "You agreed before" in (again.notice or "")
    fresh = await store.tx(approvals.find, approval.id)
    assert fresh is not None
    assert fresh.state == "pending"
    assert "1 of 2 have agreed: Bob." in (await cards_of(store, approval))[CHAT.key]
    assert (await decided(store, parts, approval, Decider(EVE))).notice == "Approved."
    assert "Approved by Bob and Eve" in (await cards_of(store, approval))[CHAT.key]


async def test_of_several_one_is_enough_to_reject(store: Store) -> None:
    parts = Parts(rules=Rules(("requester", "admins"), needed=2))
    approval = await asked(store, parts)
    await decided(store, parts, approval, Decider(BOB))
    assert not (await decided(store, parts, approval, Decider(ANN), approve=False)).alert
    assert "Rejected by Ann" in (await cards_of(store, approval))[CHAT.key]


async def test_of_many_who_agree_at_once_each_counts_once(store: Store) -> None:
    parts = Parts(rules=Rules(("members",), needed=3))
    approval = await asked(store, parts)
    people = [Decider(Sender("tg", f"7{number % 3}", f"P{number % 3}"), CHAT.key) for number in range(9)]
    receipts = await asyncio.gather(*(decided(store, parts, approval, who) for who in people))
    assert [receipt.notice for receipt in receipts].count("Approved.") == 1
    fresh = await store.tx(approvals.find, approval.id)
    assert fresh is not None
    assert fresh.state == "approved"


async def test_what_is_asked_elsewhere_is_told_where_it_came_from(store: Store) -> None:
    """Asked in one chat, decided in another; both cards end up telling the same."""
    parts = Parts(rules=Rules(("members",), place=TEAM.key))
    approval = await asked(store, parts)
    posts = {post.conversation: post for post in await store.tx(outbox.about, approval.id)}
    assert set(posts) == {CHAT.key, TEAM.key}
    here, there = posts[CHAT.key].message, posts[TEAM.key].message
    assert here is not None
    assert there is not None
    assert here.rows == ()
    assert "decided in another conversation" in posts[CHAT.key].body
    assert [button.label for button in there.rows[0]] == ["Approve", "Reject"]
    assert "Asked for by Bob." in posts[TEAM.key].body
    assert (await decided(store, parts, approval, Decider(BOB, CHAT.key))).alert, "not where it is asked"
    assert (await decided(store, parts, approval, Decider(EVE, TEAM.key))).notice == "Approved."
    shown = await cards_of(store, approval)
    assert all("Approved by Eve" in body for body in shown.values())


async def test_one_capability_has_its_own_rules(store: Store) -> None:
    parts = Parts(own_rules={"builtin/add_note": Rules(("tg:9",), expire_after=60.0)})
    approval = await asked(store, parts)
    assert approval.expires_at == NOW + 60
    assert (await decided(store, parts, approval, Decider(BOB))).alert
    assert not (await decided(store, parts, approval, Decider(EVE))).alert


async def test_before_it_ends_the_admins_are_asked(store: Store) -> None:
    parts = Parts(rules=Rules(("tg:9", "admins"), expire_after=100.0, remind_before=10.0, escalate_before=40.0))
    approval = await asked(store, parts)
    assert await store.tx(parts.asker.escalate, NOW + 59) == 0
    assert await store.tx(parts.asker.escalate, NOW + 60) == 1
    assert await store.tx(parts.asker.escalate, NOW + 61) == 0
    shown = await cards_of(store, approval)
    assert "You are asked as an admin" in shown["tg:1"]
    assert not (await decided(store, parts, approval, Decider(ANN))).alert
    assert "Approved by Ann" in (await cards_of(store, approval))["tg:1"]


async def test_a_wary_run_says_why_on_its_card(store: Store) -> None:
    def work(tx: Tx) -> Approval:
        run = begin(tx)
        runs.taint(tx, run.id, "what search found")
        return PARTS.ask(tx, run)

    approval = await store.tx(work)
    assert "Look twice: this conversation has read what search found." in (await cards_of(store, approval))[CHAT.key]
