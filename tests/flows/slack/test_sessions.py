"""What belongs to one conversation, where its answers go, and when we are part of a thread."""

import pytest

from tests.fakes.model.script import Reply, calls
from tests.fakes.slack.raw import raw_api
from tests.flows.slack.scene import Scene
from tests.flows.slack.ways import by_socket, in_the_long_play

pytestmark = [by_socket, in_the_long_play]

ECHO = "Heard: {user}"


async def test_a_mention_opens_the_thread_in_which_it_is_answered_and_its_session(scene: Scene) -> None:
    """B035: root and replies are one session from the first turn on, and nothing else of the channel is in it.
    B041: what follows needs no mention."""
    await scene.model.otherwise(ECHO)
    await scene.say("unrelated talk of the channel")
    thread = await scene.asks("my name is Ann")
    await scene.reads("Heard: Guest: my name is Ann", thread=thread)
    await scene.say("other talk")
    await scene.say("what is my name?", thread=thread)
    await scene.reads("Heard: Guest: what is my name?", thread=thread)
    assert await scene.history(2) == [
        "Guest: my name is Ann",
        "Heard: Guest: my name is Ann",
        "Guest: what is my name?",
    ]
    assert len(await scene.model.requests()) == 2


async def test_each_thread_is_a_session_of_its_own(scene: Scene) -> None:
    """B036: a mention within a thread is answered once, there, by the session of that thread."""
    await scene.model.otherwise(ECHO)
    first, second = await scene.asks("one"), await scene.asks("two")
    for thread, text in ((first, "three"), (second, "four")):
        await scene.reads("Heard", thread=thread)
        said = await scene.asks(text, thread=thread)
        await scene.reads(f"Heard: Guest: {text}", thread=thread, after=said)
    assert (await scene.history(3))[0] == "Guest: one"
    assert (await scene.history(4))[0] == "Guest: two"
    assert len(await scene.there()) == 4


async def test_a_mention_deep_in_a_thread_of_others_brings_us_in(scene: Scene) -> None:
    """Before it nothing there is for us, after it all of it is. B033, B103: what was said before, by whomever, is not
    read, so that nothing is taken for ours and no limit on reading is met."""
    await scene.model.otherwise(ECHO)
    bob = await scene.joins("Bob")
    root = await scene.say("what about lunch?", who=bob)
    await scene.say("pasta", thread=root)
    asked = await scene.asks("where is pasta?", thread=root)
    await scene.reads("Heard: Guest: where is pasta?", thread=root, after=asked)
    await scene.say("and pizza?", thread=root, who=bob)
    await scene.reads("Heard: Bob: and pizza?", thread=root)
    assert await scene.heard() == ["Guest: where is pasta?", "Bob: and pizza?"]
    assert not [
        call for call in await scene.slack.calls() if call.method in ("conversations.replies", "conversations.history")
    ]


async def test_who_turns_to_somebody_else_in_our_thread_does_not_speak_to_us(scene: Scene) -> None:
    await scene.model.otherwise(ECHO)
    bob = await scene.joins("Bob")
    thread = await scene.asks("hello")
    await scene.reads("Heard", thread=thread)
    await scene.say(f"{bob.mention} did you see that?", thread=thread)
    await scene.say(f"what would {bob.mention} say?", thread=thread)
    await scene.reads(f"Heard: Guest: what would @Bob ({bob.id}) say?", thread=thread)
    assert len(await scene.heard()) == 2


@pytest.mark.parametrize("first", ["!status", "!new", "!stop"])
async def test_who_was_answered_by_a_command_goes_on_without_a_mention(scene: Scene, first: str) -> None:
    """B041: any answer of ours makes us part of a thread, and !new does not take us out of it."""
    await scene.model.otherwise(ECHO)
    thread = await scene.asks(first)
    await scene.slack.wait_confirmed()
    await scene.say("hello", thread=thread)
    await scene.reads("Heard: Guest: hello", thread=thread)
    await scene.say("!new", thread=thread)
    await scene.reads("A fresh start", thread=thread)
    await scene.say("again", thread=thread)
    await scene.reads("Heard: Guest: again", thread=thread)
    assert await scene.history(2) == ["Guest: again"]


async def test_a_reply_below_a_message_of_ours_is_for_us(scene: Scene) -> None:
    """B042: no session knows the thread, but we opened it."""
    await scene.model.otherwise(ECHO)
    async with raw_api(scene.slack) as api:
        opened = await api.ok("chat.postMessage", {"channel": scene.chat.id, "text": "The build is broken."})
    await scene.say("since when?", thread=opened["ts"])
    await scene.reads("Heard: Guest: since when?", thread=opened["ts"])


async def test_a_direct_chat_is_one_session_and_its_threads_are_others(scene: Scene) -> None:
    """B040: top-level messages belong together. B039: where an answer goes is worked out for each message."""
    await scene.model.otherwise(ECHO)
    first = await scene.say("my name is Ann", chat=scene.direct)
    await scene.reads("my name is Ann", chat=scene.direct)
    inside = await scene.say("and in here?", chat=scene.direct, thread=first)
    answer = await scene.reads("and in here?", chat=scene.direct, thread=first)
    assert answer.id > inside
    last = await scene.tells("what is my name?", "Heard: what is my name?")
    assert last.thread is None
    assert await scene.history(2) == ["and in here?"]
    assert (await scene.history(3))[0] == "my name is Ann"


async def test_a_group_of_direct_messages_is_a_channel_like_others(scene: Scene) -> None:
    await scene.model.otherwise(ECHO)
    bob = await scene.slack.user("Bob")
    group = await scene.slack.mpim([scene.person, bob])
    await scene.say("not for us", chat=group)
    thread = await scene.asks("hello", chat=group)
    await scene.reads("Heard: Guest: hello", chat=group, thread=thread)
    await scene.say("and me", chat=group, thread=thread, who=bob)
    await scene.reads("Heard: Bob: and me", chat=group, thread=thread)
    assert len(await scene.heard()) == 2


async def test_everything_of_a_thread_stays_in_it(scene: Scene) -> None:
    """B037: an answer, a status line, a card and what a later step says all carry the thread."""
    await scene.hears("milk", first=calls("add_note", {"text": "milk"}, text="Let me see."), then="Noted.")
    await scene.hears("then", first=Reply(text="Then."))
    thread = await scene.asks("note milk")
    card = await scene.card(thread=thread)
    await scene.say("and then", thread=thread)
    await scene.card(after=card.id)
    await scene.press(card, "Approve")
    await scene.reads("Then.", thread=thread)
    await scene.house.at_rest()
    posts = await scene.slack.calls("chat.postMessage", chat=scene.chat)
    assert len(posts) == 5
    assert {call.args["thread_ts"] for call in posts} == {thread}
    whispers = await scene.slack.calls("chat.postEphemeral", chat=scene.chat)
    assert {call.args["thread_ts"] for call in whispers} == {thread}
