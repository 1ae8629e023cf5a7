"""The offline command planner: acts on requests, asks back when unsure, never invents an answer."""

import time
from typing import Any

import pytest

from bot.llm.offline import OfflinePlanner, answer_to
from bot.llm.port import Answer, Answered, Offer, Request, Result, Said, Turn
from tests.bot.llm.offers import HOUSE, PERHAPS, TEXT, TOOLS, WHOLE, WORKERS, offer, tool

REQUESTS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("remember that I like tea", "save_persona_memory", {"text": "I like tea"}),
    ("note: buy milk", "add_note", {"text": "buy milk"}),
    ("add a note 'buy milk'", "add_note", {"text": "buy milk"}),
    ("Please add buy milk to my notes.", "add_note", {"text": "buy milk"}),
    ("Hi! Can you add a note saying call Bob at 5?", "add_note", {"text": "call Bob at 5"}),
    ("make a note to call Bob", "add_note", {"text": "call Bob"}),
    ("write a note that the key is under the mat", "add_note", {"text": "the key is under the mat"}),
    ("save this as a note: call mum", "add_note", {"text": "call mum"}),
    ("delete note 3", "delete_note", {"note_id": 3}),
    ("I want you to delete note #12 please", "delete_note", {"note_id": 12}),
    ("what time is it", "current_time", {}),
    ("What's the time in Europe/Berlin?", "current_time", {"timezone": "Europe/Berlin"}),
    ("search for refund policy", "search_persona_knowledge", {"query": "refund policy"}),
    ("search the knowledge base for shipping", "search_persona_knowledge", {"query": "shipping"}),
    ("what do you know about refunds?", "search_persona_knowledge", {"query": "refunds"}),
    ("what is our refund window?", "search_persona_knowledge", {"query": "refund window"}),
    (
        "how long is the deadline for refunds in Europe?",
        "search_persona_knowledge",
        {"query": "deadline refunds Europe"},
    ),
    ("What can you tell me about shipping?", "search_persona_knowledge", {"query": "shipping"}),
    ("Which documents do you know?", "list_persona_documents", {}),
    ("what notes do I have?", "list_notes", {}),
    ("show my notes", "list_notes", {}),
    ("list documents", "list_persona_documents", {}),
    ('add document "Refunds": 14 days', "add_persona_knowledge", {"title": "Refunds", "text": "14 days"}),
    ("add knowledge Refunds: 14 days", "add_persona_knowledge", {"title": "Refunds", "text": "14 days"}),
    ("remove document 5", "delete_persona_document", {"document_id": 5}),
    ("update memory 4 to I like coffee", "update_persona_memory", {"memory_id": 4, "text": "I like coffee"}),
    ("forget memory 2", "delete_persona_memory", {"memory_id": 2}),
    ("what do you remember about me?", "read_persona_memories", {}),
    ('/add_note text="milk; and then eggs"', "add_note", {"text": "milk; and then eggs"}),
    ('add_note text="say \\"hi\\""', "add_note", {"text": 'say "hi"'}),
    ("/add_note buy milk", "add_note", {"text": "buy milk"}),
    ("/delete_note note_id=3", "delete_note", {"note_id": 3}),
    ("/silent_exit", "silent_exit", {}),
    ("记一下 买牛奶", "add_note", {"text": "买牛奶"}),
    ("记笔记：买牛奶", "add_note", {"text": "买牛奶"}),
    ("搜索 退款政策", "search_persona_knowledge", {"query": "退款政策"}),
    ("你知道关于退款的什么", "search_persona_knowledge", {"query": "退款"}),
    ("现在几点了？", "current_time", {}),
    ("笔记", "list_notes", {}),
    ("删除笔记 3", "delete_note", {"note_id": 3}),
    ("记住我喜欢茶", "save_persona_memory", {"text": "我喜欢茶"}),
)

