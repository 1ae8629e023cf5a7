"""Who may decide, how, and how often: told on the fake Slack, by socket and by HTTP."""

import asyncio

import pytest

from tests.fakes.model.script import Reply, calls
from tests.fakes.slack.answers import Person, Place, Shown
from tests.flows.slack.acting import code
from tests.flows.slack.scene import Scene
from tests.flows.slack.ways import in_the_long_play

pytestmark = in_the_long_play


def note(text: str) -> Reply:
    return calls("add_note", {"text": text})


async def waiting(scene: Scene, *, then: str = "Noted.") -> tuple[str, Shown]:
    """A thread in which a note waits for a decision, and its card."""
    await scene.hears("milk", first=note("milk"), then=then)
    thread = await scene.asks("note milk")
    return thread, await scene.card(thread=thread)


async def test_an_approved_write_is_done_and_reported(scene: Scene) -> None:
    """B120: the card says so only when the decision is stored; the run goes on."""
    thread, card = await waiting(scene)
    for part in ("Guide asks first", "add_note (built in)", "text: milk", "May decide: Guest", "or type !approve "):
        assert part in card.text
    assert card.buttons == (("Approve", "Reject", "Reject with reason", "Edit"),)
    assert await scene.press(card, "Approve") == "Approved."
    await scene.settled(card, "Approved by Guest")
    await scene.reads("Noted.", thread=thread)
    assert "was added" in await scene.model_read(2)


async def test_a_button_rejects_and_the_model_is_told_and_goes_on(scene: Scene) -> None:
    """B153: a rejection wakes the waiting run as an approval does. B146: it says not to ask again."""
    thread, card = await waiting(scene, then="Then not.")
    assert await scene.press(card, "Reject") == "Rejected. It will not be done."
    await scene.settled(card, "Rejected by Guest")
    await scene.reads("Then not.", thread=thread)
    told = await scene.model_read(2)
    assert "Rejected by Guest. It was not executed." in told
    assert "Do not ask for the same call again" in told


async def test_a_reason_is_given_in_a_form_and_reaches_card_and_model(scene: Scene) -> None:
    thread, card = await waiting(scene, then="I see.")
    form = await scene.form(card, "Reject with reason")
    assert form.title == "Reject"
    assert "milk" in form.text
    await scene.slack.submit(form, {"Reason": "we have enough"})
    await scene.aside("Rejected. It will not be done.")
    settled = await scene.settled(card, "Rejected by Guest")
    assert settled.text.endswith(": we have enough")
    assert "(we have enough)" in await scene.model_read(2)
    await scene.reads("I see.", thread=thread)


@pytest.mark.parametrize(
    "typed", ["approve", "Approve {code}", "!approve {lower}", "@Guide !approve", "!approve {code}"]
)
async def test_approval_may_be_typed_in_the_thread(scene: Scene, typed: str) -> None:
    """B167: a slash-command cannot be typed in a thread, so a command is a word there."""
    thread, card = await waiting(scene)
    await scene.say(typed.format(code=code(card), lower=code(card).lower()), thread=thread)
    await scene.reads("Approved.", thread=thread)
    await scene.settled(card, "Approved by Guest")
    await scene.reads("Noted.", thread=thread)


@pytest.mark.parametrize("typed", ["reject {code} we have enough", "!reject we have enough", "reject we have enough"])
async def test_a_typed_reason_reaches_card_and_model(scene: Scene, typed: str) -> None:
    thread, card = await waiting(scene, then="I see.")
    await scene.say(typed.format(code=code(card)), thread=thread)
    await scene.settled(card, "Rejected by Guest")
    await scene.reads("we have enough", message=card.id)
    assert "(we have enough)" in await scene.model_read(2)
    await scene.reads("I see.", thread=thread)


async def test_second_press_changes_nothing_and_is_told_who_was_first(scene: Scene) -> None:
    """B143: the first stored decision wins and the second presser is told."""
    thread, card = await waiting(scene)
    await scene.press(card, "Approve")
    settled = await scene.settled(card, "Approved by Guest")
    for column in range(4):
        told = await scene.press_old(card, column=column)
        assert told.startswith("Too late: Approved by Guest")
        assert told.endswith("Nothing changed.")
    await scene.reads("Noted.", thread=thread)
    assert (await scene.now(card)).text == settled.text
    assert len(await scene.model.requests()) == 2


async def test_of_two_people_who_press_at_once_one_decides(scene: Scene) -> None:
    """B143: approve and reject at the same moment have one effect."""
    thread, card = await waiting(scene, then="So be it.")
    answers = await asyncio.gather(scene.press_old(card), scene.press_old(card, column=1, who=scene.admin))
    late = [answer for answer in answers if answer.startswith("Too late")]
    assert len(late) == 1, answers
    settled = await scene.settled(card, " by ")
    assert ("Approved by Guest" in settled.text) == (answers[0] == "Approved.")
    assert ("Rejected by Ann" in settled.text) == (answers[1].startswith("Rejected"))
    await scene.reads("So be it.", thread=thread)


