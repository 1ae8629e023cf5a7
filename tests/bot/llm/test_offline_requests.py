"""The offline command planner: plain requests become calls, other words do not, and no answer is ever invented."""

from typing import Any

import pytest

from bot.llm.port import Offer
from tests.bot.llm.asking import ask
from tests.bot.llm.offers import HOUSE, TEXT, TOOLS, offer, tool

REQUESTS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("remember that I like tea", "save_persona_memory", {"text": "I like tea"}),
    ("note: buy milk", "add_note", {"text": "buy milk"}),
    ("add a note 'buy milk'", "add_note", {"text": "buy milk"}),
    ("Please add buy milk to my notes.", "add_note", {"text": "buy milk"}),
    ("Hi! Can you add a note saying call Bob at 5?", "add_note", {"text": "call Bob at 5"}),
    ("make a note to call Bob", "add_note", {"text": "call Bob"}),
    ("write a note that the key is under the mat", "add_note", {"text": "the key is under the mat"}),
    ("save this as a note: call mum", "add_note", {"text": "call mum"}),
    ("add a note: ask me for milk", "add_note", {"text": "ask me for milk"}),
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


def test_what_is_asked_for_becomes_a_form_where_there_is_one() -> None:
    words = "Please ask me for my name, the delivery date and a colour."
    [call] = ask(words, offers=HOUSE).calls
    assert (call.name, call.arguments) == (
        "ask_form",
        {
            "message": "You asked me to ask for this.",
            "fields": [
                {"name": "name", "label": "name"},
                {"name": "delivery_date", "label": "delivery date"},
                {"name": "colour", "label": "colour"},
            ],
        },
    )
    assert not ask(words, offers=TOOLS).calls
    assert not ask(f"ask me for {', '.join(str(n) for n in range(11))}", offers=HOUSE).calls
