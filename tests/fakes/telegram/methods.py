"""The Bot API's methods: each checks its arguments, changes the world, and gives the `result`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.fakes.telegram.arguments import Args, chat_of
from tests.fakes.telegram.errors import ApiError, Json, refused, wrong
from tests.fakes.telegram.markup import inline_keyboard
from tests.fakes.telegram.texts import Formatted, formatted
from tests.fakes.telegram.updates import QUERY_LIFE
from tests.fakes.telegram.world import Chat, File, Message, World

_CAPTION_LIMIT = 1024
_UPLOAD_LIMIT = 50 * 1024 * 1024
_DOWNLOAD_LIMIT = 20 * 1024 * 1024
_TWO_DAYS = 48 * 3600
_ACTIONS = frozenset(
    {
        "typing",
        "upload_photo",
        "record_video",
        "upload_video",
        "record_voice",
        "upload_voice",
        "upload_document",
        "choose_sticker",
        "find_location",
        "record_video_note",
        "upload_video_note",
    }
)
_COMMAND = re.compile(r"[a-z0-9_]{1,32}")
_TOO_OLD = "query is too old and response timeout expired or query ID is invalid"


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


def _text(world: World, args: Args) -> Formatted:
    return formatted(args, "text", "entities", world.text_limit, world.text_unit)


def _caption(world: World, args: Args) -> Formatted:
    return formatted(args, "caption", "caption_entities", _CAPTION_LIMIT, world.text_unit, empty_ok=True)


def _text_and_markup(world: World, args: Args) -> tuple[Formatted, Json | None]:
    return _text(world, args), inline_keyboard(args.json("reply_markup"))


def _text_body(text: Formatted) -> Json:
    body: Json = {"text": text.text}
    if text.entities:
        body["entities"] = list(text.entities)
    return body


def _thread_and_reply(world: World, chat: Chat, args: Args) -> tuple[int | None, int | None]:
    """Where a message goes. Raises ApiError when the topic or the message to answer is not there."""
    thread = args.values.get("message_thread_id")
    if thread is not None and not isinstance(thread, int):
        raise wrong("message thread not found")
    world.check_thread(chat, thread)
    wanted = args.json("reply_parameters")
    if not isinstance(wanted, dict):
        return thread, None
    number = wanted.get("message_id", 0)
    quoted = chat.messages.get(number)
    if quoted is None or quoted.deleted:
        if wanted.get("allow_sending_without_reply") is True:
            return thread, None
        raise refused("message to be replied not found")
    return thread, number


def _send(world: World, args: Args, body: Json, markup: Json | None) -> Json:
    chat = world.reachable(chat_of(args))
    thread, reply_to = _thread_and_reply(world, chat, args)
    message = world.post(chat, world.bot, body, markup=markup, thread=thread, reply_to=reply_to)
    chat.drafts = [draft for draft in chat.drafts if draft["thread"] != thread]
    return world.message_json(chat, message)


def send_message(world: World, args: Args) -> Json:
    chat_of(args)
    text, markup = _text_and_markup(world, args)
    return _send(world, args, _text_body(text), markup)


def _own(world: World, args: Args) -> tuple[Chat, Message]:
    """The message to edit. Raises ApiError when it is gone or not the bot's."""
    if "inline_message_id" in args.values:
        raise refused("MESSAGE_ID_INVALID")
    chat_id = chat_of(args)
    if "message_id" not in args.values:
        raise wrong("message identifier is not specified")
    chat = world.reachable(chat_id)
    message = world.message(chat, args.integer("message_id"), refused("message to edit not found"))
    if message.sender.id != world.bot.id:
        raise refused("message can't be edited")
    return chat, message


def _edited(world: World, chat: Chat, message: Message, body: Json, markup: Json | None) -> Json:
    if message.body == body and message.markup == markup:
        raise refused(
            "message is not modified: specified new message content and reply markup are exactly the same"
            " as a current content and reply markup of the message"
        )
    message.body, message.markup = body, markup
    message.edit_date = int(world.clock.now())
    message.edits += 1
    world.changed()
    return world.message_json(chat, message)


def edit_message_text(world: World, args: Args) -> Json:
    text, markup = _text_and_markup(world, args)
    chat, message = _own(world, args)
    if "text" not in message.body:
        raise refused("there is no text in the message to edit")
    return _edited(world, chat, message, _text_body(text), markup)


def edit_message_reply_markup(world: World, args: Args) -> Json:
    markup = inline_keyboard(args.json("reply_markup"))
    chat, message = _own(world, args)
    return _edited(world, chat, message, message.body, markup)


def delete_message(world: World, args: Args) -> bool:
    chat = world.reachable(chat_of(args))
    message = world.message(chat, args.integer("message_id"), refused("message to delete not found"))
    _delete(world, chat, message)
    return True


