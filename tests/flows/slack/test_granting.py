"""Grants on Slack: they act at once, also on what waits for them, and some writes need more than one to agree."""

from tests.fakes.model.script import calls
from tests.flows.slack.scene import Scene
from tests.flows.slack.ways import by_socket, in_the_long_play

pytestmark = in_the_long_play

LEARN = calls("add_persona_knowledge", {"title": "Tea", "text": "Green."})


async def test_granted_used_and_revoked_while_it_waits(scene: Scene) -> None:
    """B172: what is taken back is neither done nor offered any more."""
    await granted(scene, "reader add_persona_knowledge")
    await scene.tells("!persona reader", "Reader talks here")
    await scene.hears("tea", first=LEARN, then="{result}")
    await scene.say("learn about tea", chat=scene.direct)
    card = await scene.card(chat=scene.direct)
    assert await scene.press(card, "Approve", chat=scene.direct) == "Approved."
    await scene.reads("Tea", chat=scene.direct, after=card.id)
    await scene.hears("again", first=LEARN, then="Then not.")
    await scene.say("again", chat=scene.direct)
    waiting = await scene.card(chat=scene.direct, after=card.id)
    await scene.order("!revoke reader add_persona_knowledge", "may no longer use")
    settled = await scene.settled(waiting, "Cancelled", chat=scene.direct)
    assert "revoked by" in settled.text
    await scene.reads("Then not.", chat=scene.direct)
    assert (await scene.press_old(waiting, chat=scene.direct)).startswith("Too late: Cancelled")
    assert "revoked by" in await scene.model_read(4)
    last = (await scene.model.requests())[-1].body
    assert "add_persona_knowledge" not in {tool["function"]["name"] for tool in last["tools"]}


@by_socket
async def test_a_grant_that_ends_while_a_card_waits_closes_it(scene: Scene) -> None:
    """The card says why, and a late press is told so."""
    await granted(scene, "reader add_persona_knowledge for 5s because moving day")
    await scene.tells("!persona reader", "Reader talks here")
    await scene.hears("tea", first=LEARN, then="Then not.")
    await scene.say("learn about tea", chat=scene.direct)
    card = await scene.card(chat=scene.direct)
    settled = await scene.settled(card, "Cancelled", chat=scene.direct)
    assert "ended" in settled.text
    await scene.reads("Then not.", chat=scene.direct)
    assert (await scene.press_old(card, chat=scene.direct)).startswith("Too late: Cancelled")


async def test_two_must_agree_and_the_second_counts(scene: Scene) -> None:
    """One who presses twice is still one."""
    await scene.hears("cake", first=calls("save_persona_memory", {"text": "likes cake"}), then="Remembered.")
    thread = await scene.asks("remember cake")
    card = await scene.card(thread=thread)
    assert await scene.press(card, "Approve") == "Noted: 1 of 2 have agreed."
    card = await scene.card(thread=thread, containing="1 of 2 have agreed: Guest.")
    assert (await scene.press(card, "Approve")).startswith("You agreed before")
    assert await scene.press(card, "Approve", who=scene.admin) == "Approved."
    await scene.settled(card, "Approved by Guest and Ann")
    await scene.reads("Remembered.", thread=thread)


async def granted(scene: Scene, what: str) -> None:
    """An admin grants it, having seen what it would give."""
    preview = await scene.order(f"!grant {what}", "may then write with")
    await scene.slack.press(scene.desk, scene.admin, preview.id, "Confirm")
    await scene.reads("Granted: ", chat=scene.desk, message=preview.id)
