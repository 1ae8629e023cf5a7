"""Grants act at once, also on what is in flight; commands are the same for everyone who has the right."""

import pytest

from tests.fakes.model.script import calls
from tests.flows.scene import Scene

pytestmark = pytest.mark.asyncio(loop_scope="session")

SAVE = calls("save_persona_memory", {"text": "likes tea"})


def offered(body: dict[str, object]) -> set[str]:
    tools = body.get("tools", [])
    assert isinstance(tools, list)
    return {tool["function"]["name"] for tool in tools}


async def confirm(scene: Scene, label: str = "Confirm") -> str:
    preview = await scene.telegram.wait_message(scene.desk, button=label)
    said = await scene.press(preview, label, who=scene.admin, chat=scene.desk)
    await scene.settled(preview, said, chat=scene.desk)
    return said


async def test_revoked_while_waiting_closes_the_card_and_tells_the_model(scene: Scene) -> None:
    """B172: a grant that is taken back acts at once, and the tool is not offered any more."""
    await scene.hears("tea", first=SAVE, then="Then not.")
    await scene.say("remember tea")
    card = await scene.card()
    try:
        await scene.order("/revoke * save_persona_memory", "* may no longer use builtin/save_persona_memory.")
        await scene.settled(card, "Cancelled")
        await scene.reads("revoked by", message=card.id)
        await scene.reads("Then not.")
        second = await scene.model.wait_request(2)
        assert "revoked by" in str(second.body["messages"][-1])
        assert "save_persona_memory" not in offered(second.body)
        await scene.hears("again", first=SAVE, then="Not possible.")
        await scene.type("again", "Not possible.")
        assert "save_persona_memory is not granted here" in await scene.model_read(4)
        await scene.type("/tools", "list_notes")
        assert "save_persona_memory" not in (await scene.there())[-1]
    finally:
        await scene.order("/grant * save_persona_memory because back again", "may then write with")
        await confirm(scene)


async def test_a_grant_that_widens_a_write_is_previewed_and_may_be_dropped(scene: Scene) -> None:
    await scene.order(
        "/grant reader add_note", "reader may then write with builtin/add_note, asking each time. Confirm?"
    )
    preview = await scene.telegram.wait_message(scene.desk, button="Confirm")
    assert "Only an admin may confirm this" in await scene.press_old(preview)
    assert await confirm(scene, "Cancel") == "Not granted: reader builtin/add_note allow."
    assert "not known (any more)" in await scene.press_old(preview, who=scene.admin, chat=scene.desk)
    await scene.order("/grants reader", "add_note: no")


async def test_a_preview_that_is_confirmed_grants_what_it_said(scene: Scene) -> None:
    await scene.type("/persona reader", "From the next message on Reader talks here.")
    await scene.hears("memo", first=calls("add_note", {"text": "memo"}), then="Done.")
    await scene.type("memo", "Done.")
    assert "not granted" in await scene.model_read(2)
    await scene.order("/grant reader add_note for 2h because a test", "Confirm?")
    assert "Granted: reader builtin/add_note allow until" in await confirm(scene)
    rows = await scene.order("/grants reader", "reader builtin/add_note")
    assert "a test" in rows.text
    await scene.hears("second", first=calls("add_note", {"text": "memo"}), then="Noted.")
    await scene.say("second memo")
    card = await scene.card()
    await scene.press(card, "Approve")
    await scene.order("/revoke reader add_note", "reader may no longer use builtin/add_note.")


async def test_auto_runs_without_asking_and_only_for_a_while(scene: Scene) -> None:
    await scene.order("/grant guide add_persona_knowledge auto", "auto needs an end of at most 24 hours")
    await scene.order("/grant guide add_persona_knowledge auto for 2d", "auto needs an end of at most 24 hours")
    await scene.order("/grant guide delete_note auto for 1h", "auto is never given for what deletes")
    await scene.order("/grant guide add_persona_knowledge auto for 1h", "without asking")
    await confirm(scene)
    await scene.hears(
        "learn", first=calls("add_persona_knowledge", {"title": "Tea", "text": "Green."}), then="{result}"
    )
    await scene.type("learn", "Tea")
    assert not any(each.buttons for each in await scene.telegram.messages(scene.chat))
    await scene.order("/revoke guide add_persona_knowledge", "may no longer use")


async def test_ask_lets_even_a_reader_ask(scene: Scene) -> None:
    await scene.order("/grant guide list_persona_documents ask", "Granted: guide builtin/list_persona_documents ask.")
    await scene.hears("documents", first=calls("list_persona_documents"), then="{result}")
    await scene.say("documents")
    card = await scene.card(containing="list_persona_documents")
    await scene.order("/grant guide list_persona_documents deny", "deny")
    await scene.settled(card, "Cancelled")
    await scene.order("/grant guide list_persona_documents", "Granted: guide builtin/list_persona_documents allow.")


async def test_two_must_agree_and_the_second_counts(scene: Scene) -> None:
    """One who presses twice is still one; the other may decide from a chat of their own."""
    await scene.hears("cake", first=calls("save_persona_memory", {"text": "likes cake"}), then="Remembered.")
    await scene.say("remember cake")
    card = await scene.card()
    assert await scene.press(card, "Approve") == "Noted: 1 of 2 have agreed."
    card = await scene.card(containing="1 of 2 have agreed: Guest.")
    assert (await scene.press(card, "Approve")).startswith("You agreed before")
    code = card.text.rpartition("/approve ")[2].split()[0]
    await scene.order(f"/approve {code}", "Approved.")
    await scene.settled(card, "Approved by Guest and Ann")
    await scene.reads("Remembered.")


