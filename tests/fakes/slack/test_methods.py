"""The Web API as Slack's own client uses it, in all four forms of its requests."""

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack.client import Slack
from tests.fakes.slack.raw import Api
from tests.fakes.slack.samples import CARD, modal, section


async def test_the_bot_learns_who_it_is_and_what_it_may(slack: Slack, sdk: AsyncWebClient) -> None:
    answer = await sdk.auth_test()
    assert (answer["team_id"], answer["user_id"], answer["bot_id"]) == (slack.team_id, slack.bot_user_id, slack.bot_id)
    assert "chat:write" in answer.headers["x-oauth-scopes"].split(",")


async def test_post_is_shown_as_people_see_it(slack: Slack, sdk: AsyncWebClient) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    answer = await sdk.chat_postMessage(channel=chat.id, text="fallback", blocks=CARD)
    [message] = await slack.messages(chat)
    assert answer["ts"] == message.id
    assert (message.text, message.fallback, message.by_bot) == ("Send it?", "fallback", True)
    assert (message.buttons, message.data) == ((("Approve", "Reject"),), (("yes", "no"),))
    assert message.styles_of_buttons == (("primary", "danger"),)


async def test_all_forms_of_a_request_are_read(slack: Slack, sdk: AsyncWebClient, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    posted = await sdk.chat_postMessage(channel=room.id, text="one")  # JSON
    await sdk.reactions_add(channel=room.id, timestamp=posted["ts"], name="eyes")  # POST with a query
    history = await sdk.conversations_history(channel=room.id, limit=1, inclusive=True)  # GET with a query
    assert history["messages"][0]["reactions"][0]["name"] == "eyes"
    form = {"token": slack.bot_token, "channel": room.id, "blocks": '[{"type": "divider"}]', "unfurl_links": "0"}
    async with api.http.post(f"{slack.api_url}chat.postMessage", data=form) as response:
        assert (await response.json())["ok"] is True


async def test_token_in_the_address_is_refused(slack: Slack, api: Api) -> None:
    async with api.http.post(f"{slack.api_url}auth.test", params={"token": slack.bot_token}) as response:
        assert (await response.json())["error"] == "not_authed"
    assert "address" in (await slack.violations(forget=True))[0].reason


@pytest.mark.parametrize(
    ("token", "code"), [("xoxb-unknown", "invalid_auth"), ("", "not_authed"), ("{app}", "not_allowed_token_type")]
)
async def test_other_tokens_open_nothing(slack: Slack, api: Api, token: str, code: str) -> None:
    headers = {"Authorization": f"Bearer {token.format(app=slack.app_token)}"}
    async with api.http.post(f"{slack.api_url}auth.test", headers=headers) as response:
        assert (await response.json())["error"] == code
    await slack.violations(forget=True)


async def test_bot_token_opens_no_socket(api: Api) -> None:
    assert await api.breach("apps.connections.open") == "not_allowed_token_type"


async def test_revoked_token_and_removed_app_are_told_apart(slack: Slack, api: Api) -> None:
    other = await slack.workspace("Other")
    await slack.revoke_tokens()
    assert (await api("auth.test"))["error"] == "token_revoked"
    await slack.uninstall(other)
    assert (await api("auth.test", token=other.bot_token))["error"] == "account_inactive"


async def test_scope_that_is_missing_is_named(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("secret", members=[ada], private=True)
    await slack.set_scopes(remove=["groups:read", "chat:write"])
    answer = await api.ask("conversations.info", {"channel": room.id})
    assert (answer["error"], answer["needed"]) == ("missing_scope", "groups:read")
    assert "channels:read" in answer["provided"]
    assert await api.refused("chat.postMessage", {"channel": room.id, "text": "x"}) == "missing_scope"


async def test_unknown_methods_and_arguments_are_counted(slack: Slack, api: Api) -> None:
    assert await api.breach("chat.shout", {"channel": "C1"}) == "unknown_method"
    assert await api.breach("auth.test", {"colour": "red"}) == "invalid_arguments"


async def test_methods_that_read_no_json_say_so(api: Api) -> None:
    assert await api.breach("users.info", {"user": "U1"}) == "invalid_post_type"


@pytest.mark.parametrize(
    ("body", "kind", "code"),
    [
        pytest.param("{", "application/json", "invalid_arguments", id="no JSON"),
        pytest.param("[]", "application/json", "invalid_arguments", id="no object"),
        pytest.param('{"text": "\\ud83d"}', "application/json", "invalid_charset", id="half a pair"),
        pytest.param("x", "text/plain", "invalid_post_type", id="plain text"),
    ],
)
async def test_body_that_cannot_be_read_is_counted(slack: Slack, api: Api, body: str, kind: str, code: str) -> None:
    async with api.http.post(f"{slack.api_url}chat.postMessage", data=body, headers={"Content-Type": kind}) as response:
        assert (await response.json())["error"] == code
    assert len(await slack.violations(forget=True)) == 1


async def test_where_the_bot_is_not_it_cannot_write(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    public = await slack.channel("general", members=[ada], bot=False)
    private = await slack.channel("secret", members=[ada], bot=False, private=True)
    assert await api.refused("chat.postMessage", {"channel": public.id, "text": "x"}) == "not_in_channel"
    assert await api.refused("chat.postMessage", {"channel": private.id, "text": "x"}) == "channel_not_found"
    assert (await api.ask("conversations.info", {"channel": public.id}))["channel"]["is_member"] is False
    assert (await api.ask("conversations.info", {"channel": private.id}))["error"] == "channel_not_found"
    await slack.join(public, inviter=ada)
    await slack.archive(public)
    assert await api.refused("chat.postMessage", {"channel": public.id, "text": "x"}) == "is_archived"


async def test_bot_that_was_removed_finds_out_by_itself(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    await slack.remove_bot(room)
    assert await api.refused("chat.postMessage", {"channel": room.id, "text": "x"}) == "not_in_channel"
    assert await slack.deliveries() == []


async def test_update_keeps_what_is_left_out(slack: Slack, sdk: AsyncWebClient) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    metadata = {"event_type": "card", "event_payload": {"id": 1}}
    posted = await sdk.chat_postMessage(channel=chat.id, text="a", blocks=CARD, metadata=metadata)
    await sdk.chat_update(channel=chat.id, ts=posted["ts"], text="b")
    kept = await slack.wait_message(chat, edits=1)
    assert (kept.text, kept.fallback, kept.raw["metadata"]) == ("Send it?", "b", metadata)
    await sdk.chat_update(channel=chat.id, ts=posted["ts"], text="c", blocks=[])
    assert (await slack.wait_message(chat, text="c", no_buttons=True)).edited


async def test_only_own_messages_can_be_changed(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    theirs = await slack.write(chat, ada, "mine")
    change = {"channel": chat.id, "ts": theirs.message_id}
    assert await api.refused("chat.update", {**change, "text": "x"}) == "cant_update_message"
    assert await api.refused("chat.delete", change) == "cant_delete_message"
    own = (await api.ok("chat.postMessage", {"channel": chat.id, "text": "x"}))["ts"]
    await api.ok("chat.delete", {"channel": chat.id, "ts": own})
    assert await api.refused("chat.update", {"channel": chat.id, "ts": own, "text": "x"}) == "message_not_found"
    assert (await slack.wait_message(chat, message=own, deleted=True)).text == "x"


async def test_rich_text_stays_rich(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    words = {"type": "rich_text_section", "elements": [{"type": "text", "text": "a"}]}
    rich = [{"type": "rich_text", "elements": [words]}]
    own = (await api.ok("chat.postMessage", {"channel": chat.id, "blocks": rich}))["ts"]
    change = {"channel": chat.id, "ts": own, "blocks": [section("b")]}
    assert await api.breach("chat.update", change) == "block_mismatch"


async def test_ephemeral_message_is_for_one_and_cannot_be_updated(slack: Slack, api: Api) -> None:
    ada, bo = await slack.user("Ada"), await slack.user("Bo")
    room = await slack.channel("general", members=[ada, bo])
    for_ada = {"channel": room.id, "user": ada.id, "text": "psst"}
    ts = (await api.ok("chat.postEphemeral", for_ada))["message_ts"]
    assert await slack.messages(room) == []
    assert [message.text for message in await slack.messages(room, ephemeral_for=ada)] == ["psst"]
    assert await slack.messages(room, ephemeral_for=bo) == []
    assert await api.breach("chat.update", {"channel": room.id, "ts": ts, "text": "x"}) == "cant_update_message"
    stranger = await slack.user("Eve")
    assert await api.refused("chat.postEphemeral", {**for_ada, "user": stranger.id}) == "user_not_in_channel"


async def test_threads_hang_on_their_first_message(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    first = (await slack.write(room, ada, "question")).message_id
    answer = {"channel": room.id, "text": "answer", "thread_ts": first}
    reply = (await api.ok("chat.postMessage", answer))["ts"]
    assert await api.breach("chat.postMessage", {**answer, "thread_ts": reply}) == "cannot_reply_to_message"
    assert await api.refused("chat.postMessage", {**answer, "thread_ts": "1.000001"}) == "cannot_reply_to_message"
    thread = (await api.ask("conversations.replies", {"channel": room.id, "ts": first}))["messages"]
    assert [message["text"] for message in thread] == ["question", "answer"]
    assert thread[0]["reply_count"] == 1
    history = (await api.ask("conversations.history", {"channel": room.id}))["messages"]
    assert [message["text"] for message in history] == ["question"]
    await api.ok("chat.postMessage", {**answer, "text": "seen by all", "reply_broadcast": True})
    assert (await slack.wait_message(room, text="seen by all", thread=first)).broadcast
    link = (await api.ask("chat.getPermalink", {"channel": room.id, "message_ts": reply}))["permalink"]
    assert f"thread_ts={first}" in link


async def test_long_text_is_cut_with_a_warning(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    answer = await api.ok("chat.postMessage", {"channel": chat.id, "text": "x" * 40_001})
    assert answer["response_metadata"]["warnings"] == ["message_truncated"]
    assert len((await slack.messages(chat))[0].text) == 40_000
    long = {"channel": chat.id, "ts": answer["ts"], "text": "x" * 4_001}
    assert await api.breach("chat.update", long) == "msg_too_long"


async def test_people_are_described(slack: Slack, sdk: AsyncWebClient) -> None:
    other = await slack.workspace("Other", installed=False)
    ada = await slack.user("Ada", real_name="Ada Lovelace")
    guest = await slack.user("Gus", is_restricted=True)
    gone = await slack.user("Bo", deleted=True)
    friend = await slack.user("Cleo", workspace=other)
    await slack.channel("shared", members=[ada, friend], workspaces=[slack.team_id, other])
    far = await slack.user("Dan", workspace=other)
    shown = {who.name: (await sdk.users_info(user=who.id))["user"] for who in (ada, guest, gone, friend, far)}
    assert (shown["Ada"]["profile"]["display_name"], shown["Ada"]["real_name"]) == ("Ada", "Ada Lovelace")
    assert (shown["Gus"]["is_restricted"], shown["Bo"]["deleted"]) == (True, True)
    assert (shown["Cleo"]["team_id"], shown["Cleo"]["is_stranger"]) == (other.team_id, False)
    assert shown["Dan"]["is_stranger"] is True
    with pytest.raises(SlackApiError, match="user_not_found"):
        await sdk.users_info(user="U0")
    people = await sdk.users_list()
    assert {member["name"] for member in people["members"]} == {"guide", "ada", "gus", "bo"}
    bot = await sdk.bots_info(bot=slack.bot_id)
    assert bot["bot"]["user_id"] == slack.bot_user_id


async def test_lists_come_in_pages(slack: Slack, sdk: AsyncWebClient) -> None:
    ada = await slack.user("Ada")
    for number in range(5):
        await slack.channel(f"room-{number}", members=[ada])
    names = []
    async for page in await sdk.users_conversations(types="public_channel,private_channel", limit=2):
        assert len(page["channels"]) <= 2
        names += [channel["name"] for channel in page["channels"]]
    assert names == [f"room-{number}" for number in range(5)]
    with pytest.raises(SlackApiError, match="invalid_cursor"):
        await sdk.conversations_list(cursor="made-up")
    await slack.violations(forget=True)


async def test_direct_messages_are_opened_once(slack: Slack, sdk: AsyncWebClient) -> None:
    ada, bo = await slack.user("Ada"), await slack.user("Bo")
    chat = await slack.private_chat(ada)
    assert (await sdk.conversations_open(users=[ada.id]))["channel"]["id"] == chat.id
    group = (await sdk.conversations_open(users=[ada.id, bo.id], return_im=True))["channel"]
    assert group["is_mpim"] is True
    assert (await sdk.conversations_members(channel=group["id"]))["members"] == [ada.id, bo.id, slack.bot_user_id]
    assert (await sdk.conversations_info(channel=chat.id))["channel"]["user"] == ada.id


async def test_reactions_count_once(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    sent = await slack.write(chat, ada, "x")
    eyes = {"channel": chat.id, "timestamp": sent.message_id, "name": "eyes"}
    await api.ok("reactions.add", eyes)
    assert await api.refused("reactions.add", eyes) == "already_reacted"
    assert (await slack.messages(chat))[0].reactions == ("eyes",)
    await api.ok("reactions.remove", eyes)
    assert await api.refused("reactions.remove", eyes) == "no_reaction"
    assert await api.breach("reactions.add", {**eyes, "name": ":eyes:"}) == "invalid_name"


@pytest.mark.filterwarnings("ignore:BasicAuth is deprecated")  # the SDK uses it
async def test_app_is_installed_by_code(slack: Slack, sdk: AsyncWebClient) -> None:
    other = await slack.workspace("Other", code="a-code")
    keys = {"client_id": slack.client_id, "client_secret": slack.client_secret, "code": "a-code"}
    answer = await sdk.oauth_v2_access(**keys)
    assert answer["team"]["id"] == other.team_id
    assert answer["access_token"] not in ("", slack.bot_token)
    with pytest.raises(SlackApiError, match="invalid_code"):
        await sdk.oauth_v2_access(**keys)


async def test_home_tab_is_published_and_guarded_by_its_hash(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    home = {"type": "home", "blocks": [section("Welcome")]}
    view = (await api.ok("views.publish", {"user_id": ada.id, "view": home}))["view"]
    assert (await slack.wait_view(ada, kind="home")).text == "Welcome"
    changed = {"user_id": ada.id, "view": {**home, "blocks": [section("Hello")]}, "hash": view["hash"]}
    await api.ok("views.publish", changed)
    assert await api.refused("views.publish", changed) == "hash_conflict"
    assert await api.breach("views.publish", {"user_id": ada.id, "view": modal()}) == "invalid_arguments"


async def test_strict_rate_lets_one_post_a_second_into_a_channel(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    one, other = await slack.private_chat(ada), await slack.channel("general", members=[ada])
    await slack.settings(strict_rate=True)
    await api.ok("chat.postMessage", {"channel": one.id, "text": "x"})
    headers = {"Authorization": f"Bearer {slack.bot_token}"}
    again = {"channel": one.id, "text": "x"}
    async with api.http.post(f"{slack.api_url}chat.postMessage", json=again, headers=headers) as response:
        assert (response.status, response.headers["Retry-After"]) == (429, "1")
        assert (await response.json())["error"] == "ratelimited"
    await api.ok("chat.postMessage", {"channel": other.id, "text": "x"})
    await slack.advance(1)
    await api.ok("chat.postMessage", {"channel": one.id, "text": "x"})
