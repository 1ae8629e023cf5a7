"""Presses and commands, and the answers to them."""

import asyncio
from typing import Any

import pytest

from tests.fakes.slack.answers import Person, Place
from tests.fakes.slack.client import Slack
from tests.fakes.slack.line import ControlError, Waited
from tests.fakes.slack.raw import Api, socket
from tests.fakes.slack.samples import CARD, actions, plain, section

Json = dict[str, Any]


async def room_with_card(slack: Slack, api: Api) -> tuple[Person, Place, str]:
    """Someone in a channel with a card."""
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    posted = await api.ok("chat.postMessage", {"channel": room.id, "text": "x", "blocks": CARD})
    return ada, room, str(posted["ts"])


async def test_press_tells_what_was_pressed_where_and_by_whom(slack: Slack, api: Api) -> None:
    ada, room, card = await room_with_card(slack, api)
    async with socket(api) as line:
        pressed = await slack.press(room, ada, card, "Reject")
        told = await line.interaction("block_actions")
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
        told = await line.interaction("block_actions")
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
        told = await line.interaction("block_actions")
    assert (told["actions"][0]["value"], told["user"]["id"]) == ("made up", eve.id)


async def test_lists_are_chosen_from(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    options = [{"text": plain(name), "value": name.lower()} for name in ("One", "Two")]
    menu = {"type": "static_select", "action_id": "pick", "placeholder": plain("Pick"), "options": options}
    posted = await api.ok("chat.postMessage", {"channel": room.id, "text": "x", "blocks": [actions(menu)]})
    async with socket(api) as line:
        await slack.press(room, ada, posted["ts"], "Pick", option="Two")
        told = await line.interaction("block_actions")
    assert told["actions"][0]["selected_option"] == options[1]


async def test_notice_is_what_only_the_presser_sees(slack: Slack, api: Api) -> None:
    ada, room, card = await room_with_card(slack, api)
    async with socket(api) as line:
        pressed = await slack.press(room, ada, card, "Approve")
        await line.interaction("block_actions")
        await api.ok("chat.postEphemeral", {"channel": room.id, "user": ada.id, "text": "Thanks"})
        assert (await slack.wait_answer(pressed, expect_notice=True)).text == "Thanks"
        second = await slack.press(room, ada, card, "Approve")
        await line.interaction("block_actions")
        assert (await slack.wait_answer(second, settle=0.05)).text == ""
        with pytest.raises(Waited):
            await slack.wait_answer(second, expect_notice=True, timeout=0.05)
        third = await slack.press(room, ada, card, "Approve")
        await line.interaction("block_actions")
        async with api.http.post(third.response_url, json={"text": "Too late"}) as response:
            assert (response.status, await response.text()) == (200, "ok")
        assert (await slack.wait_answer(third, expect_notice=True)).text == "Too late"
    assert [call.chat for call in await slack.calls("response_url")] == [room.id]


async def test_response_url_replaces_and_deletes_the_original(slack: Slack, api: Api) -> None:
    ada, room, card = await room_with_card(slack, api)
    async with socket(api) as line:
        pressed = await slack.press(room, ada, card, "Approve")
        await line.interaction("block_actions")
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
        await line.interaction("block_actions")
        told = []
        for _ in range(6):
            async with api.http.post(pressed.response_url, json={"text": "x"}) as response:
                told.append((response.status, await response.text()))
        assert told == [(200, "ok")] * 5 + [(404, "used_url")]
        late = await slack.press(room, ada, card, "Approve")
        await line.interaction("block_actions")
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
        await line.interaction("block_actions")
    async with api.http.post(pressed.response_url, json=answer) as response:
        assert (response.status, await response.text()) == (400, code)
    assert (await slack.violations(forget=True))[0].method == "response_url"


async def test_command_is_answered_with_its_acknowledgement(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("secret", members=[ada], private=True)
    async with socket(api) as line:
        asked = await slack.command(room, ada, "/askfirst", "help @Ada & co")
        told = await line.interaction("command", {"text": "at <your> service", "response_type": "ephemeral"})
        assert (told["text"], told["channel_name"]) == (f"help <@{ada.id}> &amp; co", "privategroup")
        assert (await slack.wait_answer(asked)).acked
        assert len(await slack.messages(room, ephemeral_for=ada)) == 1
        await slack.settings(escape_commands=False)
        asked = await slack.command(room, ada, "/askfirst", "@Ada")
        assert (await line.interaction("command"))["text"] == "@Ada"
        assert (await slack.wait_answer(asked, settle=0.05)).text == ""


async def test_wrong_answer_to_a_command_is_counted(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    async with socket(api) as line:
        asked = await slack.command(room, ada, "/askfirst")
        await line.interaction("command", {"txt": "x"})
        await slack.wait_answer(asked, expect_notice=False)
    assert "'txt'" in (await slack.violations(forget=True))[0].reason


async def test_two_presses_at_once_are_told_apart(slack: Slack, api: Api) -> None:
    ada, room, card = await room_with_card(slack, api)
    async with socket(api) as line:
        first, second = [await slack.press(room, ada, card, label) for label in ("Approve", "Reject")]
        for _ in range(2):
            told = await line.interaction("block_actions")
            await api.http.post(told["response_url"], json={"text": told["actions"][0]["value"]})
        answers = await asyncio.gather(*(slack.wait_answer(each, expect_notice=True) for each in (first, second)))
    assert [answer.text for answer in answers] == ["yes", "no"]


async def test_notice_by_method_belongs_to_the_last_press_that_has_none(slack: Slack, api: Api) -> None:
    ada, room, card = await room_with_card(slack, api)
    notice = {"channel": room.id, "user": ada.id}
    async with socket(api) as line:
        first, second, third = [await slack.press(room, ada, card, "Approve") for _ in range(3)]
        for _ in range(3):
            await line.interaction("block_actions")
        assert (await slack.wait_answer(third, expect_notice=False)).text == ""
        for text in ("for the second", "for the first"):
            await api.ok("chat.postEphemeral", {**notice, "text": text})
        assert (await slack.wait_answer(second, expect_notice=True)).notices == ("for the second",)
        assert (await slack.wait_answer(first, expect_notice=True)).notices == ("for the first",)
        assert (await slack.wait_answer(third, expect_notice=False)).text == ""
