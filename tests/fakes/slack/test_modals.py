"""Modals: how they open, what is filled in, and what the app answers."""

from typing import Any

import pytest

from tests.fakes.slack.answers import Person
from tests.fakes.slack.client import Slack
from tests.fakes.slack.line import ControlError
from tests.fakes.slack.raw import Api, Line, socket
from tests.fakes.slack.samples import actions, button, modal, plain, text_input

Json = dict[str, Any]


async def test_trigger_opens_one_modal_within_three_seconds(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    async with socket(api) as line:
        asked = await slack.command(room, ada, "/askfirst")
        await line.interaction("command")
        opened = await api.ok("views.open", {"trigger_id": asked.trigger_id, "view": modal()})
        view = await slack.wait_view(ada, containing="Name")
        assert (view.id, view.title, view.submit) == (opened["view"]["id"], "Settings", "Save")
        code = await api.breach("views.open", {"trigger_id": asked.trigger_id, "view": modal()})
        assert code == "exchanged_trigger_id"
        late = await slack.command(room, ada, "/askfirst")
        await line.interaction("command")
        await slack.advance(4)
        code = await api.refused("views.open", {"trigger_id": late.trigger_id, "view": modal()})
        assert code == "expired_trigger_id"


async def opened(slack: Slack, api: Api, line: Line, view: Json) -> Person:
    """Someone who has this modal open."""
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    asked = await slack.command(room, ada, "/askfirst", "settings")
    await line.interaction("command")
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
        told = await line.interaction("view_submission", errors)
        assert told["view"]["private_metadata"] == "kept"
        assert told["view"]["state"]["values"] == {
            "name": {"value": {"type": "plain_text_input", "value": "x"}},
            "size": {"pick": {"type": "static_select", "selected_option": options[1]}},
            "why": {"value": {"type": "plain_text_input", "value": None}},
        }
        assert (await slack.wait_answer(submitted)).errors == {"name": "Too short"}
        assert (await slack.wait_view(ada, error="Too short")).errors == {"Name": "Too short"}
        submitted = await slack.submit(view, {"Name": "longer"})
        told = await line.interaction("view_submission")
        assert told["view"]["state"]["values"]["size"]["pick"]["selected_option"] == options[1]
        await slack.wait_no_view(ada)


async def test_submission_may_change_the_view_or_clear_all(slack: Slack, api: Api) -> None:
    async with socket(api) as line:
        ada = await opened(slack, api, line, modal())
        await slack.submit(await slack.wait_view(ada), {"Name": "x"})
        second = modal(text_input("Colour", "colour"))
        await line.interaction("view_submission", {"response_action": "update", "view": second})
        view = await slack.wait_view(ada, containing="Colour", changes=1)
        await slack.submit(view, {"Colour": "red"})
        third = modal(text_input("Size", "size"))
        await line.interaction("view_submission", {"response_action": "push", "view": third})
        view = await slack.wait_view(ada, containing="Size")
        await slack.submit(view, {"Size": "big"})
        await line.interaction("view_submission", {"response_action": "clear"})
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
        await line.interaction("view_submission", answer)
        assert (await slack.wait_answer(submitted)).failed
        await slack.wait_view(ada)
    assert len(await slack.violations(forget=True)) == 1


async def test_closing_is_told_if_asked_for(slack: Slack, api: Api) -> None:
    async with socket(api) as line:
        ada = await opened(slack, api, line, modal(notify_on_close=True))
        closed = await slack.close_view(await slack.wait_view(ada))
        assert closed is not None
        told = await line.interaction("view_closed")
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
        told = await line.interaction("block_actions")
        assert told["container"]["type"] == "view"
        await api.ok("views.push", {"trigger_id": pressed.trigger_id, "view": modal(text_input("Deep", "deep"))})
        above = await slack.wait_view(ada, containing="Deep")
        await slack.close_view(above)
        assert (await slack.wait_view(ada)).buttons == (("More",),)
