"""A form with one file, read piece by piece and no further than it may be."""

from dataclasses import dataclass
from gettext import gettext as _
from uuid import UUID

from aiohttp import BodyPartReader, web
from aiohttp.multipart import MultipartReader

from channels.web.parse import TooLong, Unreadable

_PIECE = 1 << 18
_ID = 64


@dataclass(frozen=True, slots=True)
class PostedFile:
    """`id` is made by the browser, as that of a message is. `content`: None where it may not be sent, and was not read."""

    id: UUID
    name: str
    mime: str
    content: bytes | None


async def posted_file(request: web.Request, most: int) -> PostedFile:
    """Its fields are `id` and then `file`. `most`: bytes of the file, 0 for not to read it. Raises Unreadable, TooLong."""
    try:
        form = await request.multipart()
        number, file = await _id(form), await _part(form, "file")
        content = await _content(file, most) if most else None
    except TooLong:
        raise
    except (ValueError, AssertionError, web.RequestPayloadError) as error:  # what aiohttp raises for a broken form
        raise Unreadable(_("The form cannot be read, so nothing was sent.")) from error
    return PostedFile(number, file.filename or "", file.headers.get("Content-Type", ""), content)


async def _id(form: MultipartReader) -> UUID:
    return UUID((await (await _part(form, "id")).read_chunk(_ID)).decode())


async def _part(form: MultipartReader, name: str) -> BodyPartReader:
    """The next part, which must be this one."""
    part = await form.next()
    if not isinstance(part, BodyPartReader) or part.name != name:
        raise ValueError(name)
    return part


async def _content(file: BodyPartReader, most: int) -> bytes:
    content = bytearray()
    while piece := await file.read_chunk(_PIECE):
        content += piece
        if len(content) > most:
            words = _("The file is larger than what is taken ({most} MB). Nothing was sent.")
            raise TooLong(words.format(most=most // 1_048_576))
    return bytes(content)
