"""Files that we show in the chat: a link in the message, and what it leads to. Never anything that a browser would open."""

from collections.abc import Awaitable, Callable
from gettext import gettext as _
from html import escape
from urllib.parse import quote

from aiohttp import web

from channels.files import File, FileRef

Given = Callable[[str, str], Awaitable[File | None]]
"""A file that was given in a conversation, by the conversation's key and the file's id; None if there is none (any more).
Raises NotSent."""


async def nothing_given(_conversation: str, _file: str) -> None:
    return None


def link(file: FileRef) -> str:
    """HTML; the address is that of the page's folder."""
    name = escape(file.name)
    return f'<p><a href="files/{quote(file.id, safe="")}" download="{name}">{escape(_("Download"))} {name}</a></p>'


def download(file: File) -> web.Response:
    """Whatever it is, as bytes to be saved: HTML or SVG of a stranger must not run among our pages."""
    headers = {
        "Content-Disposition": f"attachment; filename=\"file\"; filename*=UTF-8''{quote(file.name, safe='')}",
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    return web.Response(body=file.content, content_type="application/octet-stream", headers=headers)
