"""Raw updates → events. Each sample is a payload as Telegram sends it; what it means stands here."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.events import Attachment, ButtonPress, Command, Conversation, Edited, Event, Gone, Message, Moved, Sender
from channels.fields import Unreadable
from channels.outgoing import MessageRef
from channels.telegram.parse import Parser, chat_id, query_id
from channels.telegram.words import Me
from tests.channels.documents import fuzz

SAMPLES = Path(__file__).parent / "samples"
ME = Me(777000777, "Guide_Bot", "Guide", reads_all=False)
PARSER = Parser("tg", ME, "addressed")
NOW = 1796000000.5
AT = 1795000000.0
ADA = Sender("tg", "4242", "Ada Lovelace")
PRIVATE = Conversation("tg", "4242")
GROUP = Conversation("tg", "-4000001")
SUPER = Conversation("tg", "-1002000000001")
TOPIC = Conversation("tg", "-1002000000001", "55")


def sample(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SAMPLES / f"{name}.json").read_text())
    return found


def message(text: str, where: Conversation = SUPER, *, addressed: bool = True, quoted: str | None = None) -> Message:
    forwarded = quoted is not None and quoted.startswith("Forwarded from ")
    return Message("", AT, where, ADA, where.chat == "4242", text, addressed, "11", quoted, forwarded)


def command(name: str, arguments: str = "", where: Conversation = GROUP) -> Command:
    return Command("", AT, where, ADA, where.chat == "4242", name, arguments, "11")


MEANINGS: dict[str, Event | None] = {
    "private_text": message("hello", PRIVATE),
    "private_command": command("grant", 'guide notes -- because "I say so"', PRIVATE),
    "group_plain": message("talking among ourselves", GROUP, addressed=False),
    "group_mention_after_emoji": message("😀😀, hi"),
    "group_mention_first": message("what is new?"),
    "group_mention_of_another": message("@guide_bot_two hi", addressed=False),
    "group_only_a_mention": message(""),
    "group_text_mention": message("hi"),
    "group_caption_mention": message("what is this", quoted="Sent with this, which cannot be read here: photo"),
    "group_reply_to_us": message("and then?", quoted="Guide: First this."),
    "group_reply_to_a_person_with_quote": message("do this", quoted="Grace: a part"),
    "group_command_for_us": command("reset", "now"),
    "group_command_for_another": None,
    "group_command_behind_mention": command("stop"),
    "group_command_in_the_middle": message("do not type /stop", GROUP),
    "bot_reply_to_us": None,
    "topic_message": message("in a topic", TOPIC, addressed=False),
    "general_topic": message("in General", addressed=False),
    "reply_thread_is_no_topic": message("deep in a thread", addressed=False, quoted="Ada Lovelace: root"),
    "private_topic": message("own topic", Conversation("tg", "4242", "300")),
    "forwarded_command": message("/approve 7F", PRIVATE, quoted="Forwarded from Mallory"),
    "forwarded_from_hidden_user": message("news", PRIVATE, quoted="Forwarded from Someone"),
    "forwarded_from_channel": message("news", PRIVATE, quoted="Forwarded from The News"),
    "external_reply": message("what of this?", PRIVATE, quoted="Mallory: that part"),
    "voice_note": message("", PRIVATE),
    "document_with_caption": replace(
        message("read this", PRIVATE, quoted="Sent with this, which cannot be read here: document"),
        attachments=(Attachment("BQACAgIAAx", "a.pdf", 9000, "application/pdf"),),
    ),
    "member_joined": None,
    "anonymous_admin": None,
    "migrated": Moved("", AT, GROUP, SUPER),
    "migrated_from": Moved("", AT, GROUP, SUPER),
    "edited": Edited("", AT + 60, PRIVATE, ADA, "hello again", "11"),
    "edited_command": Edited("", AT + 60, PRIVATE, ADA, "/stop", "11"),
    "edited_live_location": None,
    "channel_post": None,
    "press": ButtonPress("", NOW, TOPIC, ADA, False, "tok1", MessageRef(TOPIC.key, "20")),
    "press_on_inaccessible": ButtonPress("", NOW, PRIVATE, ADA, True, "tok1", MessageRef(PRIVATE.key, "20")),
    "press_on_inline_message": None,
    "press_of_a_game": None,
    "blocked": Gone("", AT, "tg", PRIVATE, "chat", "blocked by the person"),
    "unblocked": None,
    "removed": Gone("", AT, "tg", GROUP, "chat", "removed from the chat"),
    "kicked": Gone("", AT, "tg", SUPER, "chat", "removed from the chat"),
    "restricted_and_out": Gone("", AT, "tg", SUPER, "chat", "removed from the chat"),
    "promoted": None,
    "unknown_kind": None,
    "entity_out_of_range": message("x", PRIVATE),
}
BROKEN = {
    "broken_no_chat": "update.message.chat is not an object",
    "broken_text_is_a_number": "update.message.text is not a text",
    "broken_entity_without_offset": "update.message.entities[0].offset is not a number",
    "broken_press_without_data": "update.callback_query.data is not a text",
    "broken_date": "update.message.date is not a number",
    "broken_member_without_status": "update.my_chat_member.new_chat_member.status is not a text",
    "broken_message_is_a_list": "update.message is not an object",
}


def with_id(event: Event, event_id: str) -> Event:
    fields = {name: getattr(event, name) for name in type(event).__slots__}
    return type(event)(**{**fields, "id": event_id})


@pytest.mark.parametrize("name", MEANINGS)
def test_a_sample_means_what_it_says(name: str) -> None:
    update, expected = sample(name), MEANINGS[name]
    event = PARSER.event(update, NOW)
    assert event == (None if expected is None else with_id(expected, str(update["update_id"])))


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_sample_is_unreadable_and_named(name: str) -> None:
    update = sample(name)
    with pytest.raises(Unreadable) as caught:
        PARSER.event(update, NOW)
    assert (caught.value.event_id, str(caught.value)) == (str(update["update_id"]), BROKEN[name])


def test_every_sample_is_looked_at() -> None:
    assert {path.stem for path in SAMPLES.glob("*.json")} == {*MEANINGS, *BROKEN}


def test_listening_to_all_counts_everything_as_addressed() -> None:
    event = Parser("tg", ME, "all").event(sample("group_plain"), NOW)
    assert isinstance(event, Message)
    assert event.addressed


def test_a_press_is_known_even_if_it_cannot_be_read() -> None:
    assert query_id(sample("broken_press_without_data")) == "18217"
    assert query_id(sample("private_text")) is None
    assert query_id({"callback_query": {"id": 5}}) is None


def test_the_chat_of_every_kind_is_found() -> None:
    assert [chat_id(sample(name)) for name in ("private_text", "edited", "press", "blocked", "unknown_kind")] == [
        4242,
        4242,
        -1002000000001,
        4242,
        None,
    ]


@pytest.mark.parametrize("update", [None, [], "x", {}, {"update_id": "1"}, {"update_id": True}])
def test_what_is_no_update_is_unreadable(update: object) -> None:
    with pytest.raises(Unreadable):
        PARSER.event(update, NOW)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5) | st.just("private"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        found += places(item, (*path, key))
    return found


@fuzz
@given(st.sampled_from(sorted(MEANINGS)), st.data(), anything)
def test_a_field_of_any_other_kind_is_unreadable_at_worst(name: str, data: st.DataObject, value: Any) -> None:
    update = sample(name)
    *way, last = data.draw(st.sampled_from(places(update)))
    target = update
    for step in way:
        target = target[step]
    target[last] = value
    with contextlib.suppress(Unreadable):
        PARSER.event(update, NOW)
    query_id(update), chat_id(update)
