"""A write stops and asks; what was shown is what runs, once. Each of these on both databases."""

import asyncio

from tests.fakes.model.script import Reply, Rule, calls
from tests.flows.stage import Stage

ADD = calls("add_note", {"text": "water the plants"})


async def test_an_approved_write_is_done_and_reported(stage: Stage, database: str) -> None:
    await stage.model.answer(ADD, "It is noted.")
    async with stage.service(database=database):
        await stage.say("Please note: water the plants")
        card = await stage.card()
        assert "water the plants" in card.text
        assert await stage.press(card, "Approve") == "Approved."
        settled = await stage.reads("Approved by Ann", message=card.id)
        assert not settled.buttons
        await stage.reads("It is noted.")
    asked = await stage.model.requests()
    assert "Note 1 was added" in str(asked[1].body["messages"][-1])


async def test_what_waits_outlives_restarts_and_is_decided_once(stage: Stage, database: str) -> None:
    """B119, B135: tokens and runs live in the database. B150: a decision of before a restart is not lost."""
    bob = await stage.telegram.user("Bob")
    chat = await stage.telegram.private_chat(bob)
    async with stage.service(database=database, model_url=""):
        await stage.say("add a note: milk")
        await stage.say("add a note: bread; add a note: tea", chat=chat, who=bob)
        card, bread = await stage.card(), await stage.card(chat=chat, containing="bread")
        tea = await stage.card(chat=chat, containing="tea")
        await stage.press(bread, "Approve", who=bob, chat=chat)
        await stage.settled(bread, "Approved by Bob", chat=chat)
    async with stage.service():
        answers = await asyncio.gather(stage.press_old(card), stage.press_old(card), stage.press_old(card, column=1))
        assert sum(each.startswith("Too late") for each in answers) == 2, answers
        await stage.settled(card, "ed by Ann")
        await stage.press(tea, "Reject", who=bob, chat=chat)
        await stage.settled(tea, "Rejected by Bob", chat=chat)
        await stage.reads("add_note", chat=chat, after=tea.id)
        said = await stage.say("show my notes", chat=chat, who=bob)
        notes = await stage.reads("bread", chat=chat, after=said)
        assert "1 note" in notes.text
        assert "tea" not in notes.text
        said = await stage.say("add a note: never")
        never = await stage.card(after=said)
        await stage.say("/stop")
        await stage.settled(never, "Cancelled")
    async with stage.service():
        assert (await stage.press_old(never)).startswith("Too late: Cancelled")
        said = await stage.say("show my notes")
        assert "never" not in (await stage.reads("note", after=said)).text


async def test_order_within_a_chat_and_none_between_chats(stage: Stage, database: str) -> None:
    """B004, B186, B194: on both ways to dispatch."""
    bob = await stage.telegram.user("Bob")
    chat = await stage.telegram.private_chat(bob)
    await stage.model.rules(
        Rule(contains="slow", reply=Reply(text="At last.", hold="slow")),
        *(Rule(contains=f"number {n}", reply=Reply(text=f"This is {n}.")) for n in range(5)),
        Rule(contains="quick", reply=Reply(text="At once.")),
    )
    async with stage.service(database=database):
        await stage.say("slow")
        await stage.model.wait_request(1, 40)
        for number in range(5):
            await stage.say(f"number {number}")
        await stage.say("quick", chat=chat, who=bob)
        await stage.reads("At once.", chat=chat)
        assert not any("This is" in text for text in await stage.there())
        await stage.model.release("slow")
        await stage.reads("This is 4.")
        answers = [text for text in await stage.there() if "thinking" not in text]
        assert answers == ["At last.", *(f"This is {n}." for n in range(5))]


async def test_a_run_that_is_stopped_in_its_middle_by_sigterm_goes_on_after_it(stage: Stage, database: str) -> None:
    """B197, B198: a clean stop leaves nothing half done; the next start takes it up."""
    await stage.model.rules(
        Rule(contains="poem", times=1, reply=Reply(text="lost", hold="poem")),
        Rule(contains="poem", reply=Reply(text="Roses are red.")),
        Rule(contains="next", reply=Reply(text="Violets are blue.")),
    )
    async with stage.service(database=database):
        await stage.say("a poem")
        await stage.model.wait_request(1, 40)
        await stage.say("next")
        await stage.telegram.wait_confirmed()
    assert (await stage.model.wait_ended(1)).how == "left"
    async with stage.service():
        await stage.reads("Violets are blue.")
    assert [text for text in await stage.there() if "…" not in text] == ["Roses are red.", "Violets are blue."]


async def test_a_workers_call_that_waits_outlives_a_restart(stage: Stage) -> None:
    """B150: the frame of the worker is on the run's log like everything else."""
    async with stage.service(model_url="", mode="supervisor"):
        await stage.say("add a note: milk")
        card = await stage.card()
    async with stage.service():
        assert await stage.press(card, "Approve") == "Approved."
        await stage.settled(card, "Approved by Ann")
        await stage.reads("was added", after=card.id)
        said = await stage.say("show my notes")
        await stage.reads("milk", after=said)
