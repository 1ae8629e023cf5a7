"""Raw deliveries → events. Each sample is a payload as Slack sends it; what it means stands here."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.events import (
    Attachment,
    ButtonPress,
    Command,
    Conversation,
    Edited,
    Event,
    FormAnswer,
    Gone,
    Message,
    Sender,
)
from channels.fields import Unreadable
from channels.outgoing import MessageRef
from channels.slack.parse import Parser, delivery_id
from channels.slack.people import Known, Me, People
from channels.slack.sender import UnknownSender
from tests.channels.documents import fuzz

SAMPLES = Path(__file__).parent / "samples"
ME = Me("T0HOME", "U0BOT", "B0BOT", "Guide")
PARSER = Parser("team", ME, "addressed", "/askfirst", frozenset({"help", "stop", "grant", "reset", "approve"}))
PEOPLE: People = {
    "U0ADA": Known("Ada Lovelace", "member"),
    "U0ANN": Known("Ann", "guest"),
    "U0EVE": Known("Eve", "external"),
    "U0GONE": None,
}
NOW = 1796000000.5
TS, ROOT, CARD = "1795000000.000100", "1794999000.000200", "1795000500.000300"
AT = 1795000000.0001
ADA = Sender("team", "U0ADA", "Ada Lovelace", "member")
EVE = Sender("team", "T0ELSE/U0EVE", "Eve", "external")
DIRECT = Conversation("team", "D0ADA")
OPENED = Conversation("team", "C0GEN", TS)
THREAD = Conversation("team", "C0GEN", ROOT)
CHANNEL = Conversation("team", "C0GEN")
REPORT = Attachment("F0PDF", "report.pdf", 1024, "application/pdf")
ELSEWHERE = Attachment("F0EXT", "")
READ = "Sent with this, which cannot be read here: report.pdf"


def message(text: str, where: Conversation = OPENED, **other: Any) -> Message:
    private = where.chat == "D0ADA"
    made = Message(f"m:{where.chat}:{TS}", AT, where, ADA, private, text, addressed=True, ref=TS)
    return replace(made, **other)


def command(name: str, arguments: str = "", where: Conversation = OPENED, *, follows: bool = False) -> Command:
    private = where.chat == "D0ADA"
    return Command(f"m:{where.chat}:{TS}", AT, where, ADA, private, name, arguments, TS, follows=follows, mark="!")


def slash(name: str, arguments: str = "", where: Conversation = CHANNEL, by: Sender = ADA) -> Command:
    private = where.chat == "D0ADA"
    event_id = "c:13345224609.738474920.slash"
    return Command(event_id, NOW, where, by, private, name, arguments, aside=True, mark="/askfirst ")


def press(where: Conversation, user: str = "U0ADA", by: Sender = ADA) -> ButtonPress:
    event_id = f"a:{where.chat}:{CARD}:{user}:1795000600.123456"
    return ButtonPress(event_id, NOW, where, by, where.chat == "D0ADA", "tok1", MessageRef(where.key, CARD))


def edited(text: str, where: Conversation) -> Edited:
    return Edited("", 1795000060.0, where, ADA, text, TS)


def gone(where: Conversation | None, reason: str) -> Gone:
    return Gone("", 1795000000.0, "team", where, "channel" if where is None else "chat", reason)


MEANINGS: dict[str, Event | None] = {
    "direct_text": message("hello", DIRECT),
    "direct_in_thread": message("and here", Conversation("team", "D0ADA", ROOT)),
    "direct_command": command("grant", 'guide notes -- because "I say so"', DIRECT),
    "direct_ordinary_exclamation": message("!nice work", DIRECT),
    "direct_me": message("waves", DIRECT),
    "direct_typed_brackets": message("is <@U0BOT> a &lt; mention?", DIRECT),
    "mpim_plain": message("to each other", Conversation("team", "G0MP", TS), addressed=False),
    "channel_plain": message("talking among ourselves", addressed=False),
    "channel_mention": message("what is new?"),
    "channel_app_mention": message("what is new?"),
    "channel_app_mention_by_edit": None,
    "channel_only_a_mention": message(""),
    "channel_mention_of_others": message("ask @Ann (U0ANN) or @U0GONE about #general (C0GEN)"),
    "channel_command_unaddressed": message("!help", addressed=False),
    "channel_command_behind_mention": command("reset", "now"),
    "channel_stop_behind_mention": command("stop", where=THREAD),
    "private_channel_mention": message("hi", Conversation("team", "G0PRIV", TS)),
    "blank_block_beside_text": message("see the text"),
    "thread_reply": message("and then?", THREAD, addressed=False, follows=True),
    "thread_reply_to_us": message("and then?", THREAD),
    "thread_reply_to_another": message("@Ann (U0ANN) what do you think?", THREAD, addressed=False),
    "thread_command": command("stop", where=THREAD, follows=True),
    "thread_broadcast": message("for all", THREAD),
    "file_with_text": message("please read this", quoted=READ, attachments=(REPORT,)),
    "file_without_text": message("", DIRECT, attachments=(REPORT,)),
    "file_of_elsewhere": message(
        "and this", DIRECT, quoted="Sent with this, which cannot be read here: a file", attachments=(ELSEWHERE,)
    ),
    "shared_with_text": message("do this", DIRECT, quoted="Ann: the plan (https://a.example) & more"),
    "shared_without_text": message(
        "the plan (https://a.example) & more", DIRECT, quoted="Forwarded from Ann", forwarded=True
    ),
    "shared_under_a_mention": message("@Guide", quoted="Ann: the plan (https://a.example) & more"),
    "unfurled_page": message("see https://a.example", DIRECT),
    "external_mention": message("hi", sender=EVE),
    "external_told_by_the_body": message("hi", sender=EVE),
    "unknown_to_slack": None,
    "bot_message": None,
    "bot_without_subtype": None,
    "own_by_bot_id": None,
    "own_by_user": None,
    "workflow": None,
    "slackbot": None,
    "pinned": None,
    "joined": None,
    "topic_set": None,
    "deleted": None,
    "edited": edited("hello", OPENED),
    "edited_command": edited("!stop", THREAD),
    "edited_in_direct": edited("hi!", DIRECT),
    "edited_by_an_unfurl": None,
    "edited_bot": None,
    "edited_tombstone": None,
    "assistant_thread": None,
    "reaction": None,
    "press": press(THREAD),
    "press_in_direct": press(DIRECT),
    "press_on_a_root": press(CHANNEL),
    "press_on_an_ephemeral": replace(press(CHANNEL), message=None),
    "press_by_an_external": press(THREAD, "U0EVE", EVE),
    "press_of_a_link": None,
    "press_of_a_menu": None,
    "submission": FormAnswer(
        "v:13345224609.738474920.view", NOW, THREAD, ADA, False, "tok1", {"path": "a < b", "note": "", "mode": "fast"}
    ),
    "submission_of_another": None,
    "slash": slash("grant", 'guide notes -- because "I & I"'),
    "slash_empty": slash("help"),
    "slash_in_direct": slash("status", where=DIRECT),
    "slash_of_another": None,
    "slash_by_an_external": slash("help", by=EVE),
    "uninstalled": gone(None, "the app was uninstalled"),
    "token_revoked": gone(None, "its token was revoked"),
    "token_of_a_person_revoked": None,
    "archived": gone(CHANNEL, "the channel was archived"),
    "group_archived": gone(Conversation("team", "G0PRIV"), "the channel was archived"),
    "channel_deleted": gone(CHANNEL, "the channel was deleted"),
    "left": gone(CHANNEL, "removed from the channel"),
    "removed": gone(CHANNEL, "removed from the channel"),
    "another_left": None,
    "shortcut": None,
}
BROKEN = {
    "broken_no_event": "body.event is not an object",
    "broken_text_is_a_number": "body.event.text is not a text",
    "broken_channel_holds_a_colon": "channel is not an id",
    "broken_ts": "ts is not a time",
    "broken_thread_ts": "thread_ts is not a time",
    "broken_user": "the user is not an id",
    "broken_team": "the team is not an id",
    "broken_attachments": "body.event.attachments is not a list",
    "broken_press_without_message_ts": "body.container.message_ts is not a text",
    "broken_metadata": "private_metadata is not JSON",
    "broken_metadata_of_another_channel": "private_metadata.where is not a conversation of this channel",
    "broken_slash_without_user": "body.user_id is not a text",
    "broken_event_time": "body.event_time is not a number",
}


def sample(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SAMPLES / f"{name}.json").read_text())
    return found


def read(name: str, parser: Parser = PARSER) -> Event | None:
    return parser.event(sample(name), PEOPLE, NOW)


@pytest.mark.parametrize("name", MEANINGS)
def test_a_sample_means_what_it_says(name: str) -> None:
    expected = MEANINGS[name]
    if isinstance(expected, Edited | Gone):
        expected = replace(expected, id=f"e:{sample(name)['event_id']}")
    assert read(name) == expected


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_sample_is_unreadable_and_named(name: str) -> None:
    body = sample(name)
    with pytest.raises(Unreadable) as caught:
        PARSER.event(body, PEOPLE, NOW)
    assert (caught.value.event_id, str(caught.value)) == (delivery_id(body), BROKEN[name])


def test_every_sample_is_looked_at() -> None:
    assert {path.stem for path in SAMPLES.glob("*.json")} == {*MEANINGS, *BROKEN}


def test_a_mention_that_comes_twice_is_one_event() -> None:
    assert sample("channel_mention")["event_id"] != sample("channel_app_mention")["event_id"]
    assert read("channel_mention") == read("channel_app_mention")


def test_listening_to_all_counts_everything_as_addressed() -> None:
    everything = replace(PARSER, listen="all")
    assert read("channel_plain", everything) == message("talking among ourselves")
    assert read("channel_command_unaddressed", everything) == command("help")


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("direct_text", {"U0ADA"}),
        ("channel_mention_of_others", {"U0ADA", "U0ANN", "U0GONE"}),
        ("edited", {"U0ADA"}),
        ("press", {"U0ADA"}),
        ("submission", {"U0ADA"}),
        ("slash", {"U0ADA"}),
        *((name, set()) for name in ("own_by_user", "bot_message", "slackbot", "slash_of_another", "press_of_a_link")),
        *((name, set()) for name in ("uninstalled", "reaction", "broken_user", "broken_no_event")),
    ],
)
def test_those_whom_one_must_know_are_named(name: str, who: set[str]) -> None:
    assert PARSER.who(sample(name)) == who


@pytest.mark.parametrize(
    "name", ["direct_text", "edited", "press", "submission", "slash", "channel_command_behind_mention"]
)
def test_a_sender_who_was_not_looked_up_is_offered_again(name: str) -> None:
    with pytest.raises(UnknownSender):
        PARSER.event(sample(name), {}, NOW)


@pytest.mark.parametrize(
    "name", ["uninstalled", "removed", "reaction", "own_by_user", "bot_message", "press_of_a_link"]
)
def test_nobody_need_be_known_where_nobody_speaks(name: str) -> None:
    PARSER.event(sample(name), {}, NOW)


@pytest.mark.parametrize(
    "name", ["external_mention", "external_told_by_the_body", "press_by_an_external", "slash_by_an_external"]
)
def test_whoever_comes_from_elsewhere_is_external_whatever_is_said_of_them(name: str) -> None:
    event = PARSER.event(sample(name), {"U0EVE": Known("Eve", "member")}, NOW)
    assert isinstance(event, Message | ButtonPress | Command)
    assert event.sender == EVE


def of_another_workspace(**outer: Any) -> dict[str, Any]:
    body = sample("direct_text")
    return {**body, **outer, "event": {**body["event"], "team": "T0SECOND"}}


@pytest.mark.parametrize(
    ("me", "enterprise", "standing", "expected"),
    [
        (replace(ME, enterprise="E0ORG", org_wide=True), "E0ORG", "member", ("U0ADA", "member")),
        (replace(ME, enterprise="E0ORG", org_wide=True), "E0ORG", "guest", ("U0ADA", "guest")),
        (replace(ME, enterprise="E0ORG", org_wide=True), None, "member", ("U0ADA", "member")),
        (replace(ME, enterprise="E0ORG", org_wide=True), "E0ORG", "external", ("T0SECOND/U0ADA", "external")),
        (replace(ME, enterprise="E0ORG", org_wide=True), "E0OTHER", "member", ("T0SECOND/U0ADA", "external")),
        (replace(ME, enterprise="E0ORG"), "E0ORG", "member", ("T0SECOND/U0ADA", "external")),
        (ME, None, "member", ("T0SECOND/U0ADA", "external")),
    ],
)
def test_the_workspaces_of_an_organisation_are_one_only_for_its_own_app(
    me: Me, enterprise: str | None, standing: Any, expected: tuple[str, str]
) -> None:
    body = of_another_workspace(enterprise_id=enterprise)
    event = replace(PARSER, me=me).event(body, {"U0ADA": Known("Ada", standing)}, NOW)
    assert isinstance(event, Message)
    assert (event.sender.user, event.sender.standing) == expected


def test_where_no_workspace_is_named_users_info_decides() -> None:
    body = sample("direct_text")
    del body["team_id"], body["event"]["team"]
    event = PARSER.event(body, {"U0ADA": Known("Ada", "external")}, NOW)
    assert isinstance(event, Message)
    assert (event.sender.user, event.sender.standing) == ("U0ADA", "external")


@pytest.mark.parametrize("body", [None, [], "x", {}, {"type": 1}, {"type": "event_callback"}, {"command": 1}])
def test_what_is_no_delivery_is_unreadable(body: object) -> None:
    with pytest.raises(Unreadable):
        PARSER.event(body, PEOPLE, NOW)
    assert PARSER.who(body) == frozenset()


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("submission", "trigger_id"),
        ("slash", "trigger_id"),
        ("edited", "event_id"),
        ("uninstalled", "event_id"),
    ],
)
def test_without_an_id_of_its_own_it_is_unreadable(name: str, kept: str) -> None:
    body = sample(name)
    del body[kept]
    with pytest.raises(Unreadable):
        PARSER.event(body, PEOPLE, NOW)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5) | st.just("message"),
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
    body = sample(name)
    *way, last = data.draw(st.sampled_from(places(body)))
    target = body
    for step in way:
        target = target[step]
    target[last] = value
    who = PARSER.who(body)
    with contextlib.suppress(Unreadable):
        PARSER.event(body, {**dict.fromkeys(who), **PEOPLE}, NOW)
