"""Takes out of a result what its server was given as secrets; what only looks like one is the result's own."""

from collections.abc import Sequence
from dataclasses import replace

from bot.mcp_client.spoken import Result
from channels.config import MASK
from channels.files import File


def struck(given: Result, keys: Sequence[str]) -> Result:
    """`keys`: the longest first. Out of its files too: they go to the chat, and one may hold all of a text."""
    if not keys:
        return given
    return replace(
        given,
        text=_text(given.text, keys),
        whole=_text(given.whole, keys),
        files=tuple(_file(file, keys) for file in given.files),
        left_out=tuple(_text(name, keys) for name in given.left_out),
    )


def _text(text: str, keys: Sequence[str]) -> str:
    for key in keys:
        text = text.replace(key, MASK)
    return text


def _file(file: File, keys: Sequence[str]) -> File:
    content = file.content
    for key in keys:
        content = content.replace(key.encode(), MASK.encode())
    return File(_text(file.name, keys), file.mime, content)
