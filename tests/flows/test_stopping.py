"""`/stop` and `/new` end what is open, in every state, and leave the chat free."""

import pytest

from tests.fakes.model.script import Call, Reply, calls
from tests.flows.scene import Scene

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOTE = calls("add_note", {"text": "milk"})


async def test_stop_while_waiting_ends_the_run_and_its_card(scene: Scene) -> None:
    """B139: the approval is cancelled, the card closed, the chat free. B193: the next message runs."""
    await scene.hears("milk", first=NOTE)
    await scene.hears("hello", first=Reply(text="Hello."))
    await scene.say("note milk")
    card = await scene.card()
    await scene.type("/stop", "Stopped.")
    await scene.settled(card, "Cancelled")
    told = await scene.press_old(card)
    assert told.startswith("Too late: Cancelled")
    await scene.type("hello", "Hello.")
    asked = await scene.model.requests()
    assert len(asked) == 2, "nobody asked the model about the stopped run again"
    assert "Cancelled" in str(asked[1].body["messages"]), "the history is whole: the call has its answer"


async def test_stop_while_the_model_is_asked_ends_the_request(scene: Scene) -> None:
    """B193: the busy flag does not stay. B227: no sign of work stays behind."""
    await scene.hears("poem", first=Reply(text="Roses", hold="poem"))
    await scene.hears("hello", first=Reply(text="Hello."))
    await scene.say("a poem")
    await scene.model.wait_request(1)
    await scene.type("/stop", "Stopped.")
    assert (await scene.model.wait_ended(1)).how == "left"
    await scene.type("hello", "Hello.")
    assert "Roses" not in " ".join(await scene.there())


async def test_stop_ends_what_is_queued_too_and_says_how_much(scene: Scene) -> None:
    """B192: one /stop ends the running and the queued; a second one has nothing to stop, and nothing starts after it."""
    await scene.hears("poem", first=Reply(text="Roses", hold="poem"))
    await scene.say("a poem")
    await scene.model.wait_request(1)
    await scene.say("second")
    await scene.say("third")
    await scene.type("/stop", "Stopped, with 2 queued messages.")
    await scene.type("/stop", "There is nothing to stop.")
    await scene.hears("hello", first=Reply(text="Hello."))
    await scene.type("hello", "Hello.")
    assert len(await scene.model.requests()) == 2


async def test_stop_ends_every_card_of_an_answer(scene: Scene) -> None:
    pair = Reply(calls=tuple(Call(name="add_note", arguments={"text": text}) for text in ("milk", "bread")))
    await scene.hears("both", first=pair)
    await scene.say("note both")
    bread, milk = await scene.card(containing="bread"), await scene.card(containing="milk")
    await scene.type("/stop", "Stopped.")
    await scene.settled(milk, "Cancelled")
    await scene.settled(bread, "Cancelled")
    assert "decided before" in await scene.press_old(bread, row=1)


async def test_stop_between_two_tries_of_the_model_is_seen(scene: Scene) -> None:
    """B189: what is waiting to ask a model again can be stopped, and nothing internal is shown."""
    await scene.hears("poem", first=Reply(status=429, retry_after=20))
    await scene.say("a poem")
    await scene.model.wait_ended(1)
    await scene.type("/stop", "Stopped.")
    await scene.hears("hello", first=Reply(text="Hello."))
    await scene.type("hello", "Hello.")
    assert await scene.asked() == ["a poem", "hello"]


async def test_stop_with_nothing_open_says_so(scene: Scene) -> None:
    await scene.type("/stop", "There is nothing to stop.")


async def test_new_forgets_what_was_said_and_ends_what_is_open(scene: Scene) -> None:
    await scene.hears("Rex", first=Reply(text="Nice dog."))
    await scene.hears("milk", first=NOTE)
    await scene.hears("called", first=Reply(text="I do not know."))
    await scene.type("My dog is Rex", "Nice dog.")
    await scene.say("note milk")
    card = await scene.card()
    await scene.type("/new", "A fresh start: I have forgotten what was said here. What was open is stopped (1).")
    await scene.settled(card, "Cancelled")
    await scene.type("What is it called?", "I do not know.")
    told = str((await scene.model.wait_request(3)).body["messages"])
    assert "Rex" not in told
    assert "milk" not in told


async def test_a_stopped_chat_does_not_stop_another(scene: Scene) -> None:
    bob, chat = await scene.someone("Bob")
    await scene.hears("milk", first=NOTE, then="Noted.")
    await scene.say("note milk")
    await scene.say("note milk", chat=chat, who=bob)
    mine, his = await scene.card(), await scene.card(chat=chat)
    await scene.type("/stop", "Stopped.")
    await scene.settled(mine, "Cancelled")
    await scene.press(his, "Approve", who=bob, chat=chat)
    await scene.reads("Noted.", chat=chat)
