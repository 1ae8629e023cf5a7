"""What can never work is refused with Slack's code, and counted as a violation that fails the test."""

from typing import Any

import pytest

from tests.fakes.slack.client import ContractBroken, Slack, running_slack
from tests.fakes.slack.line import ControlError
from tests.fakes.slack.raw import Api, raw_api
from tests.fakes.slack.samples import CARD, actions, button, modal, plain, section, text_input

Json = dict[str, Any]


def option(number: int) -> Json:
    return {"text": plain(f"Option {number}"), "value": str(number)}


def asking(**texts: Json) -> Json:
    """A button with a dialog that asks again."""
    confirm = {"title": plain("Sure?"), "text": plain("Really"), "confirm": plain("Yes"), "deny": plain("No"), **texts}
    return actions(button("Go", "go", "go", confirm=confirm))


def table(rows: int, columns: int) -> Json:
    return {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * columns] * rows}


TOO_MUCH: dict[str, list[Json]] = {
    "section of 3001": [section("x" * 3001)],
    "empty section": [section("")],
    "section without text": [{"type": "section"}],
    "field of 2001": [{"type": "section", "fields": [plain("x" * 2001)]}],
    "eleven fields": [{"type": "section", "fields": [plain("x")] * 11}],
    "header of 151": [{"type": "header", "text": plain("x" * 151)}],
    "header in mrkdwn": [{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}],
    "eleven in a context": [{"type": "context", "elements": [plain("x")] * 11}],
    "26 in a row": [actions(*(button("x", "x", f"a{number}") for number in range(26)))],
    "empty row": [actions()],
    "label of 76": [actions(button("x" * 76, "x", "a"))],
    "label in mrkdwn": [actions({**button("x", "x", "a"), "text": {"type": "mrkdwn", "text": "x"}})],
    "empty label": [actions(button("", "x", "a"))],
    "value of 2001": [actions(button("x", "x" * 2001, "a"))],
    "action_id of 256": [actions(button("x", "x", "a" * 256))],
    "action_id twice": [actions(button("x", "x", "a"), button("y", "y", "a"))],
    "unknown style": [actions(button("x", "x", "a", style="warning"))],
    "unknown key": [actions(button("x", "x", "a", colour="red"))],
    "block_id of 256": [{"type": "divider", "block_id": "b" * 256}],
    "block_id twice": [{"type": "divider", "block_id": "b"}, {"type": "divider", "block_id": "b"}],
    "51 blocks": [{"type": "divider"}] * 51,
    "unknown block": [{"type": "blink", "text": plain("x")}],
    "no type": [{"text": plain("x")}],
    "empty markdown": [{"type": "markdown", "text": ""}],
    "markdown of 12001": [{"type": "markdown", "text": "x" * 12_001}],
    "dialog title of 101": [asking(title=plain("x" * 101))],
    "dialog text of 301": [asking(text=plain("x" * 301))],
    "dialog button of 31": [asking(confirm=plain("x" * 31))],
    "table of 101 rows": [table(101, 1)],
    "table of 21 columns": [table(1, 21)],
    "two tables": [table(1, 1), table(1, 1)],
    "101 options": [
        actions({"type": "static_select", "action_id": "s", "options": [option(number) for number in range(101)]})
    ],
    "no list": "x",  # type: ignore[dict-item]  # it is meant to be no list
}


@pytest.mark.parametrize("blocks", [pytest.param(blocks, id=name) for name, blocks in TOO_MUCH.items()])
async def test_blocks_that_slack_would_not_take(slack: Slack, api: Api, blocks: list[Json]) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    code = await api.breach("chat.postMessage", {"channel": chat.id, "text": "x", "blocks": blocks})
    assert code in ("invalid_blocks", "invalid_arguments")
    assert await slack.messages(chat) == []


