"""The methods as a plain HTTP client sees them: state, and the words of each refusal."""

import pytest

from tests.fakes.telegram.client import ContractBroken, Telegram, running_telegram
from tests.fakes.telegram.raw import Api, raw_api

KEYBOARD = {
    "inline_keyboard": [[{"text": "Approve", "callback_data": "yes"}, {"text": "Reject", "callback_data": "no"}]]
}


async def test_sent_message_comes_back_as_people_see_it(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada", username="ada_l")
    chat = await telegram.private_chat(ada)
    entities = [{"type": "bold", "offset": 0, "length": 5}]
    arguments = {"chat_id": chat.id, "text": "hello you", "entities": entities, "reply_markup": KEYBOARD}
    result = await api.ok("sendMessage", arguments)
    assert result["chat"] == {"id": ada.id, "type": "private", "first_name": "Ada", "username": "ada_l"}
    assert result["from"]["is_bot"] is True
    assert result["reply_markup"] == KEYBOARD
    [shown] = await telegram.messages(chat)
    assert (shown.text, shown.entities, shown.buttons) == ("hello you", tuple(entities), (("Approve", "Reject"),))


async def test_form_and_query_say_the_same_as_json(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    form = {"chat_id": str(chat.id), "text": "a", "reply_parameters": '{"message_id": 9999999}'}
    async with api.http.post(f"{api.base}/SENDMESSAGE", data=form) as response:
        assert (await response.json())["description"] == "Bad Request: message to be replied not found"
    async with api.http.get(f"{api.base}/sendmessage", params={"chat_id": str(chat.id), "text": "b"}) as response:
        assert response.status == 200


async def test_unknown_tokens_paths_and_methods_are_told_apart(telegram: Telegram, api: Api) -> None:
    for path, status, text in (
        (f"bot{telegram.token}x/getMe", 401, "Unauthorized"),
        ("botfoo/getMe", 404, "Not Found"),
        ("anything", 404, "Not Found"),
        (f"bot{telegram.token}/getEverything", 404, "Not Found: method not found"),
    ):
        async with api.http.post(f"{telegram.api_url}/{path}") as response:
            assert (response.status, (await response.json())["description"]) == (status, text)
    assert [entry.method for entry in await telegram.violations(forget=True)] == ["getEverything"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"text": "x"}, "chat_id is empty"),
        ({"chat_id": 1, "text": ""}, "message text is empty"),
        ({"chat_id": 1, "text": "x" * 4097}, "message is too long"),
        ({"chat_id": 1, "text": "x", "parse_mode": "bbcode"}, "unsupported parse_mode"),
        (
            {
                "chat_id": 1,
                "text": "x",
                "reply_markup": {"inline_keyboard": [[{"text": "a", "callback_data": "x" * 65}]]},
            },
            "BUTTON_DATA_INVALID",
        ),
    ],
)
async def test_what_can_never_work_is_refused_and_counted(
    telegram: Telegram, api: Api, arguments: dict[str, object], expected: str
) -> None:
    assert await api.refused("sendMessage", arguments) == f"Bad Request: {expected}"
    [violation] = await telegram.violations(forget=True)
    assert violation.method == "sendMessage"


