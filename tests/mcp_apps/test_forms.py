"""Another program asks a form with a task token: in the chat of the one whom the token stands for."""

import asyncio
import time

import pytest

from bot.domain.access import Decider
from bot.domain.question import Question
from bot.store import questions
from bot.store.buttons import Meaning
from bot.store.database import Tx
from channels.adapter import Receipt
from tests.bot.parts import BOB, CHAT, EVE
from tests.mcp_apps.stall import ERAS, Stall, said

FORM = {"message": "For the order.", "fields": [{"name": "sure", "label": "Sure?", "kind": "yes_no"}]}


async def asked(stall: Stall) -> Question:
    await stall.until(lambda tx: questions.pending(tx, 1))
    [question] = await stall.store.tx(questions.pending, 2)
    return question


async def press(stall: Stall, question: Question, what: str, who: Decider) -> Receipt:
    def work(tx: Tx) -> Receipt:
        meaning = Meaning("answer", f"{question.id}/{what}")
        return stall.parts.hearer.press(tx, meaning, who, None, time.time())

    return await stall.store.tx(work)


@pytest.mark.parametrize("mode", ERAS)
async def test_a_form_of_a_program_is_answered_in_the_chat(stall: Stall, mode: str) -> None:
    call = asyncio.create_task(stall.call("interactive-form", await stall.token(), "ask_form", FORM, mode))
    question = await asked(stall)
    assert (question.conversation, question.requested_by) == (CHAT.key, BOB.id)
    assert (await press(stall, question, "0/0", Decider(EVE, CHAT.key))).alert
    assert not call.done()
    await press(stall, question, "0/0", Decider(BOB, CHAT.key))
    result = await call
    assert not result.is_error
    assert said(result) == 'Bob answered: {"sure": true}'


async def test_a_program_that_goes_takes_its_form_with_it(stall: Stall) -> None:
    call = asyncio.create_task(stall.call("interactive-form", await stall.token(), "ask_form", FORM))
    question = await asked(stall)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    await stall.until(lambda tx: not questions.pending(tx, 1))
    found = await stall.store.tx(questions.find, question.id)
    assert found is not None
    assert (found.state, found.reason) == ("cancelled", "the program that asked has gone")
