"""Methods about files."""

from tests.fakes.telegram.arguments import Args, chat_of
from tests.fakes.telegram.errors import ApiError, Json, refused, wrong
from tests.fakes.telegram.markup import inline_keyboard
from tests.fakes.telegram.sending import send, text_body
from tests.fakes.telegram.texts import Formatted, formatted
from tests.fakes.telegram.world import File, World

_CAPTION_LIMIT = 1024
_UPLOAD_LIMIT = 50 * 1024 * 1024
_DOWNLOAD_LIMIT = 20 * 1024 * 1024


def caption_of(world: World, args: Args) -> Formatted:
    return formatted(args, "caption", "caption_entities", _CAPTION_LIMIT, world.text_unit, empty_ok=True)


def send_document(world: World, args: Args) -> Json:
    caption = caption_of(world, args)
    markup = inline_keyboard(args.json("reply_markup"))
    file = _file(world, args, "document")
    world.reachable(chat_of(args))
    body: Json = {"document": document_json(file)}
    if caption.text:
        body.update(text_body(caption, "caption"))
    return send(world, args, body, markup)


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
