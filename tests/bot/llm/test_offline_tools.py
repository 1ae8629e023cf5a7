"""The offline command planner: which tool is meant, and what its arguments are."""

import pytest

from bot.llm.port import Offer
from tests.bot.llm.asking import ask
from tests.bot.llm.offers import PERHAPS, TEXT, WHOLE, WORKERS, offer


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("/delete_note note_id=x", "note_id does not fit"),
        ("/delete_note n=3", "n does not fit"),
        ("/delete_note", "need note_id"),
        ("/nope", "no tool “nope”"),
        ("update memory 4", '/update_persona_memory memory_id=4 text="…"'),
    ],
)
def test_a_command_that_does_not_fit_is_named_and_not_called(words: str, part: str) -> None:
    answer = ask(words)
    assert answer.calls == ()
    assert part in answer.text


def test_arguments_of_every_kind_are_read_by_the_schema() -> None:
    chosen = offer(
        "mcp__desk__open_ticket",
        "Open a ticket at the help desk.",
        {
            "subject": TEXT,
            "priority": {"enum": ["low", "high"]},
            "hours": {"type": "number"},
            "tags": {"type": "array", "items": TEXT},
            "urgent": {"type": "boolean", "default": False},
            "owner": {"$ref": "#/$defs/Owner", "default": None},
            "reason": PERHAPS,
        },
    )
    answer = ask(
        '/open_ticket subject="Printer, 2nd floor" priority=HIGH hours=1.5 tags=a,b urgent=yes', offers=(chosen,)
    )
    assert answer.calls[0].name == "mcp__desk__open_ticket"
    assert answer.calls[0].arguments == {
        "subject": "Printer, 2nd floor",
        "priority": "high",
        "hours": 1.5,
        "tags": ["a", "b"],
        "urgent": True,
    }


def test_an_offer_without_schema_details_is_still_usable() -> None:
    answer = ask(
        "/ping", offers=(Offer("ping", "", {"type": "object"}), offer("list_notes", "", {"n": {**WHOLE, "default": 1}}))
    )
    assert [(call.name, call.arguments) for call in answer.calls] == [("ping", {})]


def test_an_unheard_of_tool_is_reached_by_its_own_words() -> None:
    chosen = (offer("mcp__mail__send_email", "Send an email.", {"to": TEXT, "body": TEXT}),)
    answer = ask('send an email to=bob@example.org body="see you"', offers=chosen)
    assert answer.calls[0].arguments == {"to": "bob@example.org", "body": "see you"}


def test_two_tools_that_fit_alike_are_asked_about() -> None:
    twins = (offer("mcp__a__add_task", "", {"text": TEXT}), offer("mcp__b__add_task", "", {"text": TEXT}))
    answer = ask("add a task: sweep", offers=twins)
    assert answer.calls == ()
    assert "mcp__a__add_task" in answer.text
    assert "mcp__b__add_task" in answer.text


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("note: buy milk", "delegate_to_notes"),
        ("/add_note text=milk", "delegate_to_notes"),
        ("search for refunds", "delegate_to_knowledge"),
        ("remember that I like tea", "delegate_to_memory"),
        ("what time is it?", "delegate_to_clock"),
        ("现在几点", "delegate_to_clock"),
    ],
)
def test_a_supervisor_hands_the_request_to_the_worker_that_can(words: str, name: str) -> None:
    answer = ask(words, offers=WORKERS)
    assert [call.name for call in answer.calls] == [name]
    task = answer.calls[0].arguments
    assert task is not None
    worker = ask(task["task"])
    assert len(worker.calls) == 1


def test_a_supervisor_talks_itself_and_says_what_no_worker_can() -> None:
    assert ask("hi", offers=WORKERS).calls == ()
    assert "nothing was done" in ask("delete document 4", offers=WORKERS).text
