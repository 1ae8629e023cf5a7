"""chat.postMessage and its kin."""

from collections.abc import Sequence
from dataclasses import replace

from tests.fakes.slack.args import needed, text
from tests.fakes.slack.desk import Desk
from tests.fakes.slack.errors import Json, refused, wrong
from tests.fakes.slack.message_rules import Content, content
from tests.fakes.slack.shapes import message_json
from tests.fakes.slack.world import Channel, Install, Message

_CUT = {"warning": "message_truncated", "response_metadata": {"warnings": ["message_truncated"]}}


def checked(method: str, desk: Desk, args: Json) -> Content:
    return content(method, args, desk.check)


def new_message(desk: Desk, install: Install, channel: Channel, found: Content, args: Json) -> Message:
    """By the bot, not yet in the channel."""
    team = desk.events.team(install, channel)
    message = Message(desk.world.next_ts(channel), install.bot.id, team, found.text, bot_id=install.bot.bot_id)
    show(message, found)
    message.loose_mentions = args.get("link_names") is True or args.get("parse") == "full"
    if name := text(args, "username"):
        message.subtype, message.extra = "bot_message", {"username": name}
    return message


def show(message: Message, found: Content) -> None:
    message.text, message.markdown = found.text, found.markdown
    message.blocks, message.attachments = found.blocks, found.attachments
    if found.metadata is not None:
        message.metadata = found.metadata


def post_message(desk: Desk, install: Install, args: Json) -> Json:
    found = checked("chat.postMessage", desk, args)
    channel = desk.writable(install, args)
    thread = desk.thread(channel, args)
    if args.get("reply_broadcast") and thread is None:
        raise wrong("invalid_arguments", "reply_broadcast goes with thread_ts")
    desk.pace(channel)
    message = new_message(desk, install, channel, found, args)
    message.thread = thread
    if args.get("reply_broadcast"):
        message.broadcast, message.subtype = True, "thread_broadcast"
    desk.world.put(channel, message)
    clear_status(channel, thread)
    desk.events.posted(channel, message)
    answer: Json = {"channel": channel.id, "ts": message.ts, "message": message_json(desk.world, channel, message)}
    return {**answer, **_CUT} if found.cut else answer


def clear_status(channel: Channel, thread: str | None) -> None:
    """The next message ends what an assistant is said to be doing."""
    if thread in channel.status:
        channel.status[thread]["status"] = ""


def post_ephemeral(desk: Desk, install: Install, args: Json) -> Json:
    found = checked("chat.postEphemeral", desk, args)
    person = needed(args, "user")
    channel = desk.writable(install, args)
    if person not in channel.members:
        raise refused("user_not_in_channel")
    thread = desk.thread(channel, args)
    message = new_message(desk, install, channel, found, args)
    message.thread, message.ephemeral_to = thread, person
    desk.world.put_ephemeral(channel, message)
    desk.interactions.noticed(channel, message)
    return {"message_ts": message.ts}


def own(desk: Desk, install: Install, channel: Channel, ts: str, refusal: str) -> Message:
    """Raises ApiError when it is gone, or not the bot's."""
    if any(message.ts == ts for message in channel.ephemerals):
        raise wrong(refusal, "an ephemeral message is changed by its response_url alone")
    message = desk.message(channel, ts)
    if message.bot_id != install.bot.bot_id:
        raise refused(refusal)
    return message


def update(desk: Desk, install: Install, args: Json) -> Json:
    channel = desk.channel(install, args)
    found = checked("chat.update", desk, args)
    message = own(desk, install, channel, needed(args, "ts"), "cant_update_message")
    if message.stream == "live":
        raise refused("streaming_state_conflict")
    if channel.archived:
        raise refused("cant_update_message")
    if _is_rich(message.blocks) and found.blocks and not _is_rich(found.blocks):
        raise wrong("block_mismatch", "rich_text blocks cannot be replaced by others")
    found = _with_kept(message, found, args)
    before = message_json(desk.world, channel, message)
    show(message, found)
    edited(desk, install, channel, message)
    desk.events.changed(channel, message, before)
    shown = message_json(desk.world, channel, message)
    return {"channel": channel.id, "ts": message.ts, "text": message.text, "message": shown}


def _with_kept(message: Message, found: Content, args: Json) -> Content:
    """Blocks and attachments that are left out stay; an empty list takes them away."""
    new_text = "markdown_text" in args
    return replace(
        found,
        blocks=found.blocks if new_text or "blocks" in args else message.blocks,
        attachments=found.attachments if new_text or "attachments" in args else message.attachments,
    )


def _is_rich(blocks: Sequence[Json]) -> bool:
    return any(block["type"] == "rich_text" for block in blocks)


def edited(desk: Desk, install: Install, channel: Channel, message: Message) -> None:
    message.edits += 1
    message.edited_by, message.edited_ts = install.bot.id, desk.world.next_ts(channel)
    desk.world.changed()


def delete(desk: Desk, install: Install, args: Json) -> Json:
    channel = desk.channel(install, args)
    message = own(desk, install, channel, needed(args, "ts"), "cant_delete_message")
    before = message_json(desk.world, channel, message)
    message.deleted = True
    desk.world.changed()
    desk.events.deleted(channel, message, before)
    return {"channel": channel.id, "ts": message.ts}


def get_permalink(desk: Desk, install: Install, args: Json) -> Json:
    channel = desk.channel(install, args)
    message = desk.message(channel, needed(args, "message_ts"))
    domain = desk.world.teams[channel.teams[0]].domain
    link = f"https://{domain}.slack.com/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.thread:
        link = f"{link}?thread_ts={message.thread}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}
