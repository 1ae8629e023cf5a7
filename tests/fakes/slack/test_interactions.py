"""Presses, commands and modals, and the answers to them."""

import asyncio
from typing import Any

import pytest

from tests.fakes.slack.answers import Person, Place
from tests.fakes.slack.client import Slack
from tests.fakes.slack.line import ControlError, Waited
from tests.fakes.slack.raw import Api, Line, socket
from tests.fakes.slack.samples import CARD, actions, button, modal, plain, section, text_input

Json = dict[str, Any]


async def room_with_card(slack: Slack, api: Api) -> tuple[Person, Place, str]:
    """Someone in a channel with a card."""
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    posted = await api.ok("chat.postMessage", {"channel": room.id, "text": "x", "blocks": CARD})
    return ada, room, str(posted["ts"])


async def payload(line: Line, kind: str, answer: object = None) -> Json:
    """The next interaction of this kind, answered."""
    while True:
        frame = await line.envelope(ack=False)
        fits = frame["type"] != "events_api" and frame["payload"].get("type", "command") == kind
        await line.ack(frame, answer if fits else None)
        if fits:
            found: Json = frame["payload"]
            return found


async def test_press_tells_what_was_pressed_where_and_by_whom(slack: Slack, api: Api) -> None:
    ada, room, card = await room_with_card(slack, api)
    async with socket(api) as line:
        pressed = await slack.press(room, ada, card, "Reject")
        told = await payload(line, "block_actions")
    [action] = told["actions"]
    assert (action["action_id"], action["value"], action["type"], action["style"]) == (
        "reject",
        "no",
        "button",
        "danger",
    )
    assert action["block_id"] == told["message"]["blocks"][1]["block_id"]
    assert (told["user"]["id"], told["user"]["team_id"]) == (ada.id, slack.team_id)
    assert (told["channel"], told["message"]["ts"]) == ({"id": room.id, "name": "general"}, card)
    assert told["container"] == {"type": "message", "message_ts": card, "channel_id": room.id, "is_ephemeral": False}
    assert (told["trigger_id"], told["response_url"]) == (pressed.trigger_id, pressed.response_url)
    assert (await slack.wait_answer(pressed, expect_notice=False)).acked


async def test_press_on_an_ephemeral_message_shows_no_message(slack: Slack, api: Api) -> None:
    ada, bo = await slack.user("Ada"), await slack.user("Bo")
    room = await slack.channel("general", members=[ada, bo])
    hidden = {"channel": room.id, "user": ada.id, "text": "x", "blocks": CARD}
    ts = (await api.ok("chat.postEphemeral", hidden))["message_ts"]
    async with socket(api) as line:
        await slack.press(room, ada, ts, "Approve")
        told = await payload(line, "block_actions")
        with pytest.raises(ControlError):
            await slack.press(room, bo, ts, "Approve")
    assert (told["container"]["is_ephemeral"], "message" in told) == (True, False)


async def test_only_what_is_there_can_be_pressed_unless_forged(slack: Slack, api: Api) -> None:
    ada, room, card = await room_with_card(slack, api)
    eve = await slack.user("Eve")
    async with socket(api) as line:
        with pytest.raises(ControlError, match=r'there is \[\["Approve", "Reject"\]\]'):
            await slack.press(room, ada, card, "Maybe")
        with pytest.raises(ControlError, match="does not see"):
            await slack.press(room, eve, card, "Approve")
        await slack.press(room, eve, card, data="made up", forged=True)
        told = await payload(line, "block_actions")
    assert (told["actions"][0]["value"], told["user"]["id"]) == ("made up", eve.id)


