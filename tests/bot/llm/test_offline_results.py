"""The offline command planner: what it says of results."""

import pytest

from bot.llm.offline import OfflinePlanner
from bot.llm.port import Answered, Request, Result, Said
from tests.bot.llm.asking import ask
from tests.bot.llm.offers import TOOLS


def test_a_result_is_reported_as_it_is() -> None:
    first = ask("list notes")
    call = first.calls[0]
    answer = ask("list notes", Answered("", first.calls), Result(call.id, call.name, "1. buy milk"))
    assert answer.text == "1. buy milk"
    assert answer.calls == ()


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ('{"error": {"code": "not_connected", "message": "The server “desk” is down."}}', "The server “desk” is down."),
        ('{"code": "rejected", "message": "Too early."}', "it was rejected. Too early."),
        ("timeout: no answer in 30 s", "it took too long. no answer in 30 s"),
        ("not_authorized", "it is not allowed here"),
        (
            "Rejected by Ann (no). It was not executed. Do not ask for the same call again.",
            "Ann (no). It was not executed.",
        ),
        ("The disk is full.", "The disk is full."),
        ("", "no reason was given"),
    ],
)
def test_a_failure_is_named_and_never_reported_as_done(content: str, part: str) -> None:
    answer = ask("x", Result("c1", "add_note", content, failed=True))
    assert answer.text.startswith("add_note was not done")
    assert part in answer.text
    assert "Do not" not in answer.text


@pytest.mark.parametrize("content", ["unknown_outcome: restarted", "Unknown outcome: restarted. It may have happened."])
def test_an_unknown_outcome_is_neither_done_nor_not_done(content: str) -> None:
    answer = ask("x", Result("c1", "add_note", content, failed=True))
    assert "outcome is unknown" in answer.text
    assert "was not done" not in answer.text


def test_several_results_are_told_apart_in_one_message() -> None:
    answer = ask("x", Result("c1", "list_notes", "1. milk"), Result("c2", "add_note", "rejected", failed=True))
    assert answer.text == "list_notes: 1. milk\n\nadd_note was not done: it was rejected"


def test_a_workers_report_is_named_after_the_worker() -> None:
    answer = ask(
        "x", Result("c1", "delegate_to_notes", "1. milk"), Result("c2", "delegate_to_clock", "down", failed=True)
    )
    assert answer.text == "notes: 1. milk\n\nclock was not done: down"


async def test_the_text_is_streamed_piece_by_piece() -> None:
    pieces: list[str] = []

    async def keep(piece: str) -> None:
        pieces.append(piece)

    answer = await OfflinePlanner().turn(Request("", (Said("who are you?"),), TOOLS), keep)
    assert len(pieces) > 3
    assert "".join(pieces) == answer.text


def test_the_marks_around_the_words_of_a_server_are_for_models_alone() -> None:
    marked = '<tool_result server="shelf" tool="look">\na cup\n</tool_result>'
    assert ask("x", Result("c1", "mcp__shelf__look", marked)).text == "a cup"
    failed = ask("x", Result("c1", "mcp__shelf__look", marked, failed=True)).text
    assert failed == "mcp__shelf__look was not done: a cup"
