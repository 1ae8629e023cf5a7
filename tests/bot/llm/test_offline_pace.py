"""The offline command planner: quick whatever is said, and no flood of calls."""

import time

import pytest

from bot.llm.offline import answer_to
from bot.llm.port import Offer, Request, Said
from tests.bot.llm.asking import ask
from tests.bot.llm.offers import HOUSE, TOOLS, WORKERS


def test_a_turn_is_decided_in_about_a_millisecond() -> None:
    request = Request("", (Said("Please add a note saying buy milk and eggs tomorrow; delete note 3"),), TOOLS)
    times = []
    for _ in range(30):
        start = time.perf_counter()
        answer_to(request)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.005  # five times the goal, for a slow machine beside others


LONG_WORDS = {
    "words": "note: " + "a " * 10_000,
    "spaces": "add x" + " " * 10_000 + "y",
    "new lines": "add x" + "\n" * 10_000 + "y",
    "digits": "delete note " + "1" * 10_000 + "a",
    "braces": "/add_note " + "a={" * 5_000,
    "brackets": "/add_note " + "a=[" * 5_000,
    "dashes": "/add_note " + "a-" * 5_000,
    "equals": "a=" * 5_000,
    "open quotes": "add a note " + "“" * 10_000,
    "escaped quotes": 'add a note "' + '\\"' * 5_000,
    "single quotes": "add a note " + " '" * 5_000,
    "courtesies": "please " * 5_000,
    "then": "list notes" + " then" * 3_000,
    "Chinese": "关于" + "的" * 10_000,
    "quoted lines": "> a\n" * 3_000 + "list notes",
}


@pytest.mark.parametrize("offers", [HOUSE, WORKERS], ids=["tools", "workers"])
@pytest.mark.parametrize("name", LONG_WORDS)
def test_long_and_unkind_words_do_not_hold_the_loop_up(name: str, offers: tuple[Offer, ...]) -> None:
    start = time.perf_counter()
    ask(LONG_WORDS[name], offers=offers)
    assert time.perf_counter() - start < 0.5  # what grew with the square of the length took minutes


def test_a_flood_of_requests_in_one_message_is_not_a_flood_of_calls() -> None:
    answer = ask("add a note x; " * 500)
    assert answer.calls == ()
    assert "nothing was done" in answer.text