def _delete(world: World, chat: Chat, message: Message) -> None:
    own = message.sender.id == world.bot.id
    if not own and chat.kind != "private" and chat.members.get(world.bot.id) != "administrator":
        raise refused("message can't be deleted")
    if own and world.clock.now() - message.date > _TWO_DAYS:
        raise refused("message can't be deleted for everyone")
    message.deleted = True
    world.changed()


def delete_messages(world: World, args: Args) -> bool:
    chat = world.reachable(chat_of(args))
    numbers = args.json("message_ids")
    if not isinstance(numbers, list) or not numbers:
        raise wrong("message identifiers are not specified")
    if len(numbers) > 100:
        raise wrong("too many message identifiers specified")
    for number in numbers:
        message = chat.messages.get(number)
        if message is not None and not message.deleted:
            _delete(world, chat, message)
    return True


def _answer(world: World, args: Args) -> Json:
    text = args.text("text")
    if len(text) > 200:
        raise wrong("MESSAGE_TOO_LONG", "the text of an answer has at most 200 characters")
    return {"text": text, "show_alert": args.flag("show_alert"), "url": args.text("url")}


def answer_callback_query(world: World, args: Args) -> bool:
    answer = _answer(world, args)
    query = world.queries.get(args.text("callback_query_id"))
    if query is None or query.answer is not None or world.clock.now() - query.created > QUERY_LIFE:
        raise refused(_TOO_OLD)
    query.answer = answer
    world.changed()
    return True


def _action(world: World, args: Args) -> str:
    action = args.text("action")
    if action not in _ACTIONS:
        raise wrong("wrong parameter action in request")
    return action


def send_chat_action(world: World, args: Args) -> bool:
    action = _action(world, args)
    chat = world.reachable(chat_of(args))
    thread = args.values.get("message_thread_id")
    world.check_thread(chat, thread)
    chat.actions.append({"action": action, "thread": thread, "at": world.clock.now()})
    world.changed()
    return True


def send_message_draft(world: World, args: Args) -> bool:
    text = formatted(args, "text", "entities", world.text_limit, world.text_unit, empty_ok=True)
    if args.integer("draft_id") == 0:
        raise wrong("RANDOM_ID_INVALID", "draft_id is not zero")
    chat = world.reachable(chat_of(args))
    if chat.kind != "private":
        raise wrong("chat not found", "drafts are for private chats only")
    thread = args.values.get("message_thread_id")
    world.check_thread(chat, thread)
    frame = {"draft_id": args.integer("draft_id"), "thread": thread, **_text_body(text), "at": world.clock.now()}
    chat.drafts.append(frame)
    world.changed()
    return True


def set_message_reaction(world: World, args: Args) -> bool:
    chat = world.reachable(chat_of(args))
    message = world.message(chat, args.integer("message_id"), refused("message to react not found"))
    reactions = args.json("reaction")
    if reactions is not None and not isinstance(reactions, list):
        raise wrong("can't parse ReactionType: expected an Array of ReactionType")
    if reactions and len(reactions) > 1:
        raise wrong("REACTIONS_TOO_MANY", "a bot sets at most one reaction")
    message.reactions = list(reactions or [])
    world.changed()
    return True


def send_document(world: World, args: Args) -> Json:
    caption = _caption(world, args)
    markup = inline_keyboard(args.json("reply_markup"))
    file = _file(world, args, "document")
    world.reachable(chat_of(args))
    body: Json = {"document": document_json(file)}
    if caption.text:
        body["caption"] = caption.text
    if caption.entities:
        body["caption_entities"] = list(caption.entities)
    return _send(world, args, body, markup)


def document_json(file: File) -> Json:
    return {
        "file_id": file.id,
        "file_unique_id": file.unique_id,
        "file_name": file.name,
        "mime_type": file.mime,
        "file_size": len(file.content),
    }


def _file(world: World, args: Args, name: str) -> File:
    given = args.values.get(name)
    if isinstance(given, dict):
        upload = args.uploads.get(str(given.get("$upload")))
        if upload is None:
            raise wrong(f"there is no {name} in the request")
        if not upload.content:
            raise wrong("file must be non-empty")
        if len(upload.content) > _UPLOAD_LIMIT:
            raise ApiError(413, "Request Entity Too Large", breach=True)
        return world.add_file(upload.name, upload.mime, upload.content)
    if not given:
        raise wrong(f"there is no {name} in the request")
    file = world.files.get(str(given))
    if file is None:
        raise refused("wrong file identifier/HTTP URL specified")
    return file


