"""chat.startStream, appendStream, stopStream: a message that grows while it is read."""

from tests.fakes.slack.args import needed, text
from tests.fakes.slack.chat import clear_status
from tests.fakes.slack.codes import first_allowed
from tests.fakes.slack.desk import Desk
from tests.fakes.slack.errors import ApiError, Json, refused, wrong
from tests.fakes.slack.message_rules import MARKDOWN, check_blocks, checked_metadata, stored_blocks
from tests.fakes.slack.shapes import message_json
from tests.fakes.slack.typed import new_block_id
from tests.fakes.slack.world import Channel, Install, Message

_MOST_BLOCKS = 50
_WRITTEN = ("markdown", "plan", "task_card")
"""What texts and tasks are kept as; these do not count."""


def start(desk: Desk, install: Install, args: Json) -> Json:
    pieces = pieces_of("chat.startStream", desk, args)
    channel = desk.writable(install, args)
    if channel.kind != "im":
        _check_recipient(desk, args)
    thread = _thread(desk, channel, args)
    desk.pace(channel)
    team = desk.events.team(install, channel)
    message = Message(desk.world.next_ts(channel), install.bot.id, team, "", bot_id=install.bot.bot_id)
    message.thread, message.stream, message.markdown = thread, "live", True
    _grow(message, pieces)
    desk.world.put(channel, message)
    clear_status(channel, thread)
    desk.events.posted(channel, message)
    return {"channel": channel.id, "ts": message.ts}


def _thread(desk: Desk, channel: Channel, args: Json) -> str | None:
    try:
        return desk.thread(channel, args)
    except ApiError as error:
        raise ApiError("invalid_arguments", breach=error.breach, reason="thread_ts: nothing to answer") from error


def _check_recipient(desk: Desk, args: Json) -> None:
    """Outside of direct messages a stream says whom it answers."""
    for name in ("recipient_user_id", "recipient_team_id"):
        if not text(args, name):
            raise wrong(f"missing_{name}", f"{name} is required outside of direct messages")
    if text(args, "recipient_user_id") not in desk.world.users:
        raise refused("user_not_found")
    if text(args, "recipient_team_id") not in desk.world.teams:
        raise refused("team_not_found")


def append(desk: Desk, install: Install, args: Json) -> Json:
    pieces = pieces_of("chat.appendStream", desk, args)
    if not pieces:
        raise wrong("no_text", "there is neither markdown_text nor chunks")
    channel, message = _live(desk, install, args, "stopped_by_user")
    _grow(message, pieces)
    desk.world.changed()
    return {"channel": channel.id, "ts": message.ts}


def stop(desk: Desk, install: Install, args: Json) -> Json:
    pieces = pieces_of("chat.stopStream", desk, args)
    last = args.get("blocks") or []
    check_blocks("chat.stopStream", last, desk.check)
    metadata = checked_metadata(args.get("metadata"), desk.check)
    channel, message = _live(desk, install, args, "message_not_in_streaming_state")
    before = message_json(desk.world, channel, message)
    _grow(message, pieces)
    message.blocks = [*message.blocks, *stored_blocks(last)]
    message.metadata = metadata or message.metadata
    message.stream = "done"
    desk.world.changed()
    desk.events.changed(channel, message, before)
    return {"channel": channel.id, "ts": message.ts, "message": message_json(desk.world, channel, message)}


def _live(desk: Desk, install: Install, args: Json, stopped: str) -> tuple[Channel, Message]:
    """The message that is being streamed. Raises ApiError; `stopped`: the code when its reader has ended it."""
    channel = desk.channel(install, args)
    message = desk.message(channel, needed(args, "ts"))
    if message.bot_id != install.bot.bot_id:
        raise refused("message_not_owned_by_app")
    if message.stream == "stopped":
        raise refused(stopped)
    if message.stream != "live":
        raise refused("message_not_in_streaming_state")
    return channel, message


def pieces_of(method: str, desk: Desk, args: Json) -> list[Json]:
    """What is to be added, as chunks. Raises ApiError."""
    written, chunks = args.get("markdown_text"), args.get("chunks")
    if mistake := desk.check("chunks", chunks or []):
        raise wrong("invalid_chunks", f"chunks: {mistake}")
    pieces = [*([{"type": "markdown_text", "text": written}] if written else []), *(chunks or [])]
    for piece in pieces:
        if piece["type"] == "blocks":
            check_blocks(method, piece["blocks"], desk.check)
        if len(piece.get("text", "")) > MARKDOWN:
            code = first_allowed(method, "msg_too_long", "msg_blocks_too_long")
            raise wrong(code, f"markdown_text has at most {MARKDOWN} characters a call")
    return pieces


def _grow(message: Message, pieces: list[Json]) -> None:
    """Texts run on until something else comes between them; a task that is known already is updated."""
    new = sum(len(piece["blocks"]) for piece in pieces if piece["type"] == "blocks")
    if new + sum(block["type"] not in _WRITTEN for block in message.blocks) > _MOST_BLOCKS:
        raise wrong("msg_blocks_too_many", f"the chunks hold more than {_MOST_BLOCKS} blocks")
    for piece in pieces:
        kind = piece["type"]
        if kind == "markdown_text":
            _write(message, piece["text"])
        elif kind == "blocks":
            message.blocks.extend(stored_blocks(piece["blocks"]))
        elif kind == "plan_update":
            _put(message, {"type": "plan", "title": piece["title"]}, "type")
        elif kind == "task_update":
            kept: Json = {name: piece[name] for name in ("title", "status") if name in piece}
            _put(message, {"type": "task_card", "task_id": piece["id"], **kept}, "task_id")


def _write(message: Message, words: str) -> None:
    message.text += words
    last = message.blocks[-1] if message.blocks else None
    if last is not None and last["type"] == "markdown":
        last["text"] += words
        return
    message.blocks.append({"type": "markdown", "text": words, "block_id": new_block_id()})


def _put(message: Message, block: Json, key: str) -> None:
    for there in message.blocks:
        if there["type"] == block["type"] and there.get(key) == block[key]:
            there.update(block)
            return
    message.blocks.append({**block, "block_id": new_block_id()})
