"""A question is answered by whom it was put to, a blank at a time or at once, and its run goes on with the answer."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import pytest

from bot.domain.question import Question
from bot.domain.run import Call
from bot.store import approvals, audit, buttons, calls, entries, outbox, questions, runs
from bot.store.database import Signal, Store, Tx
from bot.store.outbox import Post
from channels.adapter import Receipt
from channels.events import Conversation, FormAnswer, Message, Sender
from channels.outgoing import Outgoing
from tests.bot.parts import ANN, BOB, CHAT, EVE, NOW, Parts, begin, by, limits_with_forms

PARTS = Parts()
WITH_FORMS = Parts(limits=limits_with_forms)

NAME = {"name": "who", "label": "Your name"}
COUNT = {"name": "count", "label": "How many", "kind": "integer", "required": False, "hint": "a dozen is common"}
SIZE = {
    "name": "size",
    "label": "Size",
    "kind": "choice",
    "options": [{"value": "s", "label": "Small"}, {"value": "Large"}],
}
EXTRAS = {"name": "extras", "label": "Extras", "kind": "choices", "options": [{"value": "Milk"}, {"value": "Sugar"}]}
SURE = {"name": "sure", "label": "Sure?", "kind": "yes_no"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that waits, with its card in the chat."""

    store: Store
    id: str
    parts: Parts

    @property
    async def now(self) -> Question:
        found = await self.store.tx(questions.find, self.id)
        assert found is not None
        return found

    @property
    async def call(self) -> Call:
        found = await self.store.tx(calls.find, (await self.now).call_id)
        assert found is not None
        return found

    async def cards(self) -> list[Outgoing]:
        posts: list[Post] = await self.store.tx(outbox.about, self.id)
        return [post.message for post in posts if post.message is not None]

    async def labels(self) -> list[str]:
        """Of the buttons of the latest card."""
        return [button.label for row in (await self.cards())[-1].rows for button in row]

    async def press(
        self, label: str, who: Sender = BOB, now: float = NOW, place: Conversation | None = CHAT
    ) -> Receipt:
        """As the latest card shows it."""
        [token] = [button.token for row in (await self.cards())[-1].rows for button in row if button.label == label]
        return await self.press_token(token, who, now, place)

    async def token(self, label: str) -> str:
        [token] = [button.token for row in (await self.cards())[-1].rows for button in row if button.label == label]
        return token

    async def press_token(
        self, token: str, who: Sender = BOB, now: float = NOW, place: Conversation | None = CHAT
    ) -> Receipt:
        def work(tx: Tx) -> Receipt:
            meaning = buttons.find(tx, token)
            assert meaning is not None
            return self.parts.hearer.press(tx, meaning, by(who, place), None, now)

        return await self.store.tx(work)

    async def fill_in(self, sender: Sender = BOB, **values: str) -> Receipt:
        token = await self.token("Answer")

        def work(tx: Tx) -> Receipt:
            meaning = buttons.find(tx, token)
            assert meaning is not None
            event = FormAnswer("v:1", NOW, CHAT, sender, True, token, values)
            return self.parts.hearer.filled(tx, event, meaning, by(sender, CHAT), NOW)

        return await self.store.tx(work)

    async def write(self, text: str, who: Sender = BOB, **more: Any) -> bool:
        """The card that follows is on its way then."""
        message = Message("u1", NOW, CHAT, who, True, text, True, "m1", **more)

        def work(tx: Tx) -> bool:
            heard = self.parts.hearer.heard(tx, message, text, by(who, CHAT), NOW)
            while heard and outbox.take(tx, CHAT.key, NOW) is not None:
                pass
            return heard

        return await self.store.tx(work)


async def ask(store: Store, *fields: dict[str, Any], parts: Parts = PARTS, shown: bool = True) -> Asked:
    def settle(tx: Tx) -> tuple[Any, Call]:
        run = begin(tx)
        return run, parts.call(tx, run, "ask_form", {"message": "For the order.", "fields": list(fields)})

    run, call = await store.tx(settle)
    await parts.caller(store).make(run, call)

    def suspend(tx: Tx) -> str:
        [question] = questions.pending_of_run(tx, run.id)
        runs.suspend(tx, run)
        if shown:
            questions.mark_shown(tx, question.id, NOW)
            assert outbox.take(tx, CHAT.key, NOW) is not None
        return question.id

    return Asked(store, await store.tx(suspend), parts)