async def test_mistake_in_blocks_is_pointed_at(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    answer = await api("chat.postMessage", {"channel": chat.id, "blocks": [section("a"), section("x" * 3001)]})
    where = "must be less than 3001 characters [json-pointer:/blocks/1/text/text]"
    assert answer == {
        "ok": False,
        "error": "invalid_blocks",
        "errors": [where],
        "response_metadata": {"messages": [f"[ERROR] {where}"]},
    }
    await slack.violations(forget=True)


@pytest.mark.parametrize(
    "blocks",
    [
        pytest.param([section("x" * 3000)] * 4, id="long"),
        pytest.param([{"type": "divider"}] * 50, id="many"),
        pytest.param([actions(*(button("x" * 75, "x" * 2000, f"{n:0255}") for n in range(25)))], id="full row"),
        pytest.param([asking(title=plain("x" * 100), text=plain("x" * 300), deny=plain("x" * 30))], id="dialog"),
        pytest.param([table(100, 20)], id="table"),
        pytest.param(
            [{"type": "header", "text": plain("x" * 150)}, {"type": "markdown", "text": "x" * 12_000}], id="md"
        ),
    ],
)
async def test_blocks_at_their_limits_are_taken(slack: Slack, api: Api, blocks: list[Json]) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    await api.ok("chat.postMessage", {"channel": chat.id, "text": "x", "blocks": blocks})


@pytest.mark.parametrize(
    ("method", "code"),
    [
        ("chat.postMessage", "msg_blocks_too_long"),
        ("chat.update", "msg_too_long"),
        ("chat.postEphemeral", "msg_too_long"),
    ],
)
async def test_blocks_have_a_sum(slack: Slack, api: Api, method: str, code: str) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    more: dict[str, Json] = {
        "chat.postMessage": {},
        "chat.update": {"ts": (await api.ok("chat.postMessage", {"channel": chat.id, "text": "x"}))["ts"]},
        "chat.postEphemeral": {"user": ada.id},
    }
    blocks = [section("x" * 2700)] * 5
    assert await api.breach(method, {"channel": chat.id, "text": "x", "blocks": blocks, **more[method]}) == code


MESSAGES: dict[str, tuple[Json, str]] = {
    "nothing": ({}, "no_text"),
    "empty text": ({"text": ""}, "no_text"),
    "markdown and text": ({"text": "x", "markdown_text": "x"}, "markdown_text_conflict"),
    "metadata of no type": ({"text": "x", "metadata": {"event_payload": {}}}, "invalid_metadata_format"),
    "metadata too deep": (
        {"text": "x", "metadata": {"event_type": "a", "event_payload": {"a": [["b"]]}}},
        "invalid_metadata_schema",
    ),
    "metadata too large": (
        {"text": "x", "metadata": {"event_type": "a", "event_payload": {"a": "x" * 16_001}}},
        "metadata_too_large",
    ),
    "101 attachments": ({"text": "x", "attachments": [{"text": "y"}] * 101}, "too_many_attachments"),
    "broadcast of no reply": ({"text": "x", "reply_broadcast": True}, "invalid_arguments"),
    "wrong kind": ({"text": 5}, "invalid_arguments"),
    "unknown argument": ({"text": "x", "colour": "red"}, "invalid_arguments"),
}


@pytest.mark.parametrize(("arguments", "code"), [pytest.param(*case, id=name) for name, case in MESSAGES.items()])
async def test_messages_that_slack_would_not_take(slack: Slack, api: Api, arguments: Json, code: str) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    assert await api.breach("chat.postMessage", {"channel": chat.id, **arguments}) == code
    assert await slack.messages(chat) == []


MODALS: dict[str, Json] = {
    "title of 25": modal(title=plain("x" * 25)),
    "submit of 25": modal(submit=plain("x" * 25)),
    "close of 25": modal(close=plain("x" * 25)),
    "private_metadata of 3001": modal(private_metadata="x" * 3001),
    "callback_id of 256": modal(callback_id="x" * 256),
    "no title": {"type": "modal", "blocks": [section("x")]},
    "input without submit": {"type": "modal", "title": plain("x"), "blocks": [text_input("Name", "name")]},
    "unknown key": modal(colour="red"),
    "unknown block": modal({"type": "blink"}),
    "table": modal(table(1, 1)),
    "101 blocks": modal(*[section("x")] * 101),
    "block_id twice": modal(text_input("a", "same"), text_input("b", "same")),
    "long first value": modal(
        text_input("a", "b", element={"type": "plain_text_input", "action_id": "v", "initial_value": "x" * 3001})
    ),
    "home tab": {"type": "home", "blocks": []},
}


@pytest.mark.parametrize("view", [pytest.param(view, id=name) for name, view in MODALS.items()])
async def test_modals_that_slack_would_not_open(slack: Slack, api: Api, view: Json) -> None:
    assert await api.breach("views.open", {"trigger_id": "1.2.3", "view": view}) == "invalid_arguments"


async def test_modal_at_its_limits_is_taken(slack: Slack, api: Api) -> None:
    view = modal(title=plain("x" * 24), close=plain("x" * 24), private_metadata="x" * 3000)
    assert await api.breach("views.open", {"trigger_id": "1.2.3", "view": view}) == "invalid_trigger_id"


async def test_view_has_a_size(slack: Slack, api: Api) -> None:
    view = modal(*[{**section("x" * 3000), "block_id": str(number)} for number in range(90)])
    assert await api.breach("views.open", {"trigger_id": "1.2.3", "view": view}) == "view_too_large"


async def test_unexpected_violation_fails_the_test_that_ran() -> None:
    with pytest.raises(ContractBroken, match="no_text"):
        async with running_slack() as own, raw_api(own) as raw:
            await raw.refused("chat.postMessage", {"channel": "C1", "text": ""})


async def test_without_validation_anything_goes_that_can_be_stored() -> None:
    async with running_slack(validation=False) as own, raw_api(own) as raw:
        ada = await own.user("Ada")
        chat = await own.private_chat(ada)
        await raw.ok("chat.postMessage", {"channel": chat.id, "text": "x", "blocks": CARD, "colour": "red"})


async def test_only_codes_of_the_method_can_be_planted(slack: Slack) -> None:
    with pytest.raises(ControlError, match="never answers"):
        await slack.fail("chat.delete", error="no_text")
    await slack.fail("chat.delete", error="message_not_found")
