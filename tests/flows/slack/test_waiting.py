"""What waits for a decision: it expires, is stopped, outlives restarts, and keeps nobody else waiting."""

import pytest

from tests.fakes.model.script import Reply, Rule, calls
from tests.flows.hearing import PATIENCE_S
from tests.flows.slack.acting import code
from tests.flows.slack.scene import Scene
from tests.flows.slack.stage import Stage
from tests.flows.slack.ways import by_http, by_socket, in_the_long_play

NOTE = calls("add_note", {"text": "milk"})
WORKER = "You are the notes_worker of Boss"


async def test_nobody_decides(stage: Stage) -> None:
    """B136: a late press says "expired" and never shows "Approved"."""
    async with stage.service(model_url="", expire_after="4s", remind_before="1s"):
        thread = await stage.asks("add a note: milk")
        card = await stage.card(thread=thread)
        reminder = await stage.card(after=card.id)
        assert reminder.text.startswith("Still waiting, and it ends ")
        assert reminder.thread == thread
        for shown in (card, reminder):
            settled = await stage.settled(shown, "Expired")
            assert "nobody decided, nothing was done" in settled.text
        for column in range(4):
            assert (await stage.press_old(card, column=column)).startswith("Too late: Expired")
        await stage.reads("Nobody decided in time", thread=thread)
        assert not any("Approved" in text for text in await stage.there())
        edits = await stage.slack.calls("chat.update")
        assert not any("Approved" in str(call.args) for call in edits)


@by_http
async def test_what_waits_outlives_a_restart_and_is_decided_once(stage: Stage) -> None:
    """B135: token and run live in the database. B043: that we are part of a thread does too."""
    bob = await stage.joins("Bob")
    await stage.hears("milk", first=NOTE, then="Milk is noted.")
    await stage.hears("bread", first=calls("add_note", {"text": "bread"}), then="Bread is noted.")
    await stage.hears("there", first=Reply(text="Yes."))
    async with stage.service():
        first, second = await stage.asks("note milk"), await stage.asks("note bread", who=bob)
        card, bread = await stage.card(thread=first), await stage.card(thread=second)
    failed = await stage.slack.press(stage.chat, stage.person, card.id, "Approve")
    assert (await stage.slack.wait_answer(failed)).failed
    async with stage.service():
        assert await stage.press(card, "Approve") == "Approved."
        await stage.settled(card, "Approved by Ann")
        await stage.reads("Milk is noted.", thread=first)
        assert (await stage.press_old(card)).startswith("Too late: Approved by Ann")
        await stage.say("still there?", thread=first, who=bob)
        await stage.reads("Yes.", thread=first)
        await stage.slack.submit(await stage.form(bread, "Edit", who=bob), {"text": "rye bread"})
        now = await stage.reads("Edited by Bob", message=bread.id)
        await stage.say("!stop", thread=second, who=bob)
        await stage.settled(now, "Cancelled")
        assert "not known" in await stage.press_old(bread, who=bob)
        assert (await stage.press_old(now, who=bob)).startswith("Too late: Cancelled")
    assert len(await stage.model.requests()) == 4


@in_the_long_play
@pytest.mark.parametrize("typed", ["!stop", "@Guide stop", "@Guide !stop", "@Guide, STOP"])
async def test_stop_ends_what_waits_and_the_thread_is_free(scene: Scene, typed: str) -> None:
    """B167: a text form works in threads. B139: the card closes. B193: the next message runs."""
    await scene.hears("milk", first=NOTE)
    await scene.hears("hello", first=Reply(text="Hello."))
    thread = await scene.asks("note milk")
    card = await scene.card(thread=thread)
    await scene.say("and behind it", thread=thread)
    await scene.reads("Your message comes next", after=card.id)
    await scene.say(typed, thread=thread)
    await scene.reads("Stopped, with 1 queued message.", thread=thread)
    await scene.settled(card, "Cancelled")
    assert (await scene.press_old(card)).startswith("Too late: Cancelled")
    await scene.say("hello", thread=thread)
    await scene.reads("Hello.", thread=thread)
    assert len(await scene.model.requests()) == 2


