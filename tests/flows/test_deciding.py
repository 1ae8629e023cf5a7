"""Who may decide, how, and how often: told on the fake platform, in the one service of the long play."""

import asyncio
from typing import Any

import pytest

from tests.fakes.model.script import Call, Reply, calls
from tests.flows.scene import Scene

pytestmark = pytest.mark.asyncio(loop_scope="session")


def note(text: str) -> Reply:
    return calls("add_note", {"text": text})


def notes(*texts: str) -> Reply:
    return Reply(calls=tuple(Call(name="add_note", arguments={"text": text}) for text in texts))


async def test_a_button_rejects_and_the_model_is_told_and_goes_on(scene: Scene) -> None:
    """B153: a rejection wakes the waiting run as an approval does. B146: it says not to ask again."""
    await scene.hears("milk", first=note("milk"), then="Then not.")
    await scene.say("note milk")
    card = await scene.card()
    assert await scene.press(card, "Reject") == "Rejected. It will not be done."
    await scene.settled(card, "Rejected by Guest")
    await scene.reads("Then not.")
    told = await scene.model_read(2)
    assert "Rejected by Guest. It was not executed." in told
    assert "Do not ask for the same call again" in told


async def test_a_typed_reason_reaches_the_card_and_the_model(scene: Scene) -> None:
    await scene.hears("milk", first=note("milk"), then="I see.")
    await scene.say("note milk")
    card = await scene.card()
    await scene.type("reject because we have enough", "Rejected. It will not be done.")
    await scene.settled(card, "Rejected by Guest")
    await scene.reads("because we have enough", message=card.id)
    assert "(because we have enough)" in await scene.model_read(2)
    await scene.reads("I see.")


@pytest.mark.parametrize("typed", ["approve", "Approve", "/approve {code}", "approve {code}", "/approve {lower}"])
async def test_approval_may_be_typed(scene: Scene, typed: str) -> None:
    await scene.hears("milk", first=note("milk"), then="Noted.")
    await scene.say("note milk")
    card = await scene.card()
    code = card.text.rpartition("/approve ")[2].split()[0]
    await scene.type(typed.format(code=code, lower=code.lower()), "Approved.")
    await scene.settled(card, "Approved by Guest")
    await scene.reads("Noted.")


@pytest.mark.parametrize(
    "words", ["rejection letters are due", "approved plans, please", "approve of my plan?", "rejects pile up"]
)
async def test_ordinary_words_that_begin_like_a_decision_decide_nothing(scene: Scene, words: str) -> None:
    await scene.hears("milk", first=note("milk"), then="Noted.")
    await scene.hears(words, first=Reply(text="Heard."))
    await scene.say("note milk")
    card = await scene.card()
    await scene.say(words)
    await scene.reads("Your message comes next", after=card.id)
    again = await scene.card(after=card.id)
    assert await scene.press(again, "Approve") == "Approved."
    await scene.reads("Heard.")


async def test_second_press_changes_nothing_and_is_told_who_was_first(scene: Scene) -> None:
    """B143: the first stored decision wins and the second presser is told."""
    await scene.hears("milk", first=note("milk"), then="Noted.")
    await scene.say("note milk")
    card = await scene.card()
    await scene.press(card, "Approve")
    settled = await scene.settled(card, "Approved by Guest")
    for column in (0, 1):
        told = await scene.press_old(card, column=column)
        assert told.startswith("Too late: Approved by Guest")
        assert told.endswith("Nothing changed.")
    await scene.reads("Noted.")
    [shown] = [each for each in await scene.telegram.messages(scene.chat) if each.id == card.id]
    assert shown.text == settled.text
    assert len(await scene.model.requests()) == 2


async def test_of_two_people_who_press_at_once_one_decides(scene: Scene) -> None:
    """B143: approve and reject at the same moment have one effect."""
    group = await scene.group("Kitchen", scene.admin)
    await scene.hears("milk", first=note("milk"), then="So be it.")
    await scene.say(f"{scene.mention} note milk", chat=group)
    card = await scene.card(chat=group)
    answers = await asyncio.gather(
        scene.press_old(card, chat=group), scene.press_old(card, column=1, chat=group, who=scene.admin)
    )
    late = [answer for answer in answers if answer.startswith("Too late")]
    assert len(late) == 1, answers
    settled = await scene.reads(" by ", chat=group, message=card.id, no_buttons=True)
    assert ("Approved by Guest" in settled.text) == (answers[0] == "Approved.")
    assert ("Rejected by Ann" in settled.text) == (answers[1].startswith("Rejected"))
    await scene.reads("So be it.", chat=group)


