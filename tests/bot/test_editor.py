"""Forms: a refusal with its reason, and a changed call, which is another call that waits anew."""

import json

import pytest

from bot.domain.access import Decider
from bot.domain.approval import Approval
from bot.store import approvals, buttons, calls, notes, outbox
from bot.store.buttons import Action
from bot.store.database import Store, Tx
from channels.adapter import Receipt
from channels.events import FormAnswer, Sender
from tests.bot.parts import ANN, BOB, CHAT, EVE, NOW, Parts, begin, limits_with_forms

PARTS = Parts(limits=limits_with_forms)


async def waiting(store: Store, text: str = "milk") -> Approval:
    return await store.tx(lambda tx: PARTS.ask(tx, begin(tx), text))


async def tokens(store: Store, approval: Approval) -> dict[str, str]:
    return await store.tx(buttons.tokens_of, approval.id)


async def fresh(store: Store, approval: Approval) -> Approval:
    found = await store.tx(approvals.find, approval.id)
    assert found is not None
    return found


async def press(store: Store, token: str, by: Sender = ANN, now: float = NOW) -> Receipt:
    def work(tx: Tx) -> Receipt:
        meaning = buttons.find(tx, token)
        assert meaning is not None
        return PARTS.editor(store).open(tx, meaning, Decider(by), now)

    return await store.tx(work)


async def fill_in(store: Store, token: str, by: Sender = ANN, now: float = NOW, **values: str) -> Receipt:
    event = FormAnswer("v:1", now, CHAT, by, True, token, values)
    return await store.tx(PARTS.editor(store).answer, event, Decider(by), now)


async def edited(store: Store, approval: Approval, text: str, by: Sender = ANN) -> Approval:
    receipt = await fill_in(store, (await tokens(store, approval))["edit"], by, text=text)
    assert not receipt.alert, receipt
    return await fresh(store, approval)


async def test_where_there_are_forms_a_card_offers_a_reason_and_an_edit(store: Store) -> None:
    approval = await waiting(store)
    [card] = await store.tx(outbox.about, approval.id)
    assert card.message is not None
    labels = [button.label for row in card.message.rows for button in row]
    assert labels == ["Approve", "Reject", "Reject with reason", "Edit"]


async def test_where_there_are_none_it_does_not(store: Store) -> None:
    approval = await store.tx(lambda tx: Parts().ask(tx, begin(tx)))
    assert set(await tokens(store, approval)) == {"approve", "reject"}


async def test_a_reason_is_asked_for_and_told(store: Store) -> None:
    approval = await waiting(store)
    token = (await tokens(store, approval))["reject_with"]
    form = (await press(store, token)).form
    assert form is not None
    assert [field.name for field in form.fields] == ["reason"]
    receipt = await fill_in(store, token, reason=" too \n early ")
    assert receipt.notice == "Rejected. It will not be done."
    decided = await fresh(store, approval)
    assert (decided.state, decided.reason) == ("rejected", "too early")
    call = await store.tx(calls.find, approval.call_id)
    assert call is not None
    assert "(too early)" in (call.result or "")


async def test_the_form_shows_what_the_call_has(store: Store) -> None:
    approval = await waiting(store, "two\nlines")
    form = (await press(store, (await tokens(store, approval))["edit"])).form
    assert form is not None
    [field] = form.fields
    assert (field.name, field.value, field.long, field.optional) == ("text", "two\nlines", True, False)


async def test_what_is_too_long_for_a_field_is_not_edited(store: Store) -> None:
    approval = await waiting(store, "x" * 301)
    receipt = await press(store, (await tokens(store, approval))["edit"])
    assert receipt.form is None
    assert receipt.alert