def text_of(card: Outgoing) -> str:
    return str(card.blocks)


async def test_a_call_that_asks_waits_for_its_answer(store: Store) -> None:
    asked = await ask(store, NAME)
    question = await asked.now
    run = await store.tx(runs.find, question.run_id)
    assert run is not None
    assert ((await asked.call).state, run.state) == ("waiting", "waiting_input")
    [card] = await asked.cards()
    assert "For the order." in text_of(card)
    assert "Only Bob can answer this" in text_of(card)
    assert await asked.labels() == ["Decline"]


async def test_a_run_that_also_waits_for_a_decision_is_said_to(store: Store) -> None:
    def work(tx: Tx) -> str:
        run = begin(tx)
        PARTS.ask(tx, run)
        call = PARTS.call(tx, run, "ask_form", {"message": "x", "fields": [NAME]}, "waiting", 1)
        tool = PARTS.toolbox.find("ask_form")
        assert tool is not None
        assert tool.question is not None
        PARTS.questioner.ask(tx, run, call, tool.question(tool.given(json.loads(call.arguments))), NOW)
        runs.suspend(tx, run)
        [approval] = approvals.pending_of_run(tx, run.id)
        found = runs.find(tx, run.id)
        assert found is not None
        assert found.state == "waiting_approval"
        runs.resume(tx, run.id)
        approvals.decide(tx, approval.id, "approved", NOW, BOB.id, BOB.name, None)
        runs.suspend(tx, run)
        found = runs.find(tx, run.id)
        assert found is not None
        return found.state

    assert await store.tx(work) == "waiting_input"


async def test_each_blank_is_asked_for_in_turn_and_the_answers_are_the_result(store: Store) -> None:
    asked = await ask(store, NAME, COUNT, SIZE, EXTRAS, SURE)
    told: list[Signal] = []
    store.listen(told.append)
    assert await asked.write("  Bob B. ")
    assert "2 of 5: How many" in text_of((await asked.cards())[-1])
    assert await asked.labels() == ["Skip", "Decline"]
    assert (await asked.press("Skip")).notice == "Noted."
    assert await asked.labels() == ["Small", "Large", "Decline"]
    await asked.press("Small")
    assert await asked.labels() == ["☐ Milk", "☐ Sugar", "Done", "Decline"]
    assert (await asked.press("Done")).notice == "Choose at least 1."
    assert (await asked.press("☐ Sugar")).notice == "Chosen: Sugar."
    assert await asked.labels() == ["☐ Milk", "☑ Sugar", "Done", "Decline"]
    await asked.press("Done")
    assert (await asked.press("Yes")).notice == "Thank you, it is passed on."
    call = await asked.call
    answer = '{"who": "Bob B.", "size": "s", "extras": ["Sugar"], "sure": true}'
    assert (call.state, call.failure, call.result) == ("done", None, f"Bob answered: {answer}")
    question = await asked.now
    run = await store.tx(runs.find, question.run_id)
    assert run is not None
    assert run.state == "running"
    topics = {(each.topic, each.subject) for each in told}
    assert {("decided", run.id), ("wake", CHAT.key), ("answered", asked.id)} <= topics
    lines = await store.tx(entries.of_runs, [run.id])
    assert [line.kind for line in lines][-3:] == ["input_requested", "input_given", "tool_finished"]
    assert "Bob B." not in str([line.body for line in lines])
    assert [link.action for link in await store.tx(audit.latest, 1)] == ["input_given"]


async def test_the_card_says_what_was_answered_and_earlier_ones_point_below(store: Store) -> None:
    asked = await ask(store, NAME, SIZE)
    await asked.write("sk-aaaaaaaaaaaaaaaaaaaaaaaa")
    await asked.press("Large")
    first, last = await asked.cards()
    assert "This goes on below." in text_of(first)
    assert "✓ Answered by Bob" in text_of(last)
    assert "Large" in text_of(last)
    assert "sk-a" not in text_of(last)
    assert "********" in text_of(last)
    assert not first.rows
    assert not last.rows


async def test_what_does_not_fit_is_asked_for_again_in_words(store: Store) -> None:
    asked = await ask(store, COUNT)
    assert await asked.write("a dozen")
    assert "That was not taken. This is not a whole number." in text_of((await asked.cards())[-1])
    assert (await asked.now).answers == "{}"
    assert await asked.write("12")
    assert (await asked.call).result == 'Bob answered: {"count": 12}'


