"""A write stops and asks; what was shown is what runs, once."""

import pytest

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