@in_the_long_play
@pytest.mark.parametrize("typed", ["!nice work", "stop", "please !stop", "@Guide stop that noise"])
async def test_ordinary_words_stop_nothing(scene: Scene, typed: str) -> None:
    """B167: "!nice work" is talk."""
    await scene.hears("milk", first=NOTE, then="Noted.")
    await scene.hears("", first=Reply(text="Heard."))
    thread = await scene.asks("note milk")
    card = await scene.card(thread=thread)
    await scene.say(typed, thread=thread)
    again = await scene.card(after=card.id, containing="Your message comes next")
    await scene.press(again, "Approve")
    await scene.reads("Heard.", thread=thread)


@in_the_long_play
async def test_a_waiting_thread_keeps_neither_another_thread_nor_a_direct_chat_waiting(scene: Scene) -> None:
    """B184: its own next message is queued with a sign, and is answered after the decision."""
    await scene.hears("milk", first=NOTE, then="Noted.")
    await scene.hears("hello", first=Reply(text="Hello."))
    waiting = await scene.asks("note milk")
    card = await scene.card(thread=waiting)
    other = await scene.asks("hello there")
    await scene.reads("Hello.", thread=other)
    await scene.tells("hello", "Hello.")
    await scene.tells("note milk", "Guide asks first")
    second = await scene.card(chat=scene.direct)
    assert code(second) != code(card)
    await scene.say("hello again", thread=waiting)
    await scene.card(after=card.id, containing="Your message comes next")
    await scene.press(card, "Approve")
    noted = await scene.reads("Noted.", thread=waiting)
    await scene.reads("Hello.", thread=waiting, after=noted.id)
    assert (await scene.now(second, chat=scene.direct)).buttons
    assert await scene.press(second, "Approve", chat=scene.direct) == "Approved."
    await scene.reads("Noted.", chat=scene.direct)


@in_the_long_play
async def test_a_workers_write_suspends_the_whole_run_and_resumes_it(scene: Scene) -> None:
    thread = await scene.asks("!persona boss")
    await scene.reads("Boss talks here", thread=thread)
    await scene.model.rules(
        Rule(contains="milk", system=WORKER, reply=NOTE),
        Rule(contains="milk", system=WORKER, after="results", reply=Reply(text="The worker noted it.")),
    )
    order = calls("delegate_to_notes_worker", {"task": "Note: milk"})
    await scene.hears("milk", first=order, then="Boss says: done.")
    await scene.say("please note milk", thread=thread)
    card = await scene.card(thread=thread)
    assert "Boss asks first" in card.text
    assert await scene.press(card, "Approve") == "Approved."
    await scene.reads("Boss says: done.", thread=thread)
    assert [each.text for each in await scene.ours(after=card.id)] == ["Boss says: done."]


@by_socket
async def test_a_run_that_is_stopped_in_its_middle_by_sigterm_goes_on_after_it(stage: Stage) -> None:
    """B197: a clean stop leaves nothing half done; the next start takes it up, and no sign of it stays."""
    await stage.model.rules(
        Rule(contains="poem", times=1, reply=Reply(text="lost", hold="poem")),
        Rule(contains="poem", reply=Reply(text="Roses are red.")),
    )
    async with stage.service():
        thread = await stage.asks("a poem")
        await stage.slack.wait_calls("assistant.threads.setStatus", timeout=PATIENCE_S)
        await stage.model.wait_request(1, PATIENCE_S)
    assert (await stage.model.wait_ended(1)).how == "left"
    async with stage.service():
        await stage.reads("Roses are red.", thread=thread)
    assert await stage.there() == ["Roses are red."]
    assert (await stage.slack.statuses(stage.chat))[thread]["status"] == ""


@by_socket
async def test_a_workers_call_that_waits_outlives_a_restart(stage: Stage) -> None:
    """B150: the frame of the worker is on the run's log like everything else. Where so configured no mention is needed."""
    async with stage.service(model_url="", mode="supervisor", slack={"listen": "all"}):
        thread = await stage.say("add a note: milk")
        card = await stage.card(thread=thread)
    async with stage.service():
        assert await stage.press(card, "Approve") == "Approved."
        await stage.settled(card, "Approved by Ann")
        await stage.reads("was added", thread=thread)