NOT_REQUESTS = (
    "hi",
    "how are you?",
    "thanks!",
    "I deleted a note yesterday",
    "don't delete note 3",
    "why did you delete note 3?",
    "how do I delete a note?",
    "make me a sandwich",
    "set an alarm for 7",
    "write a poem about the sea",
    "tell me a joke",
    "delete it",
    "delete the note about milk",
    "delete note 3 and 4",
    "what time is it in Tokyo",
    "你好",
    "",
    "?!",
)


def ask(*turns: str | Turn, offers: tuple[Offer, ...] = TOOLS) -> Answer:
    """The planner's answer to a history; a bare text is a person's words."""
    history = tuple(Said(turn) if isinstance(turn, str) else turn for turn in turns)
    return answer_to(Request("You are a guide.", history, offers))


@pytest.mark.parametrize("offers", [TOOLS, HOUSE], ids=["alike", "built in"])
@pytest.mark.parametrize(("words", "name", "arguments"), REQUESTS, ids=[row[0] for row in REQUESTS])
def test_a_plain_request_becomes_the_right_call(
    words: str, name: str, arguments: dict[str, Any], offers: tuple[Offer, ...]
) -> None:
    answer = ask(words, offers=offers)
    assert [(call.name, call.arguments) for call in answer.calls] == [(name, arguments)], answer.text


@pytest.mark.parametrize("offers", [TOOLS, HOUSE], ids=["alike", "built in"])
@pytest.mark.parametrize("words", NOT_REQUESTS)
def test_nothing_is_called_for_words_that_are_no_clear_request(words: str, offers: tuple[Offer, ...]) -> None:
    answer = ask(words, offers=offers)
    assert answer.calls == ()
    assert answer.text


@pytest.mark.parametrize("words", ["hello", "who are you", "what can you do?", "help", "你是谁"])
def test_it_says_what_it_is_and_what_it_may_use(words: str) -> None:
    answer = ask(words, offers=(tool("add_note"),))
    assert "offline command planner, not a language model" in answer.text
    assert "/add_note text=" in answer.text


@pytest.mark.parametrize(
    "words",
    [
        "remember that I like tea",
        "note: buy milk",
        "delete note 3",
        "what time is it",
        "search for X",
        "what do you know about X?",
        "what is the capital of France?",
        "/add_note text=x",
    ],
)
@pytest.mark.parametrize("offers", [(), (offer("send_fax", "Send a fax.", {"number": TEXT}),)], ids=["none", "other"])
def test_without_the_tool_it_says_what_is_missing(words: str, offers: tuple[Offer, ...]) -> None:
    answer = ask(words, offers=offers)
    assert answer.calls == ()
    assert "nothing was done" in answer.text or "cannot answer" in answer.text


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("add a note buy milk; add a note call Bob; what time is it", ["add_note", "add_note", "current_time"]),
        ("add a note buy milk and then delete note 2", ["add_note", "delete_note"]),
        ("note: a then list notes", ["add_note", "list_notes"]),
        ("delete note 1\ndelete note 2", ["delete_note", "delete_note"]),
        ("add a note: first wash, then dry", ["add_note"]),
        ("add a note 'wash; delete note 2'", ["add_note"]),
    ],
)
def test_several_requests_in_one_message_become_several_calls(words: str, names: list[str]) -> None:
    answer = ask(words)
    assert [call.name for call in answer.calls] == names
    assert len({call.id for call in answer.calls}) == len(names)


def test_one_unclear_request_of_several_holds_all_back() -> None:
    answer = ask("delete note 1; delete note")
    assert answer.calls == ()
    assert "note_id" in answer.text


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


def test_an_offer_without_schema_details_is_still_usable() -> None:
    answer = ask(
        "/ping", offers=(Offer("ping", "", {"type": "object"}), offer("list_notes", "", {"n": {**WHOLE, "default": 1}}))
    )
    assert [(call.name, call.arguments) for call in answer.calls] == [("ping", {})]
