"""Commands: the same for everyone who has the right, typed aside with a slash or into a message behind an exclamation mark."""

import pytest

from tests.fakes.model.script import calls
from tests.fakes.slack.answers import Shown
from tests.flows.slack.acting import code
from tests.flows.slack.scene import Scene
from tests.flows.slack.stage import Stage
from tests.flows.slack.ways import by_socket, in_the_long_play

NOTE = calls("add_note", {"text": "milk"})


@in_the_long_play
async def test_a_slash_command_is_answered_aside_in_its_acknowledgement(scene: Scene) -> None:
    """B017: at once, once, and for nobody else to see."""
    pressed = await scene.slack.command(scene.chat, scene.person, "/askfirst", "status")
    answer = await scene.slack.wait_answer(pressed, expect_notice=False)
    assert answer.body["response_type"] == "ephemeral"
    assert "Persona: Guide" in answer.text
    await scene.house.at_rest()
    assert await scene.there() == []
    seen = await scene.slack.messages(scene.chat, ephemeral_for=scene.admin)
    assert not [each for each in seen if each.by_bot]
    assert not await scene.slack.calls("chat.postMessage", chat=scene.chat)


@in_the_long_play
@pytest.mark.parametrize("typed", ["help", "", "HELP"])
async def test_the_help_says_how_a_command_is_typed_where_one_is(scene: Scene, typed: str) -> None:
    aside = await scene.command(typed)
    assert "/askfirst stop" in aside
    assert "!" not in aside
    assert "/askfirst grant" not in aside
    assert "/askfirst grant <persona or *>" in await scene.command(typed, who=scene.admin)
    thread = await scene.asks("!help")
    shown = (await scene.reads("!stop", thread=thread)).text
    assert "/askfirst" not in shown
    assert "!grant" not in shown
    assert "!grant" in (await scene.order("!help", "!stop")).text


@in_the_long_play
async def test_what_is_no_command_is_said_to_be_none(scene: Scene) -> None:
    assert await scene.command("sing along") == "There is no command /askfirst sing. /askfirst help lists them all."
    pressed = await scene.slack.command(scene.chat, scene.person, "/other", "help")
    answer = await scene.slack.wait_answer(pressed, expect_notice=False)
    assert (answer.acked, answer.body or "", answer.text) == (True, "", "")


@in_the_long_play
async def test_the_same_person_has_the_same_right_either_way(scene: Scene) -> None:
    """B130: one check for a slash-command, a message in a thread and one to us alone. B127: a name is no right. B129:
    who may chat may not therefore rule."""
    refused = "is for admins. Nothing was done."
    wish = "grant reader add_note deny"
    assert refused in await scene.command(wish)
    thread = await scene.asks(f"!{wish}")
    await scene.aside(refused, thread=thread)
    await scene.tells(f"!{wish}", refused)
    double = await scene.joins("Ann")
    assert refused in await scene.command(wish, who=double)
    granted = "Denied: reader builtin/add_note deny."
    assert await scene.command(wish, who=scene.admin) == granted
    said = await scene.say(f"!{wish}", who=scene.admin, thread=thread)
    await scene.aside(granted, who=scene.admin, thread=thread, after=said)
    await scene.order(f"!{wish}", granted)
    revoked = "reader may no longer use builtin/add_note."
    assert revoked in await scene.command("revoke reader add_note", who=scene.admin)


@in_the_long_play
async def test_a_grant_typed_aside_is_previewed_aside_and_its_answer_takes_the_place(scene: Scene) -> None:
    for label, answer in (
        ("Cancel", "Not granted: reader builtin/add_note allow until"),
        ("Confirm", "Granted: reader builtin/add_note allow until"),
    ):
        preview = await granting(scene)
        assert preview.buttons == (("Confirm", "Cancel"),)
        pressed = await scene.slack.press(scene.chat, scene.admin, preview.id, label)
        await scene.slack.wait_answer(pressed, expect_notice=False)
        shown = await scene.slack.wait_message(scene.chat, containing=answer, to=scene.admin, message=preview.id)
        assert not shown.buttons
        again = await scene.slack.press(scene.chat, scene.admin, preview.id, data=preview.data[0][0], forged=True)
        assert "not known (any more)" in await scene.told(again)
    assert "a test" in await scene.command("grants reader", who=scene.admin)
    assert await scene.there() == []
    await scene.command("revoke reader add_note", who=scene.admin)


@in_the_long_play
async def test_what_admins_are_told_in_a_thread_nobody_else_sees_nor_answers(scene: Scene) -> None:
    thread = await scene.asks("!grant reader add_note for 2h", who=scene.admin)
    preview = await scene.aside("Confirm?", who=scene.admin, thread=thread)
    assert await scene.there() == []
    pressed = await scene.slack.press(scene.chat, scene.person, preview.id, data=preview.data[0][0], forged=True)
    await scene.slack.wait_answer(pressed, expect_notice=False)
    await scene.aside("Only an admin may confirm this. Nothing changed.")
    await scene.slack.press(scene.chat, scene.admin, preview.id, "Cancel")
    await scene.aside("Not granted: reader builtin/add_note allow until", who=scene.admin, message=preview.id)
    for command, told in (("skill list", "note-keeping"), ("status", "store: connected"), ("audit", "granted")):
        said = await scene.say(f"!{command}", who=scene.admin, thread=thread)
        await scene.aside(told, who=scene.admin, thread=thread, after=said)
    assert await scene.there() == []
    await scene.say("!skill use note-keeping", who=scene.admin, thread=thread)
    await scene.reads("goes by note-keeping here", thread=thread)
    await scene.say("!skill list", thread=thread)
    await scene.reads("note-keeping", thread=thread)


