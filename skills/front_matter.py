"""The text of a SKILL.md → its header, read as plain values, and its body."""

import re
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any

from skills import plain_yaml
from skills.errors import ContentRefused, Fault
from skills.mending import mended
from skills.plain_yaml import Path, Trouble
from skills.rules import ContentRule

LONGEST_HEADER = 32 * 1024
"""Bytes of the header; the longest seen in the wild have a few thousand."""

LONGEST_FILE = 256 * 1024
"""Bytes of a SKILL.md. The specification advises 500 lines; this is some ten times that."""

_FENCE = re.compile(r"---[ \t]*")
_OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`values`: texts, None, lists and mappings of them. `lines`: where each key stands in the file, from 1. `body` has
    `\\n` for every line end, and `body_line` is its first line. `mended`: keys whose texts were read though their quotes
    were missing."""

    values: dict[str, Any]
    lines: dict[Path, int]
    body: str
    body_line: int
    mended: tuple[str, ...] = ()


def read(data: bytes, entry: str) -> FrontMatter:
    """Raises ContentRefused, its faults under the name `entry`: a header that cannot be read whole is not read at all, so
    that no limit in it is ever lost."""
    lines = _text(data, entry).split("\n")
    first = next((place for place, line in enumerate(lines) if line.strip()), 0)
    if _FENCE.fullmatch(lines[first]) is None:
        raise _refused(entry, "no_header", _("It does not begin with a line of three hyphens and a header after it."))
    fences = (place for place in range(first + 1, len(lines)) if _FENCE.fullmatch(lines[place]))
    last = next(fences, None)
    if last is None:
        raise _refused(entry, "open_header", _("The header has no end: a line of three hyphens is missing after it."))
    header = [*[""] * (first + 1), *lines[first + 1 : last]]
    if len("\n".join(header).encode()) > LONGEST_HEADER:
        words = _("The header is longer than {most} bytes.").format(most=LONGEST_HEADER)
        raise _refused(entry, "header_too_long", words)
    plain, keys = _parsed(header)
    if plain.troubles:
        raise ContentRefused([Fault(entry, trouble.rule, trouble.message) for trouble in plain.troubles])
    if not isinstance(plain.value, dict):
        raise _refused(entry, "no_header", _("The header holds no keys with values."))
    return FrontMatter(plain.value, plain.lines, "\n".join(lines[last + 1 :]), last + 2, keys)


def _parsed(header: list[str]) -> tuple[plain_yaml.Plain, tuple[str, ...]]:
    plain = plain_yaml.read("\n".join(header))
    if not any(_may_be_mended(trouble) for trouble in plain.troubles):
        return plain, ()
    attempt = mended(header)
    if attempt is None:
        return plain, ()
    again = plain_yaml.read("\n".join(attempt.lines))
    return (plain, ()) if again.troubles else (again, attempt.keys)


def _may_be_mended(trouble: Trouble) -> bool:
    return trouble.rule in ("yaml", "alias")


def _text(data: bytes, entry: str) -> str:
    if len(data) > LONGEST_FILE:
        words = _("It is longer than {most} bytes; move parts of it into files beside it.")
        raise _refused(entry, "file_too_long", words.format(most=LONGEST_FILE))
    if data.startswith(_OTHER_ENCODINGS):
        raise _refused(entry, "encoding", _("It is UTF-16; save it as UTF-8."))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _refused(entry, "encoding", _("Line {line}: it is not UTF-8.").format(line=line)) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _refused(entry: str, rule: ContentRule, message: str) -> ContentRefused:
    return ContentRefused([Fault(entry, rule, message)])