async def test_names_complete_by_their_beginning(scene: Scene) -> None:
    await scene.order("/grants gui", "guide may")
    await scene.order("/revoke rea list_n", "reader may no longer use builtin/list_notes.")
    await scene.order("/grant rea builtin/list_n", "Granted: reader builtin/list_notes allow.")
    told = await scene.order("/revoke guide delete", "delete may be")
    assert "delete_note" in told.text or "builtin/" in told.text
    await scene.order("/revoke nobody add_note", "There is no persona called nobody.")
    await scene.order("/grant guide", "Write it as: /grant PERSONA CAPABILITY")
    await scene.order("/grant guide add_note for ever", "ever is not a length of time")
    await scene.order("/revoke guide", "Write it as: /revoke PERSONA CAPABILITY")


async def test_quotes_of_a_phone_are_plain_ones_in_a_command(scene: Scene) -> None:
    """B168: what a phone's keyboard makes of quotes does not break a command; in talk it stays as it is."""
    await scene.order("/grant guide list_notes because “let’s see”", "Granted: guide builtin/list_notes allow")
    await scene.order("/grants builtin/list_notes", '"let\'s see"')
    await scene.model.otherwise("Yes.")
    await scene.type("“let’s see” —dry", "Yes.")
    assert await scene.model_read(1) == "“let’s see” —dry"


async def test_admin_commands_are_for_admins_wherever_they_are_typed(scene: Scene) -> None:
    """B129: who may chat may not therefore rule. B126: by the sender, not by the chat."""
    for command in ("grants", "grant guide add_note auto for 1h", "revoke guide add_note", "sessions", "disconnect tg"):
        await scene.type(f"/{command}", "is for admins. Nothing was done.")
    group = await scene.group("Kitchen", scene.admin)
    said = await scene.say("/grants", chat=group)
    await scene.reads("is for admins", chat=group, after=said)
    said = await scene.say("/sessions", chat=group, who=scene.admin)
    await scene.reads("tg:", chat=group, after=said)
    shown = (await scene.type("/help", "/stop")).text
    assert "/grant" not in shown
    assert "/grant" in (await scene.order("/help", "/stop")).text


async def test_a_name_is_no_right(scene: Scene) -> None:
    """B127: somebody with the admin's name and user name is nobody in particular."""
    double = await scene.telegram.user("Ann", username=scene.admin.username)
    chat = await scene.telegram.private_chat(double)
    said = await scene.say("/grants", chat=chat, who=double)
    await scene.reads("is for admins", chat=chat, after=said)


async def test_an_unknown_command_is_told_in_private_and_passed_over_in_a_group(scene: Scene) -> None:
    """B166: in a group it may be meant for another bot."""
    await scene.type("/frobnicate now", "There is no command /frobnicate. /help lists them all.")
    group = await scene.group("Kitchen")
    await scene.say("/frobnicate", chat=group)
    said = await scene.say("/help", chat=group)
    await scene.reads("/stop", chat=group, after=said)
    assert not any("frobnicate" in text for text in await scene.there(chat=group))


async def test_what_the_commands_show(scene: Scene) -> None:
    await scene.type("/start", "I am Guide.")
    status = await scene.type("/status", "Persona: Guide")
    for line in ("Model: main", "Run: idle", "Waiting approvals: none"):
        assert line in status.text
    tools = (await scene.type("/tools", "Guide may use:")).text
    assert "add_note: asks first, by default" in tools
    assert "current_time: runs at once, by default" in tools
    dry = (await scene.type("/why add_note for reader", "reader may not use builtin/add_note.")).text
    assert "if it were granted, reader could use it when asked each time" in dry
    assert "To change that: /grant reader builtin/add_note" in dry
    await scene.type("/why nothing", "To change that: /tools")
    await scene.type("/pending", "Nothing waits for a decision.")
    await scene.type("/approve", "Nothing waits for a decision here.")
    await scene.type("/reject ZZZZ no", "Nothing waits under ZZZZ. Nothing changed.")
    await scene.hears("milk", first=calls("add_note", {"text": "milk"}))
    await scene.say("milk")
    card = await scene.card()
    code = card.text.rpartition("/approve ")[2].split()[0]
    assert f"Waiting approvals: {code}" in (await scene.type("/status", "waiting_approval")).text
    await scene.type("/pending", f"{code}: Add the note: “milk”")
    admin = (await scene.order("/status", "channel:tg: connected")).text
    assert "store: connected" in admin
    assert code in (await scene.order("/pending", code)).text
    await scene.order("/sessions", f"tg:{scene.chat.id}: guide")
    await scene.order("/sessions web", "There is no session.")
    await scene.say("/stop")
    await scene.settled(card, "Cancelled")


async def test_the_persona_of_a_chat_is_shown_and_switched(scene: Scene) -> None:
    await scene.model.otherwise("Yes.")
    await scene.type("/persona", "You are talking to guide. Personas: boss, guide, reader.")
    await scene.type("/persona nobody", "There is no persona called nobody.")
    await scene.type("/persona rea", "From the next message on Reader talks here.")
    await scene.type("Hello", "Yes.")
    asked = await scene.model.wait_request(1)
    assert "You are Reader" in asked.body["messages"][0]["content"]
    assert "add_note" not in offered(asked.body)
    assert "list_notes" in offered(asked.body)
