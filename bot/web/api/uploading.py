"""A form with one file, read piece by piece and never held whole."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from gettext import gettext as _
from tempfile import SpooledTemporaryFile
from typing import IO, BinaryIO, cast

from aiohttp import BodyPartReader, web
from aiohttp.multipart import MultipartReader

from bot.web.api.reading import invalid
from bot.web.errors import refused

FIELD = "file"

IN_MEMORY = 1 << 20
"""Bytes from which a file is kept on disk while it is read."""

LONGEST_FORM = 64 * 1024
"""Bytes beside the file."""


@asynccontextmanager
async def uploaded(request: web.Request, most: int) -> AsyncIterator[BinaryIO]:
    """The file, at its beginning: up to one byte more than `most`, so that it is seen whether it is too large.

    Raises Refused for what is no form with one file.
    """
    if request.content_type != "multipart/form-data":
        words = _("Send a form, as multipart/form-data, with one file called file. Nothing was done.")
        raise refused(415, "wrong_content_type", words)
    with SpooledTemporaryFile(IN_MEMORY) as file:
        try:
            await _read(await request.multipart(), file, most)
        except (ValueError, AssertionError, web.RequestPayloadError) as error:  # what aiohttp raises for a broken form
            raise refused(400, "bad_body", _("The form cannot be read, so nothing was done.")) from error
        file.seek(0)
        yield cast("BinaryIO", file)  # it is one in all but name


async def _read(form: MultipartReader, file: IO[bytes], most: int) -> None:
    found = False
    while (part := await form.next()) is not None:
        if not isinstance(part, BodyPartReader) or part.name != FIELD:
            raise invalid(str(getattr(part, "name", "") or "")[:100], "unknown", _("only file is known here"))
        if found:
            raise invalid(FIELD, "repeated", _("may be said once"))
        found = True
        if not await _copy(part, file, most):
            return
    if not found:
        raise invalid(FIELD, "missing", _("is missing: it is the archive"))


async def _copy(part: BodyPartReader, file: IO[bytes], most: int) -> bool:
    """False if there is more of it than is read."""
    room = most + 1
    while chunk := await part.read_chunk(256 * 1024):
        await asyncio.to_thread(file.write, chunk[:room])
        room -= len(chunk)
        if room <= 0:
            return False
    return True