async def test_lists_are_chosen_from(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    options = [{"text": plain(name), "value": name.lower()} for name in ("One", "Two")]
    menu = {"type": "static_select", "action_id": "pick", "placeholder": plain("Pick"), "options": options}
    posted = await api.ok("chat.postMessage", {"channel": room.id, "text": "x", "blocks": [actions(menu)]})
    async with socket(api) as line:
        await slack.press(room, ada, posted["ts"], "Pick", option="Two")
        told = await payload(line, "block_actions")
    assert told["actions"][0]["selected_option"] == options[1]


async def test_notice_is_what_only_the_presser_sees(slack: Slack, api: Api) -> None:
    ada, room, card = await room_with_card(slack, api)
    async with socket(api) as line:
        pressed = await slack.press(room, ada, card, "Approve")
        await payload(line, "block_actions")
        await api.ok("chat.postEphemeral", {"channel": room.id, "user": ada.id, "text": "Thanks"})
        assert (await slack.wait_answer(pressed, expect_notice=True)).text == "Thanks"
        second = await slack.press(room, ada, card, "Approve")
        await payload(line, "block_actions")
        assert (await slack.wait_answer(second, settle=0.05)).text == ""
        with pytest.raises(Waited):
            await slack.wait_answer(second, expect_notice=True, timeout=0.05)
        third = await slack.press(room, ada, card, "Approve")
        await payload(line, "block_actions")
        async with api.http.post(third.response_url, json={"text": "Too late"}) as response:
            assert (response.status, await response.text()) == (200, "ok")
        assert (await slack.wait_answer(third, expect_notice=True)).text == "Too late"
    assert [call.chat for call in await slack.calls("response_url")] == [room.id]


async def test_response_url_replaces_and_deletes_the_original(slack: Slack, api: Api) -> None:
    ada, room, card = await room_with_card(slack, api)
    async with socket(api) as line:
        pressed = await slack.press(room, ada, card, "Approve")
        await payload(line, "block_actions")
        await api.http.post(pressed.response_url, json={"text": "Approved", "replace_original": True})
        shown = await slack.wait_message(room, text="Approved", no_buttons=True)
        assert (shown.id, shown.edits) == (card, 1)
        await api.http.post(pressed.response_url, json={"text": "All can read it", "response_type": "in_channel"})
        await slack.wait_message(room, text="All can read it")
        await api.http.post(pressed.response_url, json={"delete_original": True})
        await slack.wait_message(room, message=card, deleted=True)


async def test_response_url_serves_five_times_within_half_an_hour(slack: Slack, api: Api) -> None:
    ada, room, card = await room_with_card(slack, api)
    async with socket(api) as line:
        pressed = await slack.press(room, ada, card, "Approve")
        await payload(line, "block_actions")
        told = []
        for _ in range(6):
            async with api.http.post(pressed.response_url, json={"text": "x"}) as response:
                told.append((response.status, await response.text()))
        assert told == [(200, "ok")] * 5 + [(404, "used_url")]
        late = await slack.press(room, ada, card, "Approve")
        await payload(line, "block_actions")
        await slack.advance(1801)
        async with api.http.post(late.response_url, json={"text": "x"}) as response:
            assert (response.status, await response.text()) == (404, "expired_url")


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({}, "no_text"),
        ({"text": "x", "colour": "red"}, "invalid_arguments"),
        ({"text": "x", "response_type": "loud"}, "invalid_arguments"),
        ({"blocks": [section("")]}, "invalid_blocks"),
    ],
)
async def test_response_url_is_strict_too(slack: Slack, api: Api, answer: Json, code: str) -> None:
    ada, room, card = await room_with_card(slack, api)
    async with socket(api) as line:
        pressed = await slack.press(room, ada, card, "Approve")
        await payload(line, "block_actions")
    async with api.http.post(pressed.response_url, json=answer) as response:
        assert (response.status, await response.text()) == (400, code)
    assert (await slack.violations(forget=True))[0].method == "response_url"


