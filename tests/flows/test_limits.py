"""What one message may take of the service's time: only work counts, not waiting for people."""

from tests.fakes.model.script import Reply, Rule
from tests.flows.stage import Stage

SHORT = {"limits": {"run_time": "2s"}}


async def test_a_run_that_takes_too_long_is_stopped_in_words(stage: Stage) -> None:
    await stage.model.rules(Rule(contains="poem", reply=Reply(text="Roses", hold="never")))
    async with stage.service(extra=SHORT):
        await stage.say("a poem")
        told = await stage.reads("This took longer than is allowed for one message, so I stopped.")
        assert "Ask again in smaller steps." in told.text


async def test_the_time_that_people_take_does_not_count(stage: Stage) -> None:
    async with stage.service(model_url="", extra=SHORT, expire_after="6s", remind_before="3s"):
        await stage.say("add a note: milk")
        card = await stage.card()
        reminder = await stage.card(after=card.id)  # three seconds later: more than a run may work
        await stage.press(reminder, "Approve")
        await stage.settled(card, "Approved by Ann")
        await stage.reads("was added", after=reminder.id)
