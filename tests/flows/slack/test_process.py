"""The commands that look at Slack from outside, as processes of their own."""

import json

from tests.fakes.model.script import calls
from tests.fakes.slack.events import SCOPES
from tests.flows.slack.stage import Stage
from tests.flows.slack.ways import by_http, by_socket


@by_socket
async def test_the_doctor_says_what_is_missing_or_wrong_and_what_to_do(stage: Stage) -> None:
    """A missing scope by its name and what it is for; a token and an address that are wrong."""
    stage.change(model_url="")
    code, said = await stage.askfirst("doctor")
    assert code == 0, said
    assert f"ok  channel team: it is @guide in {stage.slack.team_id}" in said
    await stage.slack.set_scopes(remove=["chat:write", "groups:read"])
    wrong = {
        "bot": {"bot_token": "${WRONG_BOT_TOKEN}"},
        "app": {"bot_token": "${OTHER_BOT_TOKEN}", "app_token": "${WRONG_APP_TOKEN}"},
        "nowhere": {"bot_token": "${THIRD_BOT_TOKEN}", "api_url": "http://127.0.0.1:9/api/"},
    }
    channels = {name: {**stage.plan.channel, **fields} for name, fields in wrong.items()}
    other = (await stage.slack.workspace("Other")).bot_token
    made_up = {"WRONG_BOT_TOKEN": "xoxb-1-made-up", "WRONG_APP_TOKEN": "xapp-1-made-up"}
    tokens = {**made_up, "OTHER_BOT_TOKEN": other, "THIRD_BOT_TOKEN": "xoxb-3-made-up"}
    stage.change(extra={"channels": channels}, tokens=tokens)
    code, said = await stage.askfirst("doctor")
    assert code == 1, said
    told = {line.split(":")[0].split()[-1]: line for line in said.splitlines()}
    assert "the app lacks scopes: chat:write (to write), groups:read (to see that it was removed" in told["team"]
    assert "install the app again" in told["team"]
    assert "auth.test: invalid_auth. Get the token anew" in told["bot"]
    assert "apps.connections.open: invalid_auth. Get the token anew" in told["app"]
    assert "Slack was not reached" in told["nowhere"]
    assert "Check api_url" in told["nowhere"]
    assert "made-up" not in said
    assert "Traceback" not in said


@by_http
async def test_an_app_made_from_the_manifest_may_do_all_that_is_needed(stage: Stage) -> None:
    """Neither a scope nor an event is missing: a stranger knocks, a call is approved, a post is looked for, and a channel
    that put us out is noticed."""
    code, said = await stage.askfirst("slack-manifest")
    assert code == 0, said
    made = json.loads(said)
    settings, url = made["settings"], f"http://127.0.0.1:{stage.plan.port}/channels/team/slack/events"
    assert settings["event_subscriptions"]["request_url"] == settings["interactivity"]["request_url"] == url
    assert made["features"]["slash_commands"][0]["command"] == "/askfirst"
    await stage.slack.set_scopes(made["oauth_config"]["scopes"]["bot"])
    await stage.slack.settings(
        unsubscribed=[name for name in SCOPES if name not in settings["event_subscriptions"]["bot_events"]]
    )
    await stage.hears("milk", first=calls("add_note", {"text": "milk"}), then="Noted.")
    gus = await stage.slack.user("Gus", is_restricted=True)
    private = await stage.slack.channel("secret", members=[stage.person, gus], private=True)
    async with stage.service(extra={"limits": {"membership_every": "1s"}}) as house:
        assert "lacks" not in (await house.parts())["channel:team"]["detail"]
        await stage.asks("hello?", chat=private, who=gus)
        knock = await stage.slack.wait_message(stage.direct, button="Ignore", containing="“Gus”")
        await stage.press(knock, "Ignore", chat=stage.direct)
        await stage.slack.drop("chat.postMessage", when="after", chat=private)
        thread = await stage.asks("note milk", chat=private)
        card = await stage.card(chat=private, thread=thread)
        form = await stage.form(card, "Edit", chat=private)
        await stage.slack.submit(form, {"text": "oat milk"})
        edited = await stage.reads("Edited by Ann", chat=private, message=card.id)
        await stage.press(edited, "Approve", chat=private)
        await stage.reads("Noted.", chat=private, thread=thread)
        assert "Persona" in await stage.command("status", chat=private)
        await stage.slack.remove_bot(private)
        await stage.no_session(house, private)
    refused = [call for call in await stage.slack.calls() if "missing_scope" in str(call.response)]
    assert not refused


@by_socket
async def test_what_an_app_lacks_is_told_where_its_state_is_told(stage: Stage) -> None:
    await stage.slack.set_scopes(remove=["assistant:write", "groups:read"])
    async with stage.service(model_url="") as house:
        told = (await house.parts())["channel:team"]["detail"]
        assert "it lacks the scopes assistant:write, groups:read" in told