async def test_an_edited_call_is_another_one_that_waits(store: Store) -> None:
    before = await waiting(store)
    after = await edited(store, before, "bread")
    assert (after.state, json.loads(after.arguments), after.editor_name) == ("pending", {"text": "bread"}, "Ann")
    assert after.digest != before.digest
    assert after.code != before.code
    assert "bread" in after.effect_text
    call = await store.tx(calls.find, before.call_id)
    assert call is not None
    assert (call.state, call.arguments, call.digest) == ("waiting", after.arguments, after.digest)
    [card] = await store.tx(outbox.about, before.id)
    assert "bread" in card.body
    assert "milk" not in card.body
    assert "Edited by Ann" in card.body


async def test_what_an_earlier_card_shows_cannot_be_approved_any_more(store: Store) -> None:
    """What was shown is what runs, or nothing runs."""
    before = await waiting(store)
    old = await tokens(store, before)
    after = await edited(store, before, "bread")
    for token in old.values():
        assert await store.tx(buttons.find, token) is None
    assert await store.tx(approvals.by_code, before.code) is None
    assert set(await tokens(store, after)) == set(old)
    assert (await fill_in(store, old["edit"], text="wine")).alert
    assert (await fresh(store, after)).digest == after.digest


async def test_approve_all_leaves_out_what_was_edited_since(store: Store) -> None:
    def two(tx: Tx) -> list[Approval]:
        run = begin(tx)
        asked = [
            PARTS.asker.ask(tx, run, PARTS.call(tx, run, "add_note", {"text": text}, "waiting", place), text, NOW)
            for place, text in enumerate(("milk", "tea"))
        ]
        PARTS.asker.show(tx, asked, NOW)
        for approval in asked:
            approvals.mark_shown(tx, approval.id, NOW)
        return asked

    first, second = await store.tx(two)
    last = (await store.tx(outbox.about, second.id))[-1]
    assert last.message is not None
    token = last.message.rows[-1][0].token
    await edited(store, first, "wine")
    meaning = await store.tx(buttons.find, token)
    assert meaning is not None
    receipt = await store.tx(PARTS.approver.press, meaning, Decider(ANN), None, NOW)
    assert receipt.notice == "Approved: 1."
    assert (await fresh(store, first)).state == "pending"
    assert (await fresh(store, second)).state == "approved"


async def test_the_edited_call_is_made_and_the_model_is_told(store: Store) -> None:
    run = await store.tx(begin)
    approval = await store.tx(lambda tx: PARTS.ask(tx, run))
    after = await edited(store, approval, "bread")
    assert not (await store.tx(PARTS.approver.take, after, True, Decider(BOB), None, NOW)).alert
    call = await store.tx(calls.find, approval.call_id)
    assert call is not None
    await PARTS.caller(store).make(run, call)
    assert [note.text for note in await store.tx(notes.listed, run.scope, 5)] == ["bread"]
    done = await store.tx(calls.find, approval.call_id)
    assert done is not None
    assert 'Ann changed the arguments to {"text":"bread"}' in (done.result or "")


@pytest.mark.parametrize("action", ["reject_with", "edit"])
async def test_who_may_not_decide_gets_no_form_and_cannot_send_one(store: Store, action: Action) -> None:
    approval = await waiting(store)
    token = (await tokens(store, approval))[action]
    opened = await press(store, token, EVE)
    sent = await fill_in(store, token, EVE, text="wine", reason="mine")
    for receipt in (opened, sent):
        assert receipt.alert
        assert receipt.form is None
        assert "You may not decide this" in (receipt.notice or "")
    assert await fresh(store, approval) == approval


@pytest.mark.parametrize("action", ["reject_with", "edit"])
async def test_a_form_of_what_has_ended_changes_nothing(store: Store, action: Action) -> None:
    approval = await waiting(store)
    token = (await tokens(store, approval))[action]
    await store.tx(PARTS.approver.take, approval, True, Decider(ANN), None, NOW)
    assert (await press(store, token)).alert
    assert (await fill_in(store, token, text="wine", reason="no")).alert
    assert (await fresh(store, approval)).state == "approved"
    call = await store.tx(calls.find, approval.call_id)
    assert call is not None
    assert json.loads(call.arguments) == {"text": "milk"}