async def test_command_is_answered_with_its_acknowledgement(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("secret", members=[ada], private=True)
    async with socket(api) as line:
        asked = await slack.command(room, ada, "/askfirst", "help @Ada & co")
        told = await payload(line, "command", {"text": "at <your> service", "response_type": "ephemeral"})
        assert (told["text"], told["channel_name"]) == (f"help <@{ada.id}> &amp; co", "privategroup")
        assert (await slack.wait_answer(asked)).acked
        assert len(await slack.messages(room, ephemeral_for=ada)) == 1
        await slack.settings(escape_commands=False)
        asked = await slack.command(room, ada, "/askfirst", "@Ada")
        assert (await payload(line, "command"))["text"] == "@Ada"
        assert (await slack.wait_answer(asked, settle=0.05)).text == ""


async def test_wrong_answer_to_a_command_is_counted(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    async with socket(api) as line:
        asked = await slack.command(room, ada, "/askfirst")
        await payload(line, "command", {"txt": "x"})
        await slack.wait_answer(asked, expect_notice=False)
    assert "'txt'" in (await slack.violations(forget=True))[0].reason


async def test_trigger_opens_one_modal_within_three_seconds(slack: Slack, api: Api) -> None:
    ada, room, card = await room_with_card(slack, api)
    async with socket(api) as line:
        pressed = await slack.press(room, ada, card, "Approve")
        await payload(line, "block_actions")
        opened = await api.ok("views.open", {"trigger_id": pressed.trigger_id, "view": modal()})
        view = await slack.wait_view(ada, containing="Name")
        assert (view.id, view.title, view.submit) == (opened["view"]["id"], "Settings", "Save")
        code = await api.breach("views.open", {"trigger_id": pressed.trigger_id, "view": modal()})
        assert code == "exchanged_trigger_id"
        late = await slack.press(room, ada, card, "Approve")
        await payload(line, "block_actions")
        await slack.advance(4)
        code = await api.refused("views.open", {"trigger_id": late.trigger_id, "view": modal()})
        assert code == "expired_trigger_id"


async def opened(slack: Slack, api: Api, line: Line, view: Json) -> Person:
    """Someone who has this modal open."""
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    asked = await slack.command(room, ada, "/askfirst", "settings")
    await payload(line, "command")
    await api.ok("views.open", {"trigger_id": asked.trigger_id, "view": view})
    return ada


async def test_submitted_values_are_told_and_errors_are_shown(slack: Slack, api: Api) -> None:
    options = [{"text": plain(name), "value": name.lower()} for name in ("One", "Two")]
    menu = {"type": "static_select", "action_id": "pick", "options": options, "initial_option": options[0]}
    fields = [
        text_input("Name", "name"),
        {"type": "input", "block_id": "size", "label": plain("Size"), "element": menu},
        text_input("Why", "why", optional=True),
    ]
    async with socket(api) as line:
        ada = await opened(slack, api, line, modal(*fields, private_metadata="kept"))
        view = await slack.wait_view(ada)
        assert [(each.label, each.value, each.optional) for each in view.fields] == [
            ("Name", None, False),
            ("Size", "One", False),
            ("Why", None, True),
        ]
        with pytest.raises(ControlError, match="must be filled in"):
            await slack.submit(view)
        submitted = await slack.submit(view, {"Name": "x", "Size": "Two"})
        errors = {"response_action": "errors", "errors": {"name": "Too short"}}
        told = await payload(line, "view_submission", errors)
        assert told["view"]["private_metadata"] == "kept"
        assert told["view"]["state"]["values"] == {
            "name": {"value": {"type": "plain_text_input", "value": "x"}},
            "size": {"pick": {"type": "static_select", "selected_option": options[1]}},
            "why": {"value": {"type": "plain_text_input", "value": None}},
        }
        assert (await slack.wait_answer(submitted)).errors == {"name": "Too short"}
        assert (await slack.wait_view(ada, error="Too short")).errors == {"Name": "Too short"}
        submitted = await slack.submit(view, {"Name": "longer"})
        told = await payload(line, "view_submission")
        assert told["view"]["state"]["values"]["size"]["pick"]["selected_option"] == options[1]
        await slack.wait_no_view(ada)


async def test_submission_may_change_the_view_or_clear_all(slack: Slack, api: Api) -> None:
    async with socket(api) as line:
        ada = await opened(slack, api, line, modal())
        await slack.submit(await slack.wait_view(ada), {"Name": "x"})
        second = modal(text_input("Colour", "colour"))
        await payload(line, "view_submission", {"response_action": "update", "view": second})
        view = await slack.wait_view(ada, containing="Colour", changes=1)
        await slack.submit(view, {"Colour": "red"})
        third = modal(text_input("Size", "size"))
        await payload(line, "view_submission", {"response_action": "push", "view": third})
        view = await slack.wait_view(ada, containing="Size")
        await slack.submit(view, {"Size": "big"})
        await payload(line, "view_submission", {"response_action": "clear"})
        await slack.wait_no_view(ada)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({"response_action": "errors", "errors": {"other": "x"}}, id="no such block"),
        pytest.param({"response_action": "errors", "errors": {}}, id="no errors"),
        pytest.param({"response_action": "shrug"}, id="no such action"),
        pytest.param({"response_action": "update", "view": {"type": "modal"}}, id="no view"),
        pytest.param({"text": "thanks"}, id="a message"),
    ],
)
async def test_answers_that_slack_would_not_understand_are_counted(slack: Slack, api: Api, answer: Json) -> None:
    async with socket(api) as line:
        ada = await opened(slack, api, line, modal())
        submitted = await slack.submit(await slack.wait_view(ada), {"Name": "x"})
        await payload(line, "view_submission", answer)
        assert (await slack.wait_answer(submitted)).failed
        await slack.wait_view(ada)
    assert len(await slack.violations(forget=True)) == 1