async def test_nobody_else_answers_a_question(store: Store) -> None:
    """Not even an admin: it is not a decision."""
    asked = await ask(store, SIZE)
    for who in (ANN, EVE):
        receipt = await asked.press("Small", who)
        assert receipt.alert
        assert receipt.notice == "Only Bob may answer this. Nothing changed."
        assert not await asked.write("Small", who)
    assert (await asked.press("Small", place=None)).alert, "who may not talk there any more cannot answer"
    assert (await asked.now).state == "pending"
    assert (await store.tx(audit.latest, 1))[0].action == "answer_refused"


async def test_a_forwarded_message_answers_nothing(store: Store) -> None:
    asked = await ask(store, NAME)
    assert not await asked.write("Eve", quoted="Forwarded from Eve", forwarded=True)


async def test_words_before_the_card_was_shown_answer_nothing(store: Store) -> None:
    """But those that come before it is known to have arrived do."""
    asked = await ask(store, NAME, shown=False)
    assert not await asked.write("Bob")
    assert await store.tx(outbox.take, CHAT.key, NOW) is not None
    assert (await asked.now).shown_at is None
    assert await asked.write("Bob")


async def test_declining_is_told_to_the_model_and_the_same_is_not_asked_again(store: Store) -> None:
    asked = await ask(store, SURE)
    assert (await asked.press("Decline")).notice == "Declined. Nothing is passed on."
    call = await asked.call
    assert (call.state, call.failure) == ("done", "rejected")
    assert "declined to answer" in (call.result or "")
    run = await store.tx(runs.find, call.run_id)
    assert run is not None
    again = await store.tx(PARTS.call, run, "ask_form", {"message": "For the order.", "fields": [SURE]}, "ready", 1)
    await PARTS.caller(store).make(run, again)
    found = await store.tx(calls.find, again.id)
    assert found is not None
    assert (found.state, found.failure) == ("done", "rejected")
    assert not await store.tx(questions.pending_of_run, run.id)


async def test_what_nobody_answers_ends(store: Store) -> None:
    asked = await ask(store, SURE)
    token = await asked.token("Yes")
    assert await store.tx(PARTS.questioner.expire, NOW + 3599) == 0
    assert await store.tx(PARTS.questioner.expire, NOW + 3600) == 1
    assert (await asked.call).failure == "expired"
    receipt = await asked.press_token(token, now=NOW + 3601)
    assert "Too late: Expired" in (receipt.notice or "")
    assert "nobody answered" in text_of((await asked.cards())[-1])


async def test_a_press_after_the_end_of_its_time_is_too_late_before_the_sweep(store: Store) -> None:
    asked = await ask(store, SURE)
    assert (await asked.press("Yes", now=NOW + 3600)).notice == "Too late: this has expired. Nothing was passed on."
    assert (await asked.now).state == "expired"


async def test_it_is_shown_once_more_before_it_ends(store: Store) -> None:
    asked = await ask(store, SURE)
    assert await store.tx(PARTS.questioner.remind, NOW + 2999) == 0
    assert await store.tx(PARTS.questioner.remind, NOW + 3000) == 1
    assert await store.tx(PARTS.questioner.remind, NOW + 3001) == 0
    assert "Still open" in text_of((await asked.cards())[-1])


async def test_it_ends_with_its_run(store: Store) -> None:
    asked = await ask(store, SURE)
    run_id = (await asked.now).run_id
    assert await store.tx(PARTS.closer.cancel, run_id, BOB.id, "stopped", NOW)
    assert (await asked.now).state == "cancelled"
    assert not (await asked.cards())[-1].rows
    assert "Cancelled" in text_of((await asked.cards())[-1])


async def test_a_revoke_closes_what_is_asked(store: Store) -> None:
    asked = await ask(store, SURE)
    await store.tx(PARTS.granter.revoke, "*", "builtin/add_note", ANN.id, NOW)
    assert (await asked.now).state == "pending"
    await store.tx(PARTS.granter.revoke, "*", "builtin/ask_form", ANN.id, NOW)
    question = await asked.now
    assert (question.state, question.reason) == ("cancelled", "revoked by tg:1")
    assert (await asked.call).failure == "cancelled"


@pytest.mark.parametrize(("shown", "state"), [(False, "cancelled"), (True, "pending")])
async def test_it_ends_where_it_cannot_be_shown(store: Store, shown: bool, state: str) -> None:
    asked = await ask(store, SURE, shown=shown)
    await store.tx(PARTS.questioner.undelivered, asked.id, NOW)
    assert (await asked.now).state == state