async def test_a_form_after_the_time_is_up_expires_it(store: Store) -> None:
    approval = await waiting(store)
    token = (await tokens(store, approval))["edit"]
    assert (await fill_in(store, token, now=approval.expires_at, text="wine")).alert
    assert (await fresh(store, approval)).state == "expired"


@pytest.mark.parametrize("token", ["", "made-up"])
async def test_a_forged_form_is_not_known(store: Store, token: str) -> None:
    await waiting(store)
    assert (await fill_in(store, token, text="wine")).alert


async def test_another_buttons_token_opens_no_form(store: Store) -> None:
    """A form is answered under the button that opened it and no other."""
    approval = await waiting(store)
    assert (await fill_in(store, (await tokens(store, approval))["approve"], text="wine")).alert
    assert await fresh(store, approval) == approval


async def test_values_that_do_not_fit_keep_the_form_open_and_change_nothing(store: Store) -> None:
    approval = await waiting(store)
    receipt = await fill_in(store, (await tokens(store, approval))["edit"], text="")
    assert set(receipt.mistakes) == {"text"}
    assert await fresh(store, approval) == approval


async def test_numbers_are_read_as_numbers_and_words_are_not(store: Store) -> None:
    def ask(tx: Tx) -> tuple[Approval, int]:
        run = begin(tx)
        milk, tea = (notes.add(tx, run.scope, text, run.user, NOW) for text in ("milk", "tea"))
        call = PARTS.call(tx, run, "delete_note", {"note_id": milk}, "waiting")
        return PARTS.asker.ask(tx, run, call, f"Delete the note {milk}: “milk”", NOW), tea

    approval, tea = await store.tx(ask)
    token = (await tokens(store, approval))["edit"]
    assert set((await fill_in(store, token, note_id="two")).mistakes) == {"note_id"}
    assert set((await fill_in(store, token, note_id=f'"{tea}"')).mistakes) == {"note_id"}
    assert set((await fill_in(store, token, note_id=f"{tea + 99}")).mistakes) == {"note_id"}
    assert not (await fill_in(store, token, note_id=str(tea))).mistakes
    after = await fresh(store, approval)
    assert json.loads(after.arguments) == {"note_id": tea}
    assert "tea" in after.effect_text


async def test_an_edit_that_changes_nothing_leaves_the_card_alone(store: Store) -> None:
    approval = await waiting(store)
    receipt = await fill_in(store, (await tokens(store, approval))["edit"], text="milk")
    assert "Nothing was changed" in (receipt.notice or "")
    assert await fresh(store, approval) == approval


async def test_of_an_edit_and_a_decision_one_comes_first(store: Store) -> None:
    """Someone approves what another is editing: the approval is about what its presser saw."""
    approval = await waiting(store)
    after = await edited(store, approval, "bread", BOB)
    late = await store.tx(PARTS.approver.rewrite, approval, after, Decider(EVE), NOW)
    assert late is False
    assert (await fresh(store, approval)).editor_name == "Bob"


async def test_a_destructive_call_is_confirmed_once_more(store: Store) -> None:
    def ask(tx: Tx) -> Approval:
        run = begin(tx)
        milk = notes.add(tx, run.scope, "milk", run.user, NOW)
        call = PARTS.call(tx, run, "delete_note", {"note_id": milk}, "waiting")
        approval = PARTS.asker.ask(tx, run, call, "Delete the note", NOW)
        PARTS.asker.show(tx, [approval], NOW)
        return approval

    approval = await store.tx(ask)
    [card] = await store.tx(outbox.about, approval.id)
    assert card.message is not None
    confirms = {button.label: button.confirm for button in card.message.rows[0]}
    assert confirms["Approve"]
    assert not confirms["Reject"]
