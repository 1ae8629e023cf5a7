"""python-telegram-bot's Bot against the fake: what it sends is taken, what it gets it understands."""

from collections.abc import AsyncIterator

import pytest
from telegram import (
    Bot,
    BotCommand,
    BotCommandScopeAllPrivateChats,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    MessageEntity,
    ReactionTypeEmoji,
    ReplyParameters,
)
from telegram.error import BadRequest, ChatMigrated, Conflict, Forbidden, InvalidToken, RetryAfter

from tests.fakes.telegram.client import Telegram
from tests.fakes.telegram.raw import Api


@pytest.fixture
async def bot(telegram: Telegram) -> AsyncIterator[Bot]:
    made = Bot(telegram.token, base_url=f"{telegram.api_url}/bot", base_file_url=f"{telegram.api_url}/file/bot")
    async with made:
        yield made


async def test_a_day_in_the_life_of_a_card(telegram: Telegram, bot: Bot) -> None:
    assert bot.username == telegram.bot_username
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    await telegram.write(chat, ada, "/start now")
    [update] = await bot.get_updates(timeout=5, allowed_updates=["message", "callback_query", "my_chat_member"])
    assert update.message is not None
    assert update.message.parse_entities() != {}
    await bot.send_chat_action(chat.id, "typing")
    keyboard = InlineKeyboardMarkup(
        [[InlineKeyboardButton("Approve", callback_data="t:1"), InlineKeyboardButton("No", callback_data="t:2")]]
    )
    card = await bot.send_message(
        chat.id,
        "Shall I?",
        entities=[MessageEntity("bold", 0, 5)],
        reply_markup=keyboard,
        reply_parameters=ReplyParameters(update.message.message_id),
    )
    assert card.reply_to_message is not None
    press = await telegram.press(chat, ada, card.message_id, "Approve")
    [update] = await bot.get_updates(offset=update.update_id + 1, timeout=5)
    query = update.callback_query
    assert query is not None
    assert (query.data, query.from_user.id) == ("t:1", ada.id)
    await bot.answer_callback_query(query.id, "Done")
    assert (await telegram.wait_answer(press)).text == "Done"
    await bot.edit_message_text("Approved", chat.id, card.message_id)
    shown = await telegram.wait_message(chat, text="Approved", no_buttons=True)
    assert shown.id == card.message_id
    await bot.set_message_reaction(chat.id, card.message_id, ReactionTypeEmoji("👍"))
    await bot.set_my_commands([BotCommand("help", "What I can do")], scope=BotCommandScopeAllPrivateChats())
    assert [command.command for command in await bot.get_my_commands(BotCommandScopeAllPrivateChats())] == ["help"]
    await bot.send_message_draft(chat.id, 5, "so far")
    await bot.delete_message(chat.id, card.message_id)
    await bot.edit_message_reply_markup(
        chat.id, (await bot.send_message(chat.id, "*x*", parse_mode="MarkdownV2")).message_id, reply_markup=keyboard
    )
    assert (await bot.get_chat(chat.id)).first_name == "Ada"
    assert await telegram.violations() == []


async def test_files_go_up_and_come_down(telegram: Telegram, bot: Bot) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    message = await bot.send_document(chat.id, b"a,b\n", filename="table.csv", caption="<b>Here</b>", parse_mode="HTML")
    assert message.document is not None
    assert message.document.file_name == "table.csv"
    file = await bot.get_file(message.document.file_id)
    assert await file.download_as_bytearray() == b"a,b\n"
    await bot.send_document(chat.id, message.document.file_id)
    await telegram.send_file(chat, ada, kind="voice", mime="audio/ogg")
    await telegram.send_file(chat, ada, kind="photo", mime="image/png")
    voice, photo = await bot.get_updates(timeout=5)
    assert voice.message is not None
    assert voice.message.voice is not None
    assert photo.message is not None
    assert photo.message.photo


@pytest.mark.filterwarnings("ignore:.*retry_after:DeprecationWarning")
async def test_refusals_become_the_right_errors(telegram: Telegram, bot: Bot) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    group = await telegram.group("Plans", members=[ada])
    with pytest.raises(BadRequest, match="Chat not found"):
        await bot.send_message(1, "x")
    moved = await telegram.migrate(group, ada)
    with pytest.raises(ChatMigrated) as caught:
        await bot.send_message(group.id, "x")
    assert caught.value.new_chat_id == moved.chat.id
    await telegram.fail("sendMessage", status=429, retry_after=7)
    with pytest.raises(RetryAfter):
        await bot.send_message(chat.id, "x")
    await telegram.block(chat, ada)
    with pytest.raises(Forbidden):
        await bot.send_message(chat.id, "x")
    await telegram.fail("getUpdates", status=409)
    with pytest.raises(Conflict):
        await bot.get_updates()
    await telegram.settings(revoked=True)
    with pytest.raises(InvalidToken):
        await bot.send_message(chat.id, "x")


async def test_topics_keep_their_thread(telegram: Telegram, bot: Bot, api: Api) -> None:
    ada = await telegram.user("Ada")
    forum = await telegram.forum("House", members=[ada])
    topic = await telegram.topic(forum, ada, "Kitchen")
    await telegram.write(forum, ada, "hi", thread=topic)
    [update] = await bot.get_updates(timeout=5)
    assert update.message is not None
    assert (update.message.message_thread_id, update.message.is_topic_message) == (topic, True)
    answer = await bot.send_message(forum.id, "hello", message_thread_id=topic)
    assert (await telegram.wait_message(forum, thread=topic)).id == answer.message_id
