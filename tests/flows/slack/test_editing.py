"""A call that waits is changed in a form: it is another call from then on, and what was shown last is what runs."""

from tests.fakes.model.script import Call, Reply, calls
from tests.fakes.slack.answers import Shown
from tests.flows.slack.acting import code
from tests.flows.slack.scene import Scene
from tests.flows.slack.ways import in_the_long_play

pytestmark = in_the_long_play

CHANGED = "Changed. It waits for a decision about what the card says now."
UNKNOWN = "This button is not known (any more). Nothing was done."


async def waiting(scene: Scene) -> Shown:
    await scene.hears("note", first=calls("add_note", {"text": "milk"}), then="Noted.")
    await scene.hears("list", first=calls("list_notes"), then="{result}")
    await scene.asks("note milk")
    return await scene.card()


async def edited(scene: Scene, card: Shown, text: str) -> Shown:
    """The card after its call was changed."""
    await scene.slack.submit(await scene.form(card, "Edit"), {"text": text})
    await scene.aside(CHANGED)
    return await scene.reads("Edited by Guest", message=card.id)


async def test_what_runs_is_the_edited_call(scene: Scene) -> None:
    card = await waiting(scene)
    form = await scene.form(card, "Edit")
    assert (form.title, form.submit) == ("Edit this call", "Save")
    assert [(field.label, field.value) for field in form.fields] == [("text", "milk")]
    await scene.slack.submit(form, {"text": "oat milk"})
    await scene.slack.wait_no_view(scene.person)
    await scene.aside(CHANGED)
    now = await scene.reads("Edited by Guest: this is not what the model asked for.", message=card.id)
    assert "oat milk" in now.text
    assert now.buttons == card.buttons
    assert not set(sum(now.data, ())) & set(sum(card.data, ()))
    assert code(now) != code(card)
    assert await scene.press(now, "Approve") == "Approved."
    settled = await scene.settled(card, "Approved by Guest")
    assert "Edited by Guest" in settled.text
    await scene.reads("Noted.")
    await scene.asks("list them")
    assert "oat milk" in (await scene.reads("1 note")).text


async def test_the_buttons_and_the_code_of_the_card_before_do_nothing(scene: Scene) -> None:
    """Whoever still looks at the earlier card cannot approve what they do not see."""
    card = await waiting(scene)
    assert card.thread is not None
    now = await edited(scene, card, "oat milk")
    for column in range(4):
        assert await scene.press_old(card, column=column) == UNKNOWN
    await scene.say(f"!approve {code(card)}", thread=card.thread)
    await scene.reads(f"Say which one: {code(now)}. Nothing changed.", thread=card.thread)
    await scene.say("approve", thread=card.thread)
    await scene.reads("This was edited: read its card and write the code that stands there.", thread=card.thread)
    await scene.say(f"approve {code(now)}", thread=card.thread)
    await scene.settled(card, "Approved by Guest")


async def test_a_value_that_cannot_be_used_keeps_the_form_open_with_the_reason_at_its_field(scene: Scene) -> None:
    card = await waiting(scene)
    form = await scene.form(card, "Edit")
    submitted = await scene.slack.submit(form, {"text": " "})
    answer = await scene.slack.wait_answer(submitted, expect_notice=False)
    assert list(answer.errors) == ["text"]
    again = await scene.slack.wait_view(scene.person, error="String should match")
    assert (await scene.now(card)).text == card.text
    await scene.slack.submit(again, {"text": "oat milk"})
    now = await scene.reads("Edited by Guest", message=card.id)
    await scene.press(now, "Reject")
    await scene.settled(card, "Rejected by Guest")


async def test_a_value_of_another_kind_or_for_nothing_that_is_there_is_told_at_its_field(scene: Scene) -> None:
    await scene.hears("note", first=calls("add_note", {"text": "milk"}), then="{result}")
    await scene.asks("note milk")
    await scene.press(await scene.card(), "Approve")
    number = int((await scene.reads("Note ")).text.split()[1])
    await scene.hears("drop", first=calls("delete_note", {"note_id": number}), then="{result}")
    await scene.asks("drop it")
    card = await scene.card(containing="Delete the note")
    form = await scene.form(card, "Edit")
    for value, mistake in (("seven", "This is not a value of its kind"), ("999999", "There is no note 999999 here")):
        submitted = await scene.slack.submit(form, {"note_id": value})
        answer = await scene.slack.wait_answer(submitted, expect_notice=False)
        assert answer.errors["note_id"].startswith(mistake)
        form = await scene.slack.wait_view(scene.person, error=mistake)
    await scene.slack.close_view(form)
    assert (await scene.now(card)).edits == 0
    await scene.press(card, "Reject")
    await scene.settled(card, "Rejected by Guest")


async def test_an_admin_edits_what_somebody_else_asked_for(scene: Scene) -> None:
    """The card names the editor; the one who asked sees that, and decides."""
    card = await waiting(scene)
    form = await scene.form(card, "Edit", who=scene.admin)
    await scene.slack.submit(form, {"text": "soy milk"})
    now = await scene.reads("Edited by Ann", message=card.id)
    assert await scene.press(now, "Approve") == "Approved."
    await scene.settled(card, "Approved by Guest")


async def test_a_form_that_changes_nothing_leaves_the_card_as_it_was(scene: Scene) -> None:
    card = await waiting(scene)
    await scene.slack.submit(await scene.form(card, "Edit"))
    await scene.aside("Nothing was changed. It still waits for a decision.")
    assert (await scene.now(card)).edits == 0
    await scene.press(card, "Approve")
    await scene.settled(card, "Approved by Guest")


async def test_of_two_forms_of_one_call_the_later_one_is_told(scene: Scene) -> None:
    card = await waiting(scene)
    slower = await scene.form(card, "Edit", who=scene.admin)
    now = await edited(scene, card, "oat milk")
    await scene.slack.submit(slower, {"text": "soy milk"})
    await scene.aside("This is no longer known, or was changed since. Nothing was done.", who=scene.admin)
    assert (await scene.now(card)).text == now.text
    third = await scene.form(now, "Reject with reason", who=scene.admin)
    await scene.press(now, "Approve")
    await scene.slack.submit(third, {"Reason": "never"})
    await scene.aside("Too late: Approved by Guest", who=scene.admin)
    assert "never" not in (await scene.settled(card, "Approved by Guest")).text


async def test_what_was_edited_since_is_not_approved_by_the_common_button_of_before(scene: Scene) -> None:
    pair = Reply(calls=tuple(Call(name="add_note", arguments={"text": text}) for text in ("milk", "bread")))
    await scene.hears("both", first=pair, then="{result}")
    await scene.asks("note both")
    last = await scene.card(containing="bread")
    first = await scene.card(containing="milk")
    now = await edited(scene, first, "oat milk")
    assert await scene.press_old(last, row=1) == "Approved: 1."
    await scene.settled(last, "Approved by Guest")
    assert (await scene.now(first)).buttons == now.buttons
    await scene.press(now, "Reject")
    await scene.settled(first, "Rejected by Guest")


async def test_a_form_that_slack_would_not_open_any_more_is_told_aside(scene: Scene) -> None:
    card = await waiting(scene)
    await scene.slack.fail("views.open", error="expired_trigger_id")
    assert await scene.press(card, "Edit") == "The form did not open in time. Press the button again."
    form = await scene.form(card, "Edit")
    await scene.slack.close_view(form)
    await scene.press(card, "Reject")
    await scene.settled(card, "Rejected by Guest")