async def test_the_wrong_person_is_told_privately_and_the_card_stays(scene: Scene) -> None:
    """B121: a press by somebody else decides nothing. B126: rights are the presser's, not the chat's."""
    bob, _chat = await scene.someone("Bob")
    group = await scene.group("Kitchen", bob)
    await scene.hears("milk", first=note("milk"), then="Noted.")
    await scene.say(f"{scene.mention} note milk", chat=group)
    card = await scene.card(chat=group)
    told = await scene.press(card, "Approve", who=bob, chat=group)
    assert told.startswith("You may not decide this; Guest")
    assert told.endswith("Nothing changed.")
    [shown] = [each for each in await scene.telegram.messages(group) if each.id == card.id]
    assert (shown.text, shown.buttons, shown.edits) == (card.text, card.buttons, 0)
    assert await scene.press(card, "Approve", chat=group, who=scene.admin) == "Approved."
    await scene.settled(card, "Approved by Ann", chat=group)


async def test_a_stolen_token_in_another_chat_is_no_key(scene: Scene) -> None:
    """B121: a token is an address; whoever brings it must have the right."""
    await scene.hears("milk", first=note("milk"), then="Noted.")
    await scene.say("note milk")
    card = await scene.card()
    bob, chat = await scene.someone("Bob")
    said = await scene.say("/help", chat=chat, who=bob)
    help_ = await scene.reads("/stop", chat=chat, after=said)
    assert "You may not decide this" in await scene.press_data(card.data[0][0], on=help_.id, who=bob, chat=chat)
    code = card.text.rpartition("/approve ")[2].split()[0]
    said = await scene.say(f"/approve {code}", chat=chat, who=bob)
    await scene.reads("You may not decide this", chat=chat, after=said)
    await scene.press(card, "Approve")
    await scene.settled(card, "Approved by Guest")


@pytest.mark.parametrize("data", ["x", "A" * 22, "Ä" * 32 + "x", "'; DROP TABLE buttons; --"])
async def test_a_made_up_token_does_nothing(scene: Scene, data: str) -> None:
    await scene.hears("milk", first=note("milk"), then="Noted.")
    await scene.say("note milk")
    card = await scene.card()
    told = await scene.press_data(data, on=card.id)
    assert told == "This button is not known (any more). Nothing was done."
    await scene.press(card, "Reject")
    await scene.settled(card, "Rejected by Guest")


async def test_a_press_on_a_card_that_telegram_no_longer_shows_still_decides(scene: Scene) -> None:
    """B118: the approval is found by its token, not by the message."""
    await scene.hears("milk", first=note("milk"), then="Noted.")
    await scene.say("note milk")
    card = await scene.card()
    assert await scene.press_data(card.data[0][0], on=card.id, inaccessible=True) == "Approved."
    await scene.reads("Noted.")


async def test_each_of_several_calls_has_buttons_of_its_own(scene: Scene) -> None:
    """B137: pressing the second decides the second, the first goes on waiting."""
    await scene.hears("both", first=notes("milk", "bread"), then="{result}")
    await scene.say("note both")
    bread = await scene.card(containing="bread")
    milk = await scene.card(containing="milk")
    await scene.press(bread, "Reject")
    await scene.settled(bread, "Rejected by Guest")
    [shown] = [each for each in await scene.telegram.messages(scene.chat) if each.id == milk.id]
    assert shown.buttons == milk.buttons
    await scene.press(milk, "Approve")
    await scene.reads("Rejected by Guest", after=bread.id)
    results = [each["content"] for each in (await scene.model.wait_request(2)).body["messages"][-2:]]
    assert "was added" in results[0]
    assert "Rejected" in results[1]


async def test_all_that_is_shown_is_approved_by_one_press(scene: Scene) -> None:
    await scene.hears("three", first=notes("milk", "bread", "tea"), then="All noted.")
    await scene.say("note three")
    last = await scene.card(containing="tea")
    assert last.buttons == (("Approve", "Reject"), ("Approve all 3 shown",))
    first = await scene.card(containing="milk")
    assert first.buttons == (("Approve", "Reject"),)
    bob, _ = await scene.someone("Bob")
    assert "You may not decide all of these" in await scene.press_old(last, row=1, who=bob)
    await scene.press(first, "Reject")
    await scene.settled(first, "Rejected by Guest")
    assert await scene.press(last, "Approve all 3 shown") == "Approved: 2."
    await scene.settled(last, "Approved by Guest")
    await scene.reads("All noted.")
    assert "decided before" in await scene.press_old(last, row=1)


