"""Topics: whatever belongs to a topic stays in it, and a topic that is gone is not written to."""

from tests.fakes.model.script import Reply, Rule, calls, fails
from tests.fakes.telegram.protocol import Place
from tests.flows.groups import TROUPE, Story, in_a_story

pytest_plugins = [TROUPE]

NOTE = calls("add_note", {"text": "milk"})


async def forum(story: Story, *names: str) -> tuple[Place, list[int]]:
    chat = await story.telegram.forum("Plans", members=[story.person, story.admin])
    return chat, [await story.telegram.topic(chat, story.person, name) for name in names]


@in_a_story
async def test_each_topic_has_a_session_of_its_own(story: Story) -> None:
    """B046, B053: by chat and topic."""
    chat, (red, blue) = await forum(story, "Red", "Blue")
    await story.asks(chat, "apples", thread=red)
    await story.reads("apples", chat=chat, thread=red)
    await story.asks(chat, "the sea", thread=blue)
    await story.reads("the sea", chat=chat, thread=blue)
    await story.asks(chat, "the hall")
    general = await story.reads("the hall", chat=chat)
    assert general.thread is None
    await story.asks(chat, "more", thread=red)
    await story.reads("more", chat=chat, thread=red)
    assert [len(await story.history(number)) for number in (1, 2, 3, 4)] == [1, 1, 1, 3]


@in_a_story
async def test_everything_of_a_topic_is_shown_in_it(story: Story) -> None:
    """B051, B052: answers, cards, what becomes of them, errors, refusals, answers to commands, typing."""
    chat, (red,) = await forum(story, "Red")
    await story.hears("milk", first=NOTE, then="Noted.")
    await story.model.rules(Rule(contains="broken", reply=fails(400)))
    await story.asks(chat, "milk", thread=red)
    card = await story.card(chat=chat, thread=red)
    await story.press(card, "Approve", chat=chat)
    await story.settled(card, "Approved by Guest", chat=chat)
    await story.reads("Noted.", chat=chat, thread=red)
    await story.asks(chat, "broken", thread=red)
    await story.reads("refused this request", chat=chat, thread=red)
    await story.asks(chat, "x" * 4_000 + " " + "y" * 90, thread=red)
    await story.reads("yyy", chat=chat, thread=red)
    await story.telegram.send_file(chat, story.person, kind="voice", thread=red)
    for command, answer in (("/new", "A fresh start"), ("/status", "Persona"), ("/grants", "for admins")):
        await story.say(command, chat=chat, thread=red)
        await story.reads(answer, chat=chat, thread=red)
    await story.slow("ponder", "Pondered.")
    await story.asks(chat, "ponder", thread=red)
    await story.telegram.wait_calls("sendChatAction", chat=chat)
    await story.model.release("ponder")
    await story.reads("Pondered.", chat=chat, thread=red)
    assert {shown.thread for shown in await story.ours(chat)} == {red}
    assert {action["thread"] for action in await story.telegram.actions(chat)} == {red}


@in_a_story
async def test_a_line_that_says_what_is_done_and_the_long_answer_it_becomes_stay_in_the_topic(story: Story) -> None:
    """B051, B061: the line is edited into the first part, the others follow in their order."""
    chat, (red,) = await forum(story, "Red")
    parts = [f"Part {number}. " + "word " * 700 for number in range(4)]
    await story.slow("epic", "\n\n".join(parts))
    asked = await story.asks(chat, "epic", thread=red)
    line = await story.reads("… thinking", chat=chat, thread=red)
    assert line.reply_to == asked
    await story.model.release("epic")
    await story.reads("Part 3", chat=chat, thread=red)
    shown = await story.ours(chat)
    assert shown[0].id == line.id
    text = " ".join(each.text for each in shown)
    assert text.split() == " ".join(parts).split()
    assert [text.index(f"Part {number}.") for number in range(4)] == sorted(text.index(f"Part {n}.") for n in range(4))
    assert {each.thread for each in shown} == {red}


@in_a_story
async def test_a_topic_in_a_private_chat_is_a_topic(story: Story) -> None:
    """B053: answers and sessions go by the topic there too."""
    thread = await story.telegram.topic(story.chat, story.person, "Recipes")
    await story.say("one", thread=thread)
    assert (await story.reads("one")).thread == thread
    await story.say("two")
    assert (await story.reads("two")).thread is None
    await story.say("three", thread=thread)
    await story.reads("three", thread=thread)
    assert [len(await story.history(number)) for number in (1, 2, 3)] == [1, 1, 3]


