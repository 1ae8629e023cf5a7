"""The table of the Bot API's methods: what each does lives in the file of its subject."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.fakes.telegram.arguments import Args
from tests.fakes.telegram.chats import (
    get_chat,
    get_chat_administrators,
    get_chat_member,
    get_chat_member_count,
    leave_chat,
)
from tests.fakes.telegram.documents import caption_of, get_file, send_document
from tests.fakes.telegram.errors import Json
from tests.fakes.telegram.markup import inline_keyboard
from tests.fakes.telegram.menus import commands_of, delete_my_commands, get_my_commands, set_my_commands
from tests.fakes.telegram.messages import (
    action_of,
    answer_callback_query,
    answer_of,
    delete_message,
    delete_messages,
    edit_message_reply_markup,
    edit_message_text,
    send_chat_action,
    send_message,
    send_message_draft,
    set_message_reaction,
    text_and_markup,
)
from tests.fakes.telegram.world import World


@dataclass(frozen=True, slots=True)
class Method:
    name: str
    apply: Callable[[World, Args], Any]
    """Check everything, then act; gives the `result`. Raises ApiError before anything has changed."""
    rules: Callable[[World, Args], object] = lambda world, args: None
    """The checks that need no state, for the exact words when the schema refuses."""


def get_me(world: World, args: Args) -> Json:
    return {
        **world.bot.json(),
        "can_join_groups": True,
        "can_read_all_group_messages": not world.privacy,
        "supports_inline_queries": False,
    }


def say_yes(world: World, args: Args) -> bool:
    return True


METHODS = (
    Method("getMe", get_me),
    Method("sendMessage", send_message, text_and_markup),
    Method("editMessageText", edit_message_text, text_and_markup),
    Method(
        "editMessageReplyMarkup", edit_message_reply_markup, lambda _, args: inline_keyboard(args.json("reply_markup"))
    ),
    Method("deleteMessage", delete_message),
    Method("deleteMessages", delete_messages),
    Method("answerCallbackQuery", answer_callback_query, answer_of),
    Method("sendChatAction", send_chat_action, action_of),
    Method("sendMessageDraft", send_message_draft),
    Method("setMessageReaction", set_message_reaction),
    Method("sendDocument", send_document, caption_of),
    Method("getFile", get_file),
    Method("setMyCommands", set_my_commands, commands_of),
    Method("getMyCommands", get_my_commands),
    Method("deleteMyCommands", delete_my_commands),
    Method("getChat", get_chat),
    Method("getChatMember", get_chat_member),
    Method("getChatAdministrators", get_chat_administrators),
    Method("getChatMemberCount", get_chat_member_count),
    Method("leaveChat", leave_chat),
    Method("close", say_yes),
    Method("logOut", say_yes),
)
"""All that the server has besides getUpdates and the webhook methods, which wait and live in files of their own."""

WAITING = ("getUpdates", "setWebhook", "deleteWebhook", "getWebhookInfo")