async def test_parameter_that_does_not_exist_is_counted(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    await api.refused("sendMessage", {"chat_id": chat.id, "text": "x", "colour": "red"})
    assert "colour" in (await telegram.violations(forget=True))[0].reason
    assert await telegram.messages(chat) == []


async def test_unexpected_violation_fails_the_test_that_ran() -> None:
    with pytest.raises(ContractBroken, match="message text is empty"):
        async with running_telegram() as own, raw_api(own) as raw:
            await raw.refused("sendMessage", {"chat_id": 1, "text": ""})


async def test_state_decides_without_blaming_the_caller(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    stranger = await telegram.user("Eve")
    chat = await telegram.private_chat(ada)
    await telegram.private_chat(stranger, started=False)
    hello = {"chat_id": chat.id, "text": "x"}
    missing = await api.refused("sendMessage", {"chat_id": 5, "text": "x"})
    assert missing == "Bad Request: chat not found"
    unasked = await api.refused("sendMessage", {"chat_id": stranger.id, "text": "x"})
    assert unasked == "Forbidden: bot can't initiate conversation with a user"
    await telegram.block(chat, ada)
    assert await api.refused("sendMessage", hello) == "Forbidden: bot was blocked by the user"
    await telegram.unblock(chat, ada)
    await api.ok("sendMessage", hello)
    await telegram.deactivate(chat)
    assert await api.refused("sendMessage", hello) == "Forbidden: user is deactivated"


async def test_removed_bot_cannot_write_to_groups(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    group = await telegram.group("Plans", members=[ada])
    big = await telegram.supergroup("Plans", members=[ada])
    await telegram.set_bot(group, ada, "kicked")
    await telegram.set_bot(big, ada, "kicked")
    kicked = await api.refused("sendMessage", {"chat_id": group.id, "text": "x"})
    assert kicked == "Forbidden: bot was kicked from the group chat"
    kicked = await api.refused("editMessageText", {"chat_id": big.id, "message_id": 1, "text": "x"})
    assert kicked == "Forbidden: bot was kicked from the supergroup chat"
    await telegram.set_bot(big, ada, "left")
    assert await api.refused("getChat", {"chat_id": big.id}) == "Forbidden: bot is not a member of the supergroup chat"


async def test_edits_change_own_texts_only(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    theirs = await telegram.write(chat, ada, "mine")
    number = (await api.ok("sendMessage", {"chat_id": chat.id, "text": "one", "reply_markup": KEYBOARD}))["message_id"]
    edit = {"chat_id": chat.id, "message_id": number, "text": "two"}
    assert "edit_date" in await api.ok("editMessageText", edit)
    shown = await telegram.wait_message(chat, text="two", edits=1)
    assert shown.buttons == ()
    assert "message is not modified" in await api.refused("editMessageText", edit)
    not_ours = await api.refused("editMessageText", {**edit, "message_id": theirs.message_id})
    assert not_ours == "Bad Request: message can't be edited"
    await telegram.remove_message(chat, number)
    assert await api.refused("editMessageText", edit) == "Bad Request: message to edit not found"


async def test_markup_alone_can_be_edited(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    number = (await api.ok("sendMessage", {"chat_id": chat.id, "text": "one", "reply_markup": KEYBOARD}))["message_id"]
    await api.ok("editMessageReplyMarkup", {"chat_id": chat.id, "message_id": number})
    assert (await telegram.wait_message(chat, no_buttons=True, edits=1)).text == "one"


async def test_deleted_messages_are_gone_for_everyone(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    group = await telegram.group("Plans", members=[ada])
    theirs = await telegram.write(group, ada, "x")
    number = (await api.ok("sendMessage", {"chat_id": group.id, "text": "one"}))["message_id"]
    delete = {"chat_id": group.id, "message_id": number}
    assert await api.ok("deleteMessage", delete) is True
    assert await api.refused("deleteMessage", delete) == "Bad Request: message to delete not found"
    not_ours = await api.refused("deleteMessage", {**delete, "message_id": theirs.message_id})
    assert not_ours == "Bad Request: message can't be deleted"
    await telegram.wait_message(group, text="one", deleted=True)


async def test_own_message_cannot_be_deleted_after_two_days(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    number = (await api.ok("sendMessage", {"chat_id": chat.id, "text": "old"}))["message_id"]
    await telegram.advance(49 * 3600)
    refusal = await api.refused("deleteMessages", {"chat_id": chat.id, "message_ids": [number]})
    assert refusal == "Bad Request: message can't be deleted for everyone"


async def test_reply_needs_its_message_unless_told_otherwise(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    sent = await telegram.write(chat, ada, "question")
    arguments = {"chat_id": chat.id, "text": "answer", "reply_parameters": {"message_id": sent.message_id}}
    assert (await api.ok("sendMessage", arguments))["reply_to_message"]["text"] == "question"
    await telegram.remove_message(chat, sent.message_id)
    assert await api.refused("sendMessage", arguments) == "Bad Request: message to be replied not found"
    anyway = {"message_id": sent.message_id, "allow_sending_without_reply": True}
    assert "reply_to_message" not in await api.ok("sendMessage", {**arguments, "reply_parameters": anyway})


async def test_topics_take_messages_until_they_are_gone(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    forum = await telegram.forum("House", members=[ada])
    topic = await telegram.topic(forum, ada, "Kitchen")
    into = {"chat_id": forum.id, "text": "x", "message_thread_id": topic}
    result = await api.ok("sendMessage", into)
    assert (result["message_thread_id"], result["is_topic_message"]) == (topic, True)
    assert result["reply_to_message"]["forum_topic_created"]["name"] == "Kitchen"
    general = await api.ok("sendMessage", {"chat_id": forum.id, "text": "x"})
    assert "message_thread_id" not in general
    missing = "Bad Request: message thread not found"
    assert await api.refused("sendMessage", {**into, "message_thread_id": 1}) == missing
    await telegram.close_topic(forum, topic)
    assert await api.refused("sendMessage", into) == "Bad Request: TOPIC_CLOSED"
    await telegram.delete_topic(forum, topic)
    assert await api.refused("sendMessage", into) == missing


async def test_migrated_group_names_its_new_number(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    group = await telegram.group("Plans", members=[ada])
    moved = await telegram.migrate(group, ada)
    status, body = await api("sendMessage", {"chat_id": group.id, "text": "x"})
    assert (status, body["parameters"]) == (400, {"migrate_to_chat_id": moved.chat.id})
    assert body["description"] == "Bad Request: group chat was upgraded to a supergroup chat"
    await api.ok("sendMessage", {"chat_id": moved.chat.id, "text": "x"})


async def test_press_is_answered_once_and_in_time(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    number = (await api.ok("sendMessage", {"chat_id": chat.id, "text": "?", "reply_markup": KEYBOARD}))["message_id"]
    press = await telegram.press(chat, ada, number, "Approve")
    answer = {"callback_query_id": press.query_id, "text": "Thanks", "show_alert": True}
    await api.ok("answerCallbackQuery", answer)
    assert (await telegram.wait_answer(press)).text == "Thanks"
    late = "Bad Request: query is too old and response timeout expired or query ID is invalid"
    assert await api.refused("answerCallbackQuery", answer) == late
    second = await telegram.press(chat, ada, number, data="no")
    await telegram.advance(151)
    assert await api.refused("answerCallbackQuery", {"callback_query_id": second.query_id}) == late


async def test_commands_are_kept_by_scope_and_language(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    commands = [{"command": "help", "description": "What I can do"}]
    scope = {"type": "chat", "chat_id": chat.id}
    await api.ok("setMyCommands", {"commands": commands, "scope": scope})
    assert await api.ok("getMyCommands", {"scope": scope}) == commands
    assert await api.ok("getMyCommands") == []
    assert await telegram.commands(f"chat:{chat.id}") == commands
    await api.ok("deleteMyCommands", {"scope": scope})
    assert await api.ok("getMyCommands", {"scope": scope}) == []
    bad = {"commands": [{"command": "Help", "description": "x"}]}
    assert await api.refused("setMyCommands", bad) == "Bad Request: BOT_COMMAND_INVALID"
    await telegram.violations(forget=True)


async def test_chat_actions_reactions_and_drafts_are_remembered(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    sent = await telegram.write(chat, ada, "x")
    await api.ok("sendChatAction", {"chat_id": chat.id, "action": "typing"})
    assert [action["action"] for action in await telegram.actions(chat)] == ["typing"]
    reaction = [{"type": "emoji", "emoji": "👍"}]
    await api.ok("setMessageReaction", {"chat_id": chat.id, "message_id": sent.message_id, "reaction": reaction})
    assert (await telegram.messages(chat))[0].reactions == ("👍",)
    await api.ok("sendMessageDraft", {"chat_id": chat.id, "draft_id": 7, "text": "so f"})
    await api.ok("sendMessageDraft", {"chat_id": chat.id, "draft_id": 7, "text": "so far"})
    assert [draft["text"] for draft in await telegram.drafts(chat)] == ["so f", "so far"]
    await api.ok("sendMessage", {"chat_id": chat.id, "text": "so far so good"})
    assert await telegram.drafts(chat) == []
    assert await api.refused("sendChatAction", {"chat_id": chat.id, "action": "dance"}) == (
        "Bad Request: wrong parameter action in request"
    )
    await telegram.violations(forget=True)


async def test_who_is_in_a_chat_can_be_asked(telegram: Telegram, api: Api) -> None:
    ada, bo = await telegram.user("Ada"), await telegram.user("Bo")
    group = await telegram.supergroup("Plans", members=[ada], admins=[bo])
    assert (await api.ok("getChat", {"chat_id": group.id}))["title"] == "Plans"
    assert (await api.ok("getChatMember", {"chat_id": group.id, "user_id": bo.id}))["status"] == "administrator"
    assert [member["user"]["id"] for member in await api.ok("getChatAdministrators", {"chat_id": group.id})] == [bo.id]
    assert await api.ok("getChatMemberCount", {"chat_id": group.id}) == 3
    await api.ok("leaveChat", {"chat_id": group.id})
    await api.refused("getChat", {"chat_id": group.id})


async def test_latency_runs_from_update_to_first_call(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    sent = await telegram.write(chat, ada, "x")
    await api.ok("sendMessage", {"chat_id": chat.id, "text": "y"})
    found = {entry.update_id: entry.seconds for entry in await telegram.latencies("sendMessage")}
    seconds = found[sent.update_id or 0]
    assert seconds is not None
    assert 0 < seconds < 10


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        pytest.param("{", "application/json", "can't parse request body JSON object", id="no JSON"),
        pytest.param('{"text": "\\ud83d"}', "application/json", "strings must be encoded in UTF-8", id="half a pair"),
        pytest.param(
            "text=%ED%A0%BD", "application/x-www-form-urlencoded", "strings must be encoded in UTF-8", id="in a form"
        ),
    ],
)
async def test_body_that_cannot_be_read_is_refused_and_counted(
    telegram: Telegram, api: Api, body: str, kind: str, expected: str
) -> None:
    async with api.http.post(f"{api.base}/sendMessage", data=body, headers={"Content-Type": kind}) as response:
        assert (response.status, (await response.json())["description"]) == (400, f"Bad Request: {expected}")
    assert [entry.method for entry in await telegram.violations(forget=True)] == ["sendMessage"]