async def test_the_wrong_person_is_told_aside_and_the_card_stays(scene: Scene) -> None:
    """B122: a press by somebody without the right changes nothing, and others may still decide."""
    bob = await scene.joins("Bob")
    thread, card = await waiting(scene)
    for label in ("Approve", "Reject with reason", "Edit"):
        told = await scene.press(card, label, who=bob)
        assert told.startswith("You may not decide this; Guest (who asked) or an admin may.")
        assert told.endswith("Nothing changed.")
    shown = await scene.now(card)
    assert (shown.text, shown.buttons, shown.edits) == (card.text, card.buttons, 0)
    seen = await scene.slack.messages(scene.chat, ephemeral_for=scene.person)
    assert not any("may not decide" in each.text for each in seen)
    await scene.say(f"!approve {code(card)}", thread=thread, who=bob)
    await scene.reads("You may not decide this", thread=thread)
    assert await scene.press(card, "Approve", who=scene.admin) == "Approved."
    await scene.settled(card, "Approved by Ann")


async def test_a_stolen_token_in_another_chat_is_no_key(scene: Scene) -> None:
    """A token is an address; whoever brings it must have the right."""
    _thread, card = await waiting(scene)
    bob = await scene.slack.user("Bob")
    chat = await scene.slack.private_chat(bob)
    help_ = await scene.tells("!help", "!stop", chat=chat, who=bob)
    pressed = await scene.slack.press(chat, bob, help_.id, data=card.data[0][0], forged=True)
    assert "You may not decide this" in await scene.told(pressed)
    await scene.tells(f"!approve {code(card)}", "You may not decide this", chat=chat, who=bob)
    await scene.press(card, "Approve")
    await scene.settled(card, "Approved by Guest")


@pytest.mark.parametrize("data", ["x", "A" * 22, "Ä" * 32 + "x", "'; DROP TABLE buttons; --", "v" * 2000])
async def test_a_made_up_token_does_nothing(scene: Scene, data: str) -> None:
    _thread, card = await waiting(scene)
    pressed = await scene.slack.press(scene.chat, scene.person, card.id, data=data, forged=True)
    assert await scene.told(pressed) == "This button is not known (any more). Nothing was done."
    await scene.press(card, "Reject")
    await scene.settled(card, "Rejected by Guest")


async def test_a_decision_made_elsewhere_closes_every_card_and_answers_where_it_was_asked(scene: Scene) -> None:
    """B142: the chat's buttons go whatever path decided. B148: the result comes to the thread that asked."""
    thread, card = await waiting(scene)
    await scene.hears("hello", first=Reply(text="Hello."))
    await scene.say("hello", thread=thread)
    again = await scene.card(after=card.id)
    assert "Your message comes next" in again.text
    await scene.order(f"!approve {code(card)}", "Approved.")
    for shown in (card, again):
        await scene.settled(shown, "Approved by Ann")
    await scene.reads("Noted.", thread=thread)
    await scene.reads("Hello.", thread=thread)


async def test_one_who_asked_and_is_a_guest_or_from_outside_may_not_decide(scene: Scene) -> None:
    """Asking is enough to decide for full members alone. Someone of elsewhere is known by workspace and user."""
    away = await scene.slack.workspace("Elsewhere", installed=False)
    shared = await scene.slack.channel("shared", members=[scene.admin], workspaces=[scene.slack.team_id, away])
    guest = await scene.slack.user("Gus", is_restricted=True)
    stranger = await scene.slack.user("Sly", workspace=away)
    await scene.hears("milk", first=note("milk"), then="Noted.")
    for who, person in ((guest, f"team:{guest.id}"), (stranger, f"team:{away.team_id}/{stranger.id}")):
        await scene.slack.join(shared, who)
        await let_in(scene, who, shared, person)
        thread = await scene.asks("note milk", chat=shared, who=who)
        card = await scene.card(chat=shared, thread=thread)
        assert "You may not decide this" in await scene.press(card, "Approve", who=who, chat=shared)
        assert await scene.press(card, "Approve", who=scene.admin, chat=shared) == "Approved."
        await scene.settled(card, "Approved by Ann", chat=shared)
        await scene.reads("Noted.", chat=shared, thread=thread)


async def let_in(scene: Scene, who: Person, chat: Place, person: str) -> None:
    """They knock, and an admin lets them in."""
    await scene.asks("hello?", chat=chat, who=who)
    knock = await scene.slack.wait_message(scene.desk, button="Let in", containing=f"({person})")
    await scene.press(knock, "Let in", who=scene.admin, chat=scene.desk)
    await scene.reads("You have been let in.", chat=chat)
