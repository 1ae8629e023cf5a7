"""Who may decide, how, and how often: told on the fake Slack, by socket and by HTTP."""

from tests.fakes.model.script import Reply, calls
from tests.flows.slack.scene import Scene
from tests.flows.slack.ways import in_the_long_play

pytestmark = in_the_long_play


def note(text: str) -> Reply:
    return calls("add_note", {"text": text})


async def test_an_approved_write_is_done_and_reported(scene: Scene) -> None:
    await scene.hears("plants", first=note("water the plants"), then="It is noted.")
    thread = await scene.asks("please note: water the plants")
    card = await scene.card(thread=thread)
    assert "water the plants" in card.text
    assert await scene.press(card, "Approve") == "Approved."
    await scene.settled(card, "Approved by Guest")
    await scene.reads("It is noted.", thread=thread)
    assert "was added" in await scene.model_read(2)