@in_a_story
async def test_general_is_written_to_without_its_number(story: Story) -> None:
    """B050: its number is 1 where it is told, and nothing can be sent to that number."""
    chat, _topics = await forum(story)
    update = {
        "message_id": 50,
        "date": 4_000_000_000,
        "chat": {"id": chat.id, "type": "supergroup", "title": "Plans", "is_forum": True},
        "from": {"id": story.person.id, "is_bot": False, "first_name": "Guest"},
        "message_thread_id": 1,
        "is_topic_message": True,
        "text": f"{story.mention} hello",
        "entities": [{"type": "mention", "offset": 0, "length": len(story.mention)}],
    }
    await story.telegram.inject({"message": update}, queue=f"chat:{chat.id}")
    assert (await story.reads("hello", chat=chat)).thread is None
    await story.say("/status", chat=chat)
    assert (await story.reads("Persona", chat=chat)).thread is None
    assert await story.ours(story.chat) == []
    assert all("message_thread_id" not in call.args for call in await story.telegram.calls("sendMessage", chat=chat))


@in_a_story
async def test_a_thread_of_replies_is_no_topic(story: Story) -> None:
    """In a group without topics `message_thread_id` only says what a message answers."""
    chat = await story.group("Kitchen")
    await story.asks(chat, "one")
    answer = await story.reads("one", chat=chat)
    await story.say("two", chat=chat, reply_to=answer.id)
    await story.reads("two", chat=chat)
    assert len(await story.history(2)) == 3
    assert all("message_thread_id" not in call.args for call in await story.telegram.calls("sendMessage", chat=chat))


@in_a_story
async def test_a_topic_that_was_deleted_meanwhile_ends_and_its_answer_goes_to_the_chat(story: Story) -> None:
    """B056: one try without the topic, its session and its waiting messages gone, and nothing later is sent there."""
    chat, (red,) = await forum(story, "Red")
    await story.slow("ponder", "Pondered.")
    await story.asks(chat, "ponder", thread=red)
    await story.model.wait_request(1)
    await story.asks(chat, "queued behind", thread=red)
    await story.telegram.wait_confirmed()
    await story.telegram.delete_topic(chat, red)
    await story.model.release("ponder")
    answer = await story.reads("Pondered.", chat=chat)
    assert answer.thread is None
    assert f"tg:{chat.id}:{red}" not in (await story.order("/sessions", "tg:")).text
    refused = [
        call
        for call in await story.telegram.calls("sendMessage", chat=chat)
        if call.args.get("message_thread_id") == red
    ]
    assert len(refused) == 1
    await story.asks(chat, "still there?")
    await story.reads("still there?", chat=chat)
    assert "Heard: Guest: queued behind" not in [each.text for each in await story.ours(chat)]


@in_a_story
async def test_a_card_in_a_topic_that_is_gone_frees_the_run(story: Story) -> None:
    """B056, B147: nobody can decide there, so nothing waits and nothing is done."""
    chat, (red,) = await forum(story, "Red")
    await story.model.rules(Rule(contains="milk", reply=Reply(calls=NOTE.calls, hold="milk")))
    await story.asks(chat, "milk", thread=red)
    await story.model.wait_request(1)
    await story.telegram.delete_topic(chat, red)
    await story.model.release("milk")
    notice = await story.reads("The topic was deleted, so I stopped what was under way there.", chat=chat)
    assert (notice.thread, notice.buttons) == (None, ())
    await story.order("/pending", "Nothing waits for a decision.")


@in_a_story
async def test_a_run_whose_topic_goes_under_its_eyes_stops_and_says_so_in_the_chat(story: Story) -> None:
    """B056: the line that says what is done finds the topic gone; the model is not listened to any more."""
    chat, (red,) = await forum(story, "Red")
    await story.slow("ponder", "Pondered.")
    await story.asks(chat, "ponder", thread=red)
    await story.model.wait_request(1)
    await story.telegram.delete_topic(chat, red)
    await story.reads("The topic was deleted, so I stopped what was under way there.", chat=chat)
    assert (await story.model.wait_ended(1)).how == "left"
    assert len(await story.ours(chat)) == 1
