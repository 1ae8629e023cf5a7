"""Several workspaces: two on one app in one service, a whole organisation, and what one of them does to the other."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.fakes.model.script import calls
from tests.fakes.slack.answers import Person, Place, Workspace
from tests.flows.house import House
from tests.flows.slack.stage import Stage
from tests.flows.slack.ways import by_socket

NOTE = calls("add_note", {"text": "milk"})
ECHO = "Heard: {user}"


@dataclass(frozen=True)
class Other:
    """The second workspace, which the channel `other` of the same service serves."""

    workspace: Workspace
    ann: Person
    chat: Place
    direct: Place


@asynccontextmanager
async def both(stage: Stage) -> AsyncIterator[tuple[House, Other]]:
    """One app in two workspaces, one service for both."""
    workspace = await stage.slack.workspace("Other")
    ann = await stage.slack.user("Ann", workspace=workspace)
    chat = await stage.slack.channel("general", members=[ann], workspaces=[workspace])
    direct = await stage.slack.private_chat(ann)
    other = {**stage.plan.channel, "bot_token": "${OTHER_BOT_TOKEN}"}
    admins = (*stage.plan.admins, f"other:{ann.id}", "web:admin")
    tokens = {"OTHER_BOT_TOKEN": workspace.bot_token}
    async with stage.service(admins=admins, extra={"channels": {"other": other}}, tokens=tokens) as house:
        yield house, Other(workspace, ann, chat, direct)


async def test_two_workspaces_of_one_app_are_never_mixed_nor_stop_each_other(stage: Stage) -> None:
    """Whatever socket or address hears it, each is answered where it was said, with the token of that workspace. B205:
    the first, whose address it is by HTTP, is switched off, comes back, and is put out, and the other goes on."""
    await stage.model.otherwise(ECHO)
    await stage.hears("milk", first=NOTE, then="Noted.")
    bob = await stage.joins("Bob")
    async with both(stage) as (house, other):
        said = ""
        for number in range(3):
            said = await stage.asks(f"one {number}")
            await stage.reads(f"Heard: Ann: one {number}", thread=said)
            await heard(stage, other, f"two {number}")
        await stage.asks("note milk", chat=other.chat, who=other.ann)
        card = await stage.card(chat=other.chat)
        forged = await stage.slack.press(stage.chat, bob, said, data=card.data[0][0], forged=True)
        assert "You may not decide this" in await stage.told(forged)
        assert "Persona: Guide" in await stage.command("status", chat=other.chat, who=other.ann)
        form = await stage.form(card, "Reject with reason", chat=other.chat, who=other.ann)
        await stage.slack.submit(form, {"Reason": "not now"})
        await stage.settled(card, "Rejected by Ann", chat=other.chat)
        parts = await house.parts()
        assert parts["channel:team"]["detail"] == f"@guide in {stage.slack.team_id}"
        assert parts["channel:other"]["detail"] == f"@guide in {other.workspace.team_id}"
        await house.web_says("/disconnect team")
        await house.until(lambda parts: parts["channel:team"]["state"] == "disconnected")
        await heard(stage, other, "are you there?")
        await house.web_says("/connect team")
        await house.until(lambda parts: parts["channel:team"]["state"] == "connected")
        await stage.slack.revoke_tokens()
        await house.until(lambda parts: parts["channel:team"]["state"] == "error")
        for number in range(3):
            await heard(stage, other, f"still there {number}?")
        assert (await house.parts())["channel:other"]["state"] == "connected"
    posts = await stage.slack.calls("chat.postMessage")
    assert {(call.team, call.chat) for call in posts} == {
        (stage.slack.team_id, stage.chat.id),
        (other.workspace.team_id, other.chat.id),
    }


async def heard(stage: Stage, other: Other, text: str) -> None:
    """The other workspace is answered."""
    thread = await stage.asks(text, chat=other.chat, who=other.ann)
    await stage.reads(f"Heard: Ann: {text}", chat=other.chat, thread=thread)


@by_socket
async def test_a_token_that_is_bad_from_the_start_stops_its_workspace_alone(stage: Stage) -> None:
    """B206: one clear line, no second try. B205: the service starts, and the others run."""
    await stage.model.otherwise(ECHO)
    bad = {**stage.plan.channel, "bot_token": "${OTHER_BOT_TOKEN}"}
    tokens = {"OTHER_BOT_TOKEN": "xoxb-1-made-up"}
    async with stage.service(until_ready=False, extra={"channels": {"other": bad}}, tokens=tokens) as house:
        await house.until(lambda parts: parts["channel:team"]["state"] == "connected")
        await house.until(lambda parts: parts["channel:other"]["state"] == "error")
        assert "Slack does not take the bot token" in (await house.parts())["channel:other"]["detail"]
        thread = await stage.asks("hello")
        await stage.reads("Heard: Ann: hello", thread=thread)
        assert "xoxb-" not in house.log.read_text()
    assert len(await stage.slack.calls("auth.test")) == 2


@by_socket
async def test_a_whole_organisation_is_served_with_one_token(stage: Stage) -> None:
    """Its workspaces are one to us; what the others of them have is not taken for lost when the membership is looked at."""
    await stage.model.otherwise(ECHO)
    one, two = await stage.slack.organisation("Org", ["North", "South"])
    everyone, threads = [], []
    async with stage.service(bot_token=one.bot_token, extra={"limits": {"membership_every": "1s"}}) as house:
        for workspace in (one, two):
            ada = await stage.slack.user("Ada", workspace=workspace)
            chat = await stage.slack.channel("general", members=[ada], workspaces=[workspace])
            thread = await stage.asks("hello", chat=chat, who=ada)
            await stage.reads("Heard: Ada: hello", chat=chat, thread=thread)
            everyone.append((ada, chat))
            threads.append(thread)
        looked = len(await stage.slack.calls("users.conversations"))
        await stage.slack.wait_calls("users.conversations", looked + 4)
        for (ada, chat), thread in zip(everyone, threads, strict=True):
            await stage.say("still there?", chat=chat, who=ada, thread=thread)
            await stage.reads("Heard: Ada: still there?", chat=chat, thread=thread)
        assert "Persona" in await stage.command("status", chat=everyone[1][1], who=everyone[1][0])
        await stage.slack.remove_bot(everyone[1][1])
        await stage.no_session(house, everyone[1][1])
        assert stage.sessions(house, everyone[0][1]) == threads[:1]
