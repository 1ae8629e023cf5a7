"""Methods about texts: send, edit, delete, draft, react, and answers to presses."""

from tests.fakes.telegram.arguments import Args, chat_of
from tests.fakes.telegram.errors import Json, refused, wrong
from tests.fakes.telegram.markup import inline_keyboard
from tests.fakes.telegram.sending import send, text_body
from tests.fakes.telegram.texts import Formatted, formatted
from tests.fakes.telegram.updates import QUERY_LIFE
from tests.fakes.telegram.world import Chat, Message, World

_TWO_DAYS = 48 * 3600
_TOO_OLD = "query is too old and response timeout expired or query ID is invalid"
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


def _text(world: World, args: Args) -> Formatted:
    return formatted(args, "text", "entities", world.text_limit, world.text_unit)


def text_and_markup(world: World, args: Args) -> tuple[Formatted, Json | None]:
    return _text(world, args), inline_keyboard(args.json("reply_markup"))


def send_message(world: World, args: Args) -> Json:
    chat_of(args)
    text, markup = text_and_markup(world, args)
    return send(world, args, text_body(text), markup)


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
    text, markup = text_and_markup(world, args)
    chat, message = _own(world, args)
    if "text" not in message.body:
        raise refused("there is no text in the message to edit")
    return _edited(world, chat, message, text_body(text), markup)


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


def answer_of(world: World, args: Args) -> Json:
    text = args.text("text")
    if len(text) > 200:
        raise wrong("MESSAGE_TOO_LONG", "the text of an answer has at most 200 characters")
    return {"text": text, "show_alert": args.flag("show_alert"), "url": args.text("url")}


def answer_callback_query(world: World, args: Args) -> bool:
    answer = answer_of(world, args)
    query = world.queries.get(args.text("callback_query_id"))
    if query is None or query.answer is not None or world.clock.now() - query.created > QUERY_LIFE:
        raise refused(_TOO_OLD)
    query.answer = answer
    world.changed()
    return True


def action_of(world: World, args: Args) -> str:
    action = args.text("action")
    if action not in _ACTIONS:
        raise wrong("wrong parameter action in request")
    return action


def send_chat_action(world: World, args: Args) -> bool:
    action = action_of(world, args)
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
    frame = {"draft_id": args.integer("draft_id"), "thread": thread, **text_body(text), "at": world.clock.now()}
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