def get_file(world: World, args: Args) -> Json:
    number = args.text("file_id")
    if not number:
        raise wrong("file_id not specified")
    file = world.files.get(number)
    if file is None:
        raise refused("invalid file_id")
    if len(file.content) > _DOWNLOAD_LIMIT:
        raise refused("file is too big")
    return {
        "file_id": file.id,
        "file_unique_id": file.unique_id,
        "file_size": len(file.content),
        "file_path": file.path,
    }


def scope_key(scope: object) -> str:
    """One text for a scope: `default`, `chat:-100…`, `chat_member:-100…:42`. Raises ApiError."""
    if scope is None:
        return "default"
    if not isinstance(scope, dict) or "type" not in scope:
        raise wrong("can't parse BotCommandScope: expected an Object")
    parts = [str(scope["type"])]
    if parts[0] in ("chat", "chat_administrators", "chat_member"):
        parts.append(str(scope.get("chat_id", "")))
    if parts[0] == "chat_member":
        parts.append(str(scope.get("user_id", "")))
    return ":".join(parts)


def _commands(world: World, args: Args) -> list[Json]:
    commands = args.json("commands")
    if not isinstance(commands, list):
        raise wrong("can't parse commands: expected an Array of BotCommand")
    if len(commands) > 100:
        raise wrong("BOT_COMMANDS_TOO_MUCH", f"{len(commands)} commands where 100 are allowed")
    for command in commands:
        if not isinstance(command, dict):
            raise wrong("can't parse BotCommand: expected an Object")
        name, description = command.get("command"), command.get("description")
        if not isinstance(name, str) or not _COMMAND.fullmatch(name.removeprefix("/")):
            raise wrong("BOT_COMMAND_INVALID", f"{name!r} is not 1-32 of a-z0-9_")
        if not isinstance(description, str) or not 1 <= len(description) <= 256:
            raise wrong("BOT_COMMAND_DESCRIPTION_INVALID", f"the description of {name!r} has 1-256 characters")
    return commands


def _scope(world: World, args: Args) -> tuple[str, str]:
    scope = args.json("scope")
    key = scope_key(scope)
    if isinstance(scope, dict) and "chat_id" in scope:
        world.reachable(scope["chat_id"])
    return key, args.text("language_code")


def set_my_commands(world: World, args: Args) -> bool:
    commands = _commands(world, args)
    world.commands[_scope(world, args)] = commands
    world.changed()
    return True


def get_my_commands(world: World, args: Args) -> list[Json]:
    return world.commands.get(_scope(world, args), [])


def delete_my_commands(world: World, args: Args) -> bool:
    world.commands.pop(_scope(world, args), None)
    world.changed()
    return True


def get_chat(world: World, args: Args) -> Json:
    chat = world.reachable(chat_of(args))
    gifts = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels")
    return {
        **world.chat_json(chat),
        "accent_color_id": 0,
        "max_reaction_count": 11,
        "accepted_gift_types": dict.fromkeys(gifts, True),
    }


def get_chat_member(world: World, args: Args) -> Json:
    chat = world.reachable(chat_of(args))
    return world.member_json(chat, world.known(args.integer("user_id")))


def get_chat_administrators(world: World, args: Args) -> list[Json]:
    chat = world.reachable(chat_of(args))
    if chat.kind == "private":
        raise refused("there are no administrators in the private chat")
    return [
        world.member_json(chat, world.users[number])
        for number, standing in chat.members.items()
        if standing in ("creator", "administrator") and number != world.bot.id
    ]


def get_chat_member_count(world: World, args: Args) -> int:
    chat = world.reachable(chat_of(args))
    return sum(standing in ("creator", "administrator", "member") for standing in chat.members.values())


def leave_chat(world: World, args: Args) -> bool:
    chat = world.reachable(chat_of(args))
    if chat.kind == "private":
        raise refused("chat is not a group or a channel")
    chat.members[world.bot.id] = "left"
    world.changed()
    return True


def say_yes(world: World, args: Args) -> bool:
    return True


METHODS = (
    Method("getMe", get_me),
    Method("sendMessage", send_message, _text_and_markup),
    Method("editMessageText", edit_message_text, _text_and_markup),
    Method(
        "editMessageReplyMarkup", edit_message_reply_markup, lambda _, args: inline_keyboard(args.json("reply_markup"))
    ),
    Method("deleteMessage", delete_message),
    Method("deleteMessages", delete_messages),
    Method("answerCallbackQuery", answer_callback_query, _answer),
    Method("sendChatAction", send_chat_action, _action),
    Method("sendMessageDraft", send_message_draft),
    Method("setMessageReaction", set_message_reaction),
    Method("sendDocument", send_document, _caption),
    Method("getFile", get_file),
    Method("setMyCommands", set_my_commands, _commands),
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
