"""Which events the app is told of, and what stands in them."""

import asyncio

import pytest

from tests.fakes.slack.client import Slack
from tests.fakes.slack.raw import Api, socket


async def test_message_is_told_with_its_wrapping(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    async with socket(api) as line:
        sent = await slack.write(chat, ada, "hello")
        envelope = await line.envelope()
    body = envelope["payload"]
    assert (envelope["type"], body["type"], body["event_id"]) == ("events_api", "event_callback", sent.event_id)
    assert (body["team_id"], body["api_app_id"]) == (slack.team_id, slack.app_id)
    assert body["authorizations"] == [
        {
            "enterprise_id": None,
            "team_id": slack.team_id,
            "user_id": slack.bot_user_id,
            "is_bot": True,
            "is_enterprise_install": False,
        }
    ]
    event = body["event"]
    assert (event["type"], event["channel"], event["channel_type"]) == ("message", chat.id, "im")
    assert (event["user"], event["team"], event["ts"]) == (ada.id, slack.team_id, sent.message_id)


async def test_kind_of_channel_is_told(slack: Slack, api: Api) -> None:
    ada, bo = await slack.user("Ada"), await slack.user("Bo")
    rooms = {
        "channel": await slack.channel("general", members=[ada]),
        "group": await slack.channel("secret", members=[ada], private=True),
        "mpim": await slack.mpim([ada, bo]),
    }
    async with socket(api) as line:
        for kind, room in rooms.items():
            await slack.write(room, ada, "x")
            assert (await line.event("message"))["channel_type"] == kind


async def test_mention_is_told_twice_with_one_ts(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    async with socket(api) as line:
        sent = await slack.write(room, ada, "@Guide hi")
        both = [await line.envelope(), await line.envelope()]
        assert [each["payload"]["event"]["type"] for each in both] == ["message", "app_mention"]
        assert {each["payload"]["event"]["ts"] for each in both} == {sent.message_id}
        assert tuple(each["payload"]["event_id"] for each in both) == sent.event_ids
        await slack.settings(mention_first=True, mention_gap=0.05)
        await slack.write(room, ada, "@Guide again")
        assert [(await line.event())["type"] for _ in range(2)] == ["app_mention", "message"]


@pytest.mark.parametrize(("left_out", "told"), [("message.channels", "app_mention"), ("app_mention", "message")])
async def test_either_event_of_a_mention_can_be_unsubscribed(slack: Slack, api: Api, left_out: str, told: str) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    await slack.settings(unsubscribed=[left_out])
    async with socket(api) as line:
        sent = await slack.write(room, ada, "@Guide hi")
        assert (await line.event())["type"] == told
    assert len(sent.event_ids) == 1


async def test_nothing_is_told_where_the_bot_is_not_or_has_no_scope(slack: Slack) -> None:
    ada = await slack.user("Ada")
    elsewhere = await slack.channel("general", members=[ada], bot=False)
    secret = await slack.channel("secret", members=[ada], private=True)
    await slack.set_scopes(remove=["groups:history"])
    assert (await slack.write(elsewhere, ada, "@Guide hi")).event_id is None
    assert (await slack.write(secret, ada, "hi")).event_id is None
    assert len((await slack.write(secret, ada, "@Guide hi")).event_ids) == 1


async def test_edit_and_deletion_show_what_was_before(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    async with socket(api) as line:
        sent = await slack.write(chat, ada, "one")
        await line.event()
        await slack.edit(chat, sent.message_id, "two")
        edited = await line.event()
        assert (edited["subtype"], edited["hidden"]) == ("message_changed", True)
        assert (edited["message"]["text"], edited["previous_message"]["text"]) == ("two", "one")
        assert edited["message"]["edited"]["user"] == ada.id
        assert edited["message"]["ts"] == sent.message_id != edited["ts"]
        await slack.delete(chat, sent.message_id)
        deleted = await line.event()
        assert (deleted["subtype"], deleted["deleted_ts"]) == ("message_deleted", sent.message_id)
        assert deleted["previous_message"]["text"] == "two"


async def test_own_posts_come_back(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    async with socket(api) as line:
        posted = await api.ok("chat.postMessage", {"channel": chat.id, "text": "a"})
        event = await line.event()
        assert (event["bot_id"], event["user"], event["ts"]) == (slack.bot_id, slack.bot_user_id, posted["ts"])
        assert "subtype" not in event
        await api.ok("chat.update", {"channel": chat.id, "ts": posted["ts"], "text": "b"})
        assert (await line.event())["subtype"] == "message_changed"
        await api.ok("chat.delete", {"channel": chat.id, "ts": posted["ts"]})
        assert (await line.event())["subtype"] == "message_deleted"
        await api.ok("chat.postMessage", {"channel": chat.id, "text": "c", "username": "Somebody"})
        assert (await line.event())["subtype"] == "bot_message"


async def test_messages_of_other_kinds_name_them(slack: Slack, api: Api) -> None:
    ada, bo = await slack.user("Ada"), await slack.user("Bo")
    other = await slack.user("Robot", is_bot=True)
    room = await slack.channel("general", members=[ada, other])
    async with socket(api) as line:
        first = await slack.write(room, ada, "x", subtype="me_message")
        assert (await line.event())["subtype"] == "me_message"
        await slack.send_file(room, ada, name="notes.txt", caption="look")
        event = await line.event()
        assert (event["subtype"], event["files"][0]["name"], event["text"]) == ("file_share", "notes.txt", "look")
        await slack.write(room, ada, "all", thread=first.message_id, broadcast=True)
        event = await line.event()
        assert (event["subtype"], event["thread_ts"]) == ("thread_broadcast", first.message_id)
        await slack.set_topic(room, ada, "Plans")
        assert (await line.event())["subtype"] == "channel_topic"
        await slack.pin(room, ada, first.message_id)
        assert (await line.event())["subtype"] == "pinned_item"
        await slack.join(room, bo, inviter=ada)
        joined = await line.event()
        assert (joined["type"], joined["user"], joined["inviter"]) == ("member_joined_channel", bo.id, ada.id)
        assert (await line.event())["subtype"] == "channel_join"
        await slack.write(room, other, "beep")
        assert (await line.event())["bot_id"] != slack.bot_id
        await slack.react(room, ada, first.message_id, "eyes")
        reaction = await line.event()
        assert (reaction["type"], reaction["item"]["ts"]) == ("reaction_added", first.message_id)


async def test_reply_names_its_thread(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    first = await slack.write(room, ada, "question")
    async with socket(api) as line:
        await line.event()
        await slack.write(room, ada, "@Guide?", thread=first.message_id)
        event = await line.event("app_mention")
    assert (event["thread_ts"], event["parent_user_id"]) == (first.message_id, ada.id)


async def test_someone_of_another_workspace_is_marked(slack: Slack, api: Api) -> None:
    other = await slack.workspace("Other", installed=False)
    cleo = await slack.user("Cleo", workspace=other)
    ada = await slack.user("Ada")
    room = await slack.channel("shared", members=[ada, cleo], workspaces=[slack.team_id, other])
    async with socket(api) as line:
        await slack.write(room, cleo, "hello")
        body = (await line.envelope())["payload"]
        assert (body["is_ext_shared_channel"], body["team_id"]) == (True, slack.team_id)
        assert (body["event"]["user_team"], body["event"]["source_team"]) == (other.team_id, other.team_id)
        await slack.write(room, ada, "hi")
        assert "user_team" not in (await line.event())
    assert (await api.ask("conversations.info", {"channel": room.id}))["channel"]["is_ext_shared"] is True


async def test_each_workspace_has_its_own_bot(slack: Slack, api: Api) -> None:
    other = await slack.workspace("Other")
    dan = await slack.user("Dan", workspace=other)
    chat = await slack.private_chat(dan)
    async with socket(api) as line:
        await slack.write(chat, dan, "hello")
        body = (await line.envelope())["payload"]
        assert (body["team_id"], body["authorizations"][0]["user_id"]) == (other.team_id, other.bot_user_id)
    post = {"channel": chat.id, "text": "x"}
    assert (await api("chat.postMessage", post))["error"] == "channel_not_found"
    assert (await api("chat.postMessage", post, token=other.bot_token))["ok"] is True
    assert (await slack.wait_message(chat, text="x")).sender == other.bot_user_id


async def test_organisation_has_one_token_for_all_its_workspaces(slack: Slack, api: Api) -> None:
    north, south = await slack.organisation("Org", ["North", "South"])
    assert north.bot_token == south.bot_token
    sue = await slack.user("Sue", workspace=south)
    room = await slack.channel("plans", members=[sue], workspaces=[south])
    async with socket(api) as line:
        await slack.write(room, sue, "hello")
        body = (await line.envelope())["payload"]
    assert (body["team_id"], body["enterprise_id"]) == (south.team_id, south.enterprise_id)
    assert body["authorizations"][0]["is_enterprise_install"] is True
    assert (await api.ask("conversations.list", {}, token=north.bot_token))["error"] == "missing_argument"
    rooms = await api.ask("conversations.list", {"team_id": south.team_id}, token=north.bot_token)
    assert [channel["id"] for channel in rooms["channels"]] == [room.id]
    await slack.violations(forget=True)


async def test_end_of_the_installation_is_told(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    async with socket(api) as line:
        await slack.uninstall()
        assert {(await line.event())["type"] for _ in range(2)} == {"tokens_revoked", "app_uninstalled"}
        assert (await slack.write(room, ada, "@Guide?")).event_id is None


async def test_any_event_can_be_made_up_or_told_again(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    async with socket(api) as line:
        await slack.inject({"type": "event_callback", "event": {"type": "from_the_future"}})
        assert (await line.event())["type"] == "from_the_future"
        await slack.inject_event({"type": "message"})
        assert await line.event() == {"type": "message"}
        sent = await slack.write(chat, ada, "once")
        first = await line.envelope()
        await slack.repeat(sent.event_ids[0])
        second = await line.envelope()
    assert first["payload"] == second["payload"]
    assert first["envelope_id"] != second["envelope_id"]


async def test_events_can_be_held_back_and_turned_round(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    async with socket(api) as line:
        await slack.pause()
        for text in ("a", "b", "c"):
            await slack.write(chat, ada, text)
        await slack.resume(reversed_once=True)
        assert [(await line.event())["text"] for _ in range(3)] == ["c", "b", "a"]


async def test_load_is_spread_over_its_chats_and_measured(slack: Slack, api: Api) -> None:
    async with socket(api) as line:
        loading = asyncio.create_task(slack.load(6, chats=3))
        chats = []
        for _ in range(6):
            event = await line.event()
            chats.append(event["channel"])
            await api.ok("chat.postMessage", {"channel": event["channel"], "text": "echo"})
            await line.event()  # the bot's own
        assert await loading == 6
    assert len(set(chats)) == 3
    seconds = [entry.seconds for entry in await slack.latencies("chat.postMessage")]
    assert len(seconds) == 6
    assert all(each is not None and 0 < each < 10 for each in seconds)