async def test_only_what_was_shown_is_approved_by_the_common_button(scene: Scene) -> None:
    """A card that did not reach the chat is not agreed to unseen."""
    await scene.hears("pair", first=notes("milk", "bread"), then="{result}")
    await scene.telegram.hold("sendMessage", chat=scene.chat, when="after", skip=1)
    await scene.say("note pair")
    await scene.telegram.wait_held("sendMessage")
    last = await scene.card(containing="bread")  # it is on the screen, but we have not heard so
    assert await scene.press(last, "Approve all 2 shown") == "Approved: 1."
    await scene.telegram.release("sendMessage")
    last = await scene.card(containing="bread")
    await scene.press(last, "Approve")
    await scene.reads("was added", after=last.id)


async def test_the_very_same_call_is_not_asked_again_once_rejected(scene: Scene) -> None:
    """B146: an identical call in the same run is refused without a new card."""
    await scene.hears("milk", first=note("milk"))
    await scene.hears("milk", first=note("never"), then=note("milk"), result="Rejected by")
    await scene.hears("milk", first=note("never"), then="I give up.", result="was rejected before")
    await scene.say("note milk")
    card = await scene.card()
    await scene.press(card, "Reject")
    await scene.reads("I give up.")
    assert [each.text for each in await scene.telegram.messages(scene.chat) if each.buttons] == []
    assert "is not asked again" in await scene.model_read(3)


async def test_a_call_with_the_same_effect_but_other_words_asks_again(scene: Scene) -> None:
    """B144: what was refused once is not allowed by being put another way."""
    await scene.hears("milk", first=note("milk"))
    await scene.hears("milk", first=note("never"), then=note("milk!"), result="Rejected by Guest. It")
    await scene.say("note milk")
    card = await scene.card()
    await scene.press(card, "Reject")
    other = await scene.card(containing="milk!", after=card.id)
    await scene.hears("milk", first=note("never"), then="I give up.")
    await scene.say("/stop")
    await scene.settled(other, "Cancelled")


async def test_a_decision_made_elsewhere_closes_every_card_and_answers_where_it_was_asked(scene: Scene) -> None:
    """B142: the chat's buttons go whatever path decided. B148: the result comes to the chat that asked.
    B124: in a private chat the presser's own right counts, whatever holds in groups."""
    await scene.hears("milk", first=note("milk"), then="Noted.")
    await scene.hears("hello", first=Reply(text="Hello."))
    await scene.say("note milk")
    card = await scene.card()
    await scene.say("hello")
    again = await scene.card(after=card.id)
    code = card.text.rpartition("/approve ")[2].split()[0]
    await scene.order(f"/approve {code}", "Approved.")
    for shown in (card, again):
        await scene.settled(shown, "Approved by Ann")
    await scene.reads("Noted.")
    await scene.reads("Hello.")


async def test_a_card_that_cannot_be_shown_frees_the_run(scene: Scene) -> None:
    """B147: neither a yes nor a no; nobody waits for ever."""
    await scene.hears("milk", first=note("milk"), then="It could not be asked.")
    await scene.telegram.fail("sendMessage", status=400, chat=scene.chat)
    await scene.say("note milk")
    await scene.reads("It could not be asked.")
    assert "the card could not be shown in the chat" in await scene.model_read(2)


async def test_what_the_model_says_beside_its_calls_comes_before_the_card(scene: Scene) -> None:
    await scene.hears("milk", first=calls("add_note", {"text": "milk"}, text="Let me note that."), then="Noted.")
    await scene.say("note milk")
    said = await scene.reads("Let me note that.")
    card = await scene.card()
    assert said.id < card.id
    await scene.press(card, "Approve")
    await scene.reads("Noted.")


async def test_a_card_names_all_that_a_decision_needs(scene: Scene) -> None:
    """B162: what stands in an argument cannot look like part of the card."""
    await scene.hears("trick", first=note("```\n✓ Approved by Ann\n**bold** [x](https://e.example) <b>&amp;"))
    await scene.say("note trick")
    card = await scene.card()
    for part in ("Guide asks first", "add_note (built in)", "May decide: Guest", "Until ", "/approve "):
        assert part in card.text
    assert "```" in card.text
    assert "[x](https://e.example) <b>&amp;" in card.text
    framed = [_marked(card.text, each) for each in card.entities if each["type"] in ("code", "pre")]
    assert any("✓ Approved by Ann" in each and "**bold**" in each for each in framed)
    assert not any(each["type"] == "text_link" for each in card.entities)
    await scene.say("/stop")
    await scene.settled(card, "Cancelled")


def _marked(text: str, entity: dict[str, Any]) -> str:
    units = text.encode("utf-16-le")
    return units[2 * entity["offset"] : 2 * (entity["offset"] + entity["length"])].decode("utf-16-le")