async def test_the_first_end_counts(store: Store) -> None:
    asked = await ask(store, SURE)
    assert await store.tx(questions.end, asked.id, "declined", NOW, None)
    assert not await store.tx(questions.end, asked.id, "answered", NOW, None)
    assert not await store.tx(questions.go_on, await asked.now, "{}", "[]")
    assert (await asked.now).state == "declined"


async def test_of_many_answers_at_once_one_is_heard(store: Store) -> None:
    asked = await ask(store, SURE)
    yes, no = await asked.token("Yes"), await asked.token("No")
    receipts = await asyncio.gather(*(asked.press_token(yes if n % 2 else no) for n in range(8)))
    assert sum(not receipt.alert for receipt in receipts) == 1
    assert all("Too late" in (receipt.notice or "") for receipt in receipts if receipt.alert)


async def test_a_button_of_an_earlier_blank_changes_nothing(store: Store) -> None:
    asked = await ask(store, SIZE, SURE)
    small = await asked.token("Small")
    await asked.press("Large")
    assert (await asked.press_token(small)).notice == "This was answered before. Nothing changed."
    assert (await asked.now).given == {"size": "Large"}


async def test_where_there_are_forms_all_is_asked_at_once(store: Store) -> None:
    asked = await ask(store, NAME, COUNT, EXTRAS, parts=WITH_FORMS)
    assert await asked.labels() == ["Answer", "Decline"]
    assert "How many" in text_of((await asked.cards())[0])
    assert not await asked.write("Bob"), "what is written there is queued"
    assert (await asked.press("Answer", EVE)).form is None
    form = (await asked.press("Answer")).form
    assert form is not None
    assert [(field.name, field.optional, field.several) for field in form.fields] == [
        ("who", False, False),
        ("count", True, False),
        ("extras", False, True),
    ]
    refused = await asked.fill_in(who="Bob", count="many", extras="")
    assert set(refused.mistakes) == {"count", "extras"}
    assert (await asked.fill_in(EVE, who="Eve", count="", extras="Milk")).alert
    done = await asked.fill_in(who="Bob", count="", extras="Milk\nSugar")
    assert done.notice == "Thank you, it is passed on."
    assert (await asked.call).result == 'Bob answered: {"who": "Bob", "extras": ["Milk", "Sugar"]}'


async def test_a_single_choice_needs_no_form_anywhere(store: Store) -> None:
    asked = await ask(store, SIZE, parts=WITH_FORMS)
    assert await asked.labels() == ["Small", "Large", "Decline"]
    await asked.press("Small")
    assert (await asked.now).content == {"size": "s"}


async def test_it_is_shown_again_below_what_others_write(store: Store) -> None:
    asked = await ask(store, SURE)
    await store.tx(PARTS.questioner.show_again, CHAT.key, "This is still open:", NOW)
    first, second = await asked.cards()
    assert not first.rows
    assert "This is still open:" in text_of(second)
    await asked.press("Yes")
    assert (await asked.now).content == {"sure": True}


WRONG: dict[str, dict[str, Any]] = {
    "no field": {"message": "x", "fields": []},
    "too many fields": {"message": "x", "fields": [{"name": f"n{n}", "label": "N"} for n in range(11)]},
    "the same name twice": {"message": "x", "fields": [NAME, NAME]},
    "a choice without options": {"message": "x", "fields": [{"name": "a", "label": "A", "kind": "choice"}]},
    "options without a choice": {"message": "x", "fields": [{"name": "a", "label": "A", "options": [{"value": "b"}]}]},
    "options that look the same": {"message": "x", "fields": [{**SIZE, "options": [{"value": "b"}, {"value": "B"}]}]},
    "a secret": {"message": "x", "fields": [{"name": "pw", "label": "Your password"}]},
    "a secret by its name": {"message": "x", "fields": [{"name": "api_key", "label": "That"}]},
    "what it does not know": {"message": "x", "fields": [{**NAME, "regex": ".*"}]},
}


@pytest.mark.parametrize("arguments", WRONG.values(), ids=WRONG.keys())
async def test_what_cannot_be_asked_is_refused_before_anybody_sees_it(arguments: dict[str, Any]) -> None:
    tool = PARTS.toolbox.find("ask_form")
    assert tool is not None
    with pytest.raises(Exception, match="arguments do not fit"):
        tool.given(arguments)
