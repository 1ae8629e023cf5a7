"""Chats that put us out, and let us in again."""

from tests.fakes.model.script import Reply, Rule, calls
from tests.flows.groups import TROUPE, Story, in_a_story
from tests.flows.stage import Stage

pytest_plugins = [TROUPE]

NOTE = calls("add_note", {"text": "milk"})


@in_a_story
async def test_removed_from_a_group_everything_of_all_its_topics_ends(story: Story) -> None:
    """B203: the run that works, the card that waits, the queue, the sessions; nothing is sent there any more."""
    chat = await story.telegram.forum("Plans", members=[story.person])
    red, blue = [await story.telegram.topic(chat, story.person, name) for name in ("Red", "Blue")]
    await story.hears("milk", first=NOTE, then="Noted.")
    await story.slow("ponder", "Pondered.")
    await story.asks(chat, "milk", thread=red)
    card = await story.card(chat=chat)
    await story.asks(chat, "ponder", thread=blue)
    await story.model.wait_request(2)
    await story.asks(chat, "behind it", thread=blue)
    await story.telegram.wait_confirmed()
    before = len(await story.telegram.calls(chat=chat))
    await story.telegram.set_bot(chat, story.person, "kicked")
    await story.telegram.wait_confirmed()
    assert (await story.model.wait_ended(2)).how == "left"
    await story.model.release("ponder")
    assert f"tg:{chat.id}" not in (await story.order("/sessions", "tg:")).text
    await story.order("/pending", "Nothing waits for a decision.")
    assert (await story.press_old(card, chat=chat)).startswith("Too late: Cancelled")
    late = [call.method for call in (await story.telegram.calls(chat=chat))[before:]]
    assert not {"sendMessage", "editMessageText"} & set(late), late
    assert len(await story.heard()) == 2


@in_a_story
async def test_a_group_that_refuses_a_message_is_left_with_its_queue(story: Story) -> None:
    """B203: 403 at a send is the end, not a thing to be tried again."""
    chat = await story.group("Kitchen")
    await story.slow("ponder", "Pondered.")
    await story.slow("behind", "never")
    await story.asks(chat, "ponder")
    await story.model.wait_request(1)
    await story.asks(chat, "behind it")
    await story.telegram.wait_confirmed()
    await story.telegram.fail(
        "sendMessage",
        status=403,
        description="Forbidden: bot was kicked from the supergroup chat",
        chat=chat,
        times=None,
    )
    await story.model.release("ponder")
    await story.telegram.wait_calls("sendMessage", chat=chat)
    assert f"tg:{chat.id}" not in (await story.order("/sessions", "tg:")).text
    await story.telegram.clear_faults()
    await story.telegram.advance(3)
    await story.asks(chat, "again")
    await story.reads("again", chat=chat)
    assert len(await story.telegram.calls("sendMessage", chat=chat)) == 2
    assert await story.history(len(await story.heard())) == ["Guest: again"]


@in_a_story
async def test_someone_whose_account_is_gone_is_not_written_to_again(story: Story) -> None:
    """B203: 403 "user is deactivated"."""
    await story.slow("ponder", "Pondered.")
    await story.say("ponder")
    await story.model.wait_request(1)
    await story.telegram.deactivate(story.chat)
    await story.model.release("ponder")
    await story.telegram.wait_calls("sendMessage", chat=story.chat)
    assert f"tg:{story.chat.id}:" not in (await story.order("/sessions", "tg:")).text
    assert len(await story.telegram.calls("sendMessage", chat=story.chat)) == 1


async def test_removed_and_added_again_it_starts_empty_before_and_after_a_restart(stage: Stage) -> None:
    """B209: coming back is not only known to the process that saw it, and what was removed while nobody ran is too."""
    await stage.model.rules(Rule(contains="", reply=Reply(text="Heard: {user}")))
    mention = f"@{stage.telegram.bot_username}"
    kitchen = await stage.telegram.supergroup("Kitchen", members=[stage.ann])
    garden = await stage.telegram.supergroup("Garden", members=[stage.ann])
    async with stage.service():
        for chat in (kitchen, garden):
            await stage.say(f"{mention} one", chat=chat)
            await stage.reads("one", chat=chat)
        await stage.telegram.set_bot(kitchen, stage.ann, "kicked")
        await stage.telegram.advance(2)
        await stage.telegram.set_bot(kitchen, stage.ann, "member")
        await stage.say(f"{mention} two", chat=kitchen)
        await stage.reads("two", chat=kitchen)
    await stage.telegram.set_bot(garden, stage.ann, "kicked")
    await stage.telegram.advance(2)
    await stage.telegram.set_bot(garden, stage.ann, "administrator")
    await stage.say(f"{mention} three", chat=garden)
    async with stage.service():
        await stage.reads("three", chat=garden)
        await stage.say(f"{mention} four", chat=kitchen)
        await stage.reads("four", chat=kitchen)
    asked = [len([m for m in each.body["messages"] if m["role"] != "system"]) for each in await stage.model.requests()]
    assert asked == [1, 1, 1, 1, 3]
