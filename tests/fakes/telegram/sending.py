"""Putting a message of the bot into a chat: shared by texts and files; and the words that both have."""

from tests.fakes.telegram.arguments import Args, chat_of
from tests.fakes.telegram.errors import Json, refused, wrong
from tests.fakes.telegram.texts import Formatted
from tests.fakes.telegram.world import Chat, World


def text_body(text: Formatted, field: str = "text") -> Json:
    """The fields of a message with this text; with `field` "caption", of a file with this caption."""
    body: Json = {field: text.text}
    if text.entities:
        body["entities" if field == "text" else "caption_entities"] = list(text.entities)
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


def send(world: World, args: Args, body: Json, markup: Json | None) -> Json:
    chat = world.reachable(chat_of(args))
    thread, reply_to = _thread_and_reply(world, chat, args)
    message = world.post(chat, world.bot, body, markup=markup, thread=thread, reply_to=reply_to)
    chat.drafts = [draft for draft in chat.drafts if draft["thread"] != thread]
    return world.message_json(chat, message)