async def test_closing_is_told_if_asked_for(slack: Slack, api: Api) -> None:
    async with socket(api) as line:
        ada = await opened(slack, api, line, modal(notify_on_close=True))
        closed = await slack.close_view(await slack.wait_view(ada))
        assert closed is not None
        told = await payload(line, "view_closed")
        assert (told["is_cleared"], told["view"]["callback_id"]) == (False, "settings")
        await slack.wait_no_view(ada)
        bo = await opened(slack, api, line, modal())
        assert await slack.close_view(await slack.wait_view(bo)) is None


async def test_view_is_updated_while_it_is_open(slack: Slack, api: Api) -> None:
    async with socket(api) as line:
        ada = await opened(slack, api, line, modal(external_id="mine"))
        view = await slack.wait_view(ada)
        change = {"external_id": "mine", "view": modal(text_input("Colour", "colour"))}
        await api.ok("views.update", change)
        await slack.wait_view(ada, containing="Colour", changes=1)
        stale = {"view_id": view.id, "hash": "stale", "view": modal()}
        assert await api.refused("views.update", stale) == "hash_conflict"
        await slack.close_view(view)
        assert await api.refused("views.update", {"view_id": view.id, "view": modal()}) == "not_found"


async def test_button_in_a_view_pushes_another(slack: Slack, api: Api) -> None:
    async with socket(api) as line:
        ada = await opened(slack, api, line, modal(actions(button("More", "more", "more"))))
        pressed = await slack.press_in_view(await slack.wait_view(ada), "More")
        told = await payload(line, "block_actions")
        assert told["container"]["type"] == "view"
        await api.ok("views.push", {"trigger_id": pressed.trigger_id, "view": modal(text_input("Deep", "deep"))})
        above = await slack.wait_view(ada, containing="Deep")
        await slack.close_view(above)
        assert (await slack.wait_view(ada)).buttons == (("More",),)


async def test_two_presses_at_once_are_told_apart(slack: Slack, api: Api) -> None:
    ada, room, card = await room_with_card(slack, api)
    async with socket(api) as line:
        first, second = [await slack.press(room, ada, card, label) for label in ("Approve", "Reject")]
        for _ in range(2):
            told = await payload(line, "block_actions")
            await api.http.post(told["response_url"], json={"text": told["actions"][0]["value"]})
        answers = await asyncio.gather(*(slack.wait_answer(each, expect_notice=True) for each in (first, second)))
    assert [answer.text for answer in answers] == ["yes", "no"]


async def test_notice_by_method_belongs_to_the_last_press_that_has_none(slack: Slack, api: Api) -> None:
    ada, room, card = await room_with_card(slack, api)
    notice = {"channel": room.id, "user": ada.id}
    async with socket(api) as line:
        first, second, third = [await slack.press(room, ada, card, "Approve") for _ in range(3)]
        for _ in range(3):
            await payload(line, "block_actions")
        assert (await slack.wait_answer(third, expect_notice=False)).text == ""
        for text in ("for the second", "for the first"):
            await api.ok("chat.postEphemeral", {**notice, "text": text})
        assert (await slack.wait_answer(second, expect_notice=True)).notices == ("for the second",)
        assert (await slack.wait_answer(first, expect_notice=True)).notices == ("for the first",)
        assert (await slack.wait_answer(third, expect_notice=False)).text == ""
