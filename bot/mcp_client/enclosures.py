"""The files that come with a result: so many and so large, under names that can be shown and saved by."""

import mimetypes
import re
from dataclasses import dataclass, field
from typing import Any

from bot.mcp_client.characters import cleaned
from channels.files import File, size_words

MOST = 10
"""Files of one call."""
LARGEST = 20 * 1024 * 1024
TOGETHER = 2 * LARGEST
"""Bytes of all files of one call."""
LONGEST_NAME = 100

_MIME = re.compile(r"[a-z0-9][a-z0-9.+-]{0,60}/[a-z0-9][a-z0-9.+-]{0,60}")
_UNKNOWN = "application/octet-stream"


@dataclass(slots=True)
class Enclosures:
    """`left_out`: what was too large or too many, each with its size."""

    files: list[File] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def binary(self, kind: str, name: str, mime: Any, content: bytes) -> str:
        """Take it if there is room; what the model reads in its place."""
        known = mime.lower() if isinstance(mime, str) and _MIME.fullmatch(mime.lower()) else _UNKNOWN
        place = len(self.files) + len(self.left_out) + 1
        named = file_name(name, f"{kind}-{place}{mimetypes.guess_extension(known) or '.bin'}")
        if not self._take(File(named, known, content)):
            return f"[{kind}, {known}, {len(content)} bytes: too large or too many, so it was left out]"
        return f"[{kind}: the file {named}, {known}, {len(content)} bytes]"

    def text(self, tool: str, whole: str) -> None:
        """All of a text that the model gets a part of."""
        ending, mime = (".json", "application/json") if _is_json(whole) else (".txt", "text/plain")
        self._take(File(file_name(f"{tool}-result{ending}", f"result{ending}"), mime, whole.encode(errors="replace")))

    def _take(self, file: File) -> bool:
        together = sum(len(each.content) for each in self.files) + len(file.content)
        if len(self.files) >= MOST or len(file.content) > LARGEST or together > TOGETHER:
            self.left_out.append(f"{file.name} ({size_words(len(file.content))})")
            return False
        if file.content:
            self.files.append(file)
        return True


def file_name(wanted: str, otherwise: str) -> str:
    """The end of it, where what a file is stands."""
    name = re.sub(r"[^\w.,() -]", "_", cleaned(wanted)[0])[-LONGEST_NAME:].strip(" .")
    return name if name and not set(name) <= set("._ ") else otherwise


def _is_json(text: str) -> bool:
    """By its looks: reading all of it takes long, and a wrong ending does no harm."""
    return text[:1] + text[-1:] in ("{}", "[]")
