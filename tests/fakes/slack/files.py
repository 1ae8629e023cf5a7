"""files.getUploadURLExternal, files.completeUploadExternal and files.info."""

import secrets

from tests.fakes.slack.args import needed, text
from tests.fakes.slack.chat import clear_status
from tests.fakes.slack.desk import Desk, Upload
from tests.fakes.slack.errors import Json, refused, wrong
from tests.fakes.slack.world import Install, Message

_LARGEST = 1 << 30


def upload_url(desk: Desk, install: Install, args: Json) -> Json:
    """Where the bytes are to be posted."""
    length = args.get("length")
    if not isinstance(length, int) or length <= 0:
        raise wrong("invalid_arguments", "length is the number of bytes")
    if length > _LARGEST:
        raise wrong("file_upload_size_restricted", f"a file has at most {_LARGEST} bytes")
    number = desk.world.new_id("F")
    path = f"v1/{secrets.token_urlsafe(24)}"
    desk.uploads[number] = Upload(number, path, needed(args, "filename"), length, install)
    return {"upload_url": f"{desk.base_url}/upload/{path}", "file_id": number}


def complete(desk: Desk, install: Install, args: Json) -> Json:
    """Share what was uploaded, as one message of the bot where a channel is named."""
    wanted = args["files"]
    uploads = [_uploaded(desk, install, each["id"]) for each in wanted]
    files = [_file(desk, upload, each.get("title")) for upload, each in zip(uploads, wanted, strict=True)]
    if "channel_id" in args:
        _share(desk, install, args, files)
    for upload in uploads:
        upload.shared = True
        desk.files[f"/files/{upload.id}/{upload.name}"] = upload.content or b""
    return {"files": files}


def info(desk: Desk, install: Install, args: Json) -> Json:
    """What a person sent."""
    found = desk.described.get(needed(args, "file"))
    if found is None:
        raise refused("file_not_found")
    return {"file": found, "comments": [], "response_metadata": {"next_cursor": ""}}


def _uploaded(desk: Desk, install: Install, number: str) -> Upload:
    upload = desk.uploads.get(number)
    if upload is None or upload.install is not install or upload.shared or upload.content is None:
        raise refused("file_not_found")
    if len(upload.content) != upload.length:
        raise wrong("file_update_failed", f"{len(upload.content)} bytes came where {upload.length} were announced")
    return upload


def _file(desk: Desk, upload: Upload, title: str | None) -> Json:
    return {
        "id": upload.id,
        "created": int(desk.world.clock.now()),
        "name": upload.name,
        "title": title or upload.name,
        "size": upload.length,
        "user": upload.install.bot.id,
        "mode": "hosted",
        "url_private": f"{desk.base_url}/files/{upload.id}/{upload.name}",
    }


def _share(desk: Desk, install: Install, args: Json, files: list[Json]) -> None:
    named = {**args, "channel": text(args, "channel_id")}
    channel = desk.writable(install, named, "channel_not_found")
    team = desk.events.team(install, channel)
    message = Message(desk.world.next_ts(channel), install.bot.id, team, text(args, "initial_comment"))
    message.bot_id, message.subtype, message.files = install.bot.bot_id, "file_share", files
    thread = args.get("thread_ts")
    if thread is not None and thread not in channel.messages:
        raise wrong("invalid_channel", "thread_ts names nothing in this channel")
    message.thread = thread
    desk.world.put(channel, message)
    clear_status(channel, thread)
    desk.events.posted(channel, message)
