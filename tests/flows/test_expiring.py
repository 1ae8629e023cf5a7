"""What nobody decides in time ends, with a reminder before it, and is never taken for a yes or a no."""

from tests.fakes.model.script import Reply, Rule, calls
from tests.flows.stage import Stage

NOTE = calls("add_note", {"text": "milk"})


async def test_nobody_decides(stage: Stage) -> None:
    """B136: a late press says "expired" and never shows "Approved". B144, B145: the model is told that it is neither a
    yes nor a no; the very same call is not asked again."""
    await stage.model.rules(
        Rule(contains="milk", reply=NOTE),
        Rule(contains="milk", after="results", result="Nobody decided in time", reply=NOTE),
        Rule(
            contains="milk", after="results", result="found no decision before", reply=Reply(text="It ran out of time.")
        ),
    )
    async with stage.service(expire_after="4s", remind_before="2s"):
        await stage.say("note milk")
        card = await stage.card()
        reminder = await stage.card(after=card.id)
        assert reminder.text.startswith("Still waiting, and it ends ")
        for shown in (card, reminder):
            settled = await stage.settled(shown, "Expired")
            assert "nobody decided, nothing was done" in settled.text
        late = await stage.press_old(card)
        assert late.startswith("Too late: Expired")
        await stage.reads("It ran out of time.")
        told = await stage.model_read(2)
        assert "That is not consent" in told
        assert "ejected" not in told
        assert not any("Approved" in text for text in await stage.there())
        edits = await stage.telegram.calls("editMessageText", chat=stage.chat)
        assert not any("Approved" in str(call.args) for call in edits)
        cards = [text for text in await stage.there() if "asks first" in text]
        assert len(cards) == 2
