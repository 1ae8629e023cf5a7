"""The offline command planner: words in the light of what was said before them, and of who says them."""

import pytest

from bot.llm.port import Answered
from tests.bot.llm.asking import ask
from tests.bot.llm.offers import WORKERS


def test_an_open_question_is_answered_by_the_next_message() -> None:
    first = ask("add a note")
    assert '/add_note text="…"' in first.text
    second = ask("add a note", Answered(first.text), 'buy "good" milk')
    assert [(call.name, call.arguments) for call in second.calls] == [("add_note", {"text": 'buy "good" milk'})]


def test_an_answer_may_hold_the_number_among_words() -> None:
    first = ask("delete note")
    second = ask("delete note", Answered(first.text), "number 3 please")
    assert [(call.name, call.arguments) for call in second.calls] == [("delete_note", {"note_id": 3})]


@pytest.mark.parametrize("words", ["never mind", "no", "算了"])
def test_an_open_question_can_be_dropped(words: str) -> None:
    first = ask("add a note")
    assert ask("add a note", Answered(first.text), words).calls == ()


def test_an_open_question_gives_way_to_a_new_request() -> None:
    first = ask("add a note")
    second = ask("add a note", Answered(first.text), "what time is it?")
    assert [call.name for call in second.calls] == ["current_time"]


def test_an_open_question_of_a_worker_is_answered_through_the_supervisor() -> None:
    asked = ask("add a note")
    answer = ask("add a note", Answered(asked.text), "buy milk", offers=WORKERS)
    assert [(call.name, call.arguments) for call in answer.calls] == [
        ("delegate_to_notes", {"task": '/add_note text="buy milk"'})
    ]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Ann: note: milk", "add_note"),
        ("Ann Lee: what time is it?", "current_time"),
        ("Ann: delete note 1; list notes", "delete_note"),
        ("> old words\n> more: words\n\ndelete note 3", "delete_note"),
        ("> old words\n\nAnn: delete note 3", "delete_note"),
    ],
)
def test_names_and_quotes_before_the_words_are_no_part_of_them(words: str, name: str) -> None:
    assert ask(words).calls[0].name == name


def test_in_a_group_the_answer_to_an_open_question_is_without_the_name() -> None:
    first = ask("Ann: add a note")
    second = ask("Ann: add a note", Answered(first.text), "Ann: buy milk")
    assert [call.arguments for call in second.calls] == [{"text": "buy milk"}]


def test_in_private_a_colon_is_part_of_the_answer_to_an_open_question() -> None:
    first = ask("add a note")
    second = ask("add a note", Answered(first.text), "shopping: milk")
    assert [call.arguments for call in second.calls] == [{"text": "shopping: milk"}]


def test_small_talk_in_a_group_is_small_talk() -> None:
    assert ask("Ann: hello").text == ask("hello").text