@in_the_long_play
async def test_quotes_of_a_phone_are_plain_ones_in_a_command(scene: Scene) -> None:
    """B168: in talk they stay as they are."""
    wish = "grant guide list_notes because “let’s see”"
    assert await scene.command(wish, who=scene.admin) == "Granted: guide builtin/list_notes allow."
    await scene.order(f"!{wish}", "Granted: guide builtin/list_notes allow")
    await scene.order("!grants builtin/list_notes", '"let\'s see"')
    await scene.model.otherwise("Yes.")
    await scene.tells("“let’s see” —dry", "Yes.")
    assert await scene.model_read(1) == "“let’s see” —dry"


@in_the_long_play
async def test_what_waits_in_the_threads_of_a_channel_is_listed_and_decided_aside(scene: Scene) -> None:
    """Where a slash-command is typed is in no thread, and the sessions are in them."""
    await scene.hears("milk", first=NOTE, then="Noted.")
    thread = await scene.asks("note milk")
    card = await scene.card(thread=thread)
    assert code(card) in await scene.command("pending")
    assert f"Waiting approvals: {code(card)}" in await scene.command("status")
    for name in ("stop", "new"):
        assert f"each thread is a session of its own: write !{name} there" in await scene.command(name)
    bob = await scene.joins("Bob")
    assert "You may not decide this" in await scene.command(f"approve {code(card)}", who=bob)
    assert await scene.command(f"approve {code(card)}") == "Approved."
    await scene.settled(card, "Approved by Guest")
    await scene.reads("Noted.", thread=thread)


@in_the_long_play
async def test_a_slash_command_to_us_alone_is_about_that_chat(scene: Scene) -> None:
    await scene.hears("milk", first=NOTE)
    await scene.say("note milk", chat=scene.direct)
    card = await scene.card(chat=scene.direct)
    assert await scene.command("stop", chat=scene.direct) == "Stopped."
    await scene.settled(card, "Cancelled", chat=scene.direct)


@in_the_long_play
async def test_strangers_are_told_aside_and_wait_outside(scene: Scene) -> None:
    """B131: the check comes before anything is stored or stopped. B133: told once, then silence."""
    gus = await scene.slack.user("Gus", is_restricted=True)
    await scene.slack.join(scene.chat, gus)
    await scene.hears("milk", first=NOTE, then="Noted.")
    thread = await scene.asks("note milk")
    card = await scene.card(thread=thread)
    told = await scene.command("status secret", who=gus)
    assert told == "This is a private assistant. Its admins have been told that you knocked."
    knock = await scene.slack.wait_message(scene.desk, button="Let in", containing=f"“Gus” (team:{gus.id})")
    for words in ("!stop", f"!reject {code(card)} secret", "reject", "secret"):
        await scene.say(words, thread=thread, who=gus)
    await scene.asks("!stop", who=gus)
    for words in ("status", "stop"):
        pressed = await scene.slack.command(scene.chat, gus, "/askfirst", words)
        assert (await scene.slack.wait_answer(pressed, expect_notice=False)).text == ""
    assert "You may not decide this" in await scene.press(card, "Reject", who=gus)
    assert await scene.press(card, "Approve") == "Approved."
    await scene.settled(card, "Approved by Guest")
    await scene.reads("Noted.", thread=thread)
    assert not any("private assistant" in text for text in await scene.there())
    knocks = [text for text in await scene.there(chat=scene.desk) if gus.id in text]
    assert len(knocks) == 1
    assert "was let in by Ann" in await scene.press(knock, "Let in", who=scene.admin, chat=scene.desk)
    assert "Persona: Guide" in await scene.command("status", who=gus)
    assert "secret" not in scene.house.log.read_text()
    assert len(await scene.heard()) == 2


@by_socket
async def test_disconnected_and_connected_a_channel_starts_afresh(stage: Stage) -> None:
    async with stage.service(model_url="", admins=(*stage.plan.admins, "web:admin")) as house:
        thread = await stage.asks("add a note: milk")
        card = await stage.card(thread=thread)
        told = await stage.command("disconnect team")
        assert told.startswith("team is disconnected; 1 session ended with it.")
        await stage.settled(card, "Cancelled")
        await house.until(lambda parts: parts["channel:team"]["state"] == "disconnected")
        await stage.slack.wait_sockets(0)
        await stage.say("are you there?", thread=thread)
        await house.web_says("/connect team")
        await stage.slack.wait_sockets(1)
        await house.ready()
        assert "There is no session." in await stage.command("sessions team")
        assert (await stage.press_old(card)).startswith("Too late: Cancelled")
        fresh = await stage.asks("add a note: bread")
        card = await stage.card(thread=fresh)
        await house.web_says(f"/approve {code(card)}")
        await stage.settled(card, "Approved by admin")
        await stage.reads("was added", thread=fresh)


async def granting(scene: Scene) -> Shown:
    """What an admin is shown aside who would let somebody write."""
    told = await scene.command("grant reader add_note for 2h because a test", who=scene.admin)
    assert told.startswith("reader may then write with builtin/add_note, asking each time, until ")
    return await scene.slack.wait_message(scene.chat, button="Confirm", to=scene.admin)
