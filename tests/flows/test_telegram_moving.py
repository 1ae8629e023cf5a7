"""Groups that become supergroups, and chats that let us in again."""

from tests.fakes.model.script import Reply, Rule, calls
from tests.flows.groups import TROUPE, Story, in_a_story
from tests.flows.hearing import PATIENCE_S
from tests.flows.stage import Stage

pytest_plugins = [TROUPE]

NOTE = calls("add_note", {"text": "milk"})


@in_a_story
async def test_a_group_that_becomes_a_supergroup_keeps_its_session(story: Story) -> None:
    """The service message tells the new number."""
    chat = await story.telegram.group("Kitchen", members=[story.person])
    await story.asks(chat, "remember the cake")
    await story.reads("cake", chat=chat)
    moved = (await story.telegram.migrate(chat, story.person)).chat
    await story.asks(moved, "what did I say?")
    await story.reads("what did I say?", chat=moved)
    assert len(await story.history(2)) == 3
    assert f"tg:{chat.id}:" not in (await story.order("/sessions", f"tg:{moved.id}")).text


async def test_what_is_under_way_when_a_group_moves_arrives_in_the_new_one(stage: Stage, database: str) -> None:
    """On both ways to dispatch: the run goes on, is asked once, and its answer and the queue behind it follow."""
    chat = await stage.telegram.group("Kitchen", members=[stage.ann])
    mention = f"@{stage.telegram.bot_username}"
    await stage.model.rules(
        Rule(contains="ponder", reply=Reply(text="Pondered.", hold="ponder")),
        Rule(contains="behind it", reply=Reply(text="Behind it.")),
    )
    async with stage.service(database=database):
        await stage.say(f"{mention} ponder", chat=chat)
        await stage.model.wait_request(1, PATIENCE_S)
        await stage.say(f"{mention} behind it", chat=chat)
        await stage.telegram.wait_confirmed()
        moved = (await stage.telegram.migrate(chat, stage.ann)).chat
        await stage.telegram.wait_confirmed()
        await stage.model.release("ponder")
        await stage.reads("Pondered.", chat=moved)
        await stage.reads("Behind it.", chat=moved)
    for call in await stage.telegram.calls("sendMessage", chat=chat):
        assert call.args["text"] not in {"Pondered.", "Behind it."}
    assert [asked.body["messages"][-1]["content"] for asked in await stage.model.requests()] == [
        "Ann: ponder",
        "Ann: behind it",
    ]


@in_a_story
async def test_what_a_group_noted_is_there_after_it_moved(story: Story) -> None:
    chat = await story.telegram.group("Kitchen", members=[story.person])
    await story.hears("milk", first=NOTE, then="Noted.")
    await story.hears("notes", first=calls("list_notes"), then="{result}")
    await story.asks(chat, "milk")
    await story.press(await story.card(chat=chat), "Approve", chat=chat)
    await story.reads("Noted.", chat=chat)
    moved = (await story.telegram.migrate(chat, story.person)).chat
    await story.asks(moved, "notes")
    await story.reads(". milk", chat=moved)


@in_a_story
async def test_a_move_that_a_send_learns_of_is_followed(story: Story) -> None:
    """The error of a send names the new number; the service message may come later or never."""
    chat = await story.telegram.group("Kitchen", members=[story.person])
    await story.slow("ponder", "Pondered.")
    await story.asks(chat, "ponder")
    await story.model.wait_request(1)
    await story.telegram.pause()
    moved = (await story.telegram.migrate(chat, story.person)).chat
    await story.model.release("ponder")
    await story.reads("Pondered.", chat=moved)
    await story.telegram.resume()
    await story.asks(moved, "go on")
    await story.reads("go on", chat=moved)
    assert len(await story.history(2)) == 3


@in_a_story
async def test_a_card_that_waits_while_its_group_moves_is_decided_in_the_new_one(story: Story) -> None:
    chat = await story.telegram.group("Kitchen", members=[story.person])
    await story.hears("milk", first=NOTE, then="Noted.")
    await story.asks(chat, "milk")
    card = await story.card(chat=chat)
    moved = (await story.telegram.migrate(chat, story.person)).chat
    await story.telegram.wait_confirmed()
    said = await story.say(f"/approve@{story.telegram.bot_username}", chat=moved)
    await story.reads("Approved.", chat=moved, after=said)
    await story.reads("Noted.", chat=moved)
    await story.reads("Approved by Guest", chat=moved)
    assert (await story.press_old(card, chat=moved)).startswith("Too late: Approved by Guest")
