"""Single characters: which may be sent, which hide something, how long and how wide a text is, where it may be cut."""

import re
import unicodedata
from typing import Literal

Unit = Literal["utf16", "characters"]

_UNSENDABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # drawn as nothing, though letters or marks
_TAGS = range(0xE0000, 0xE1000)  # language tags and the selectors after them: they can carry a whole hidden text
_ZWJ = "\u200d"
_SKIN = range(0x1F3FB, 0x1F400)
_REGIONAL = range(0x1F1E6, 0x1F200)
_LONGEST_CLUSTER = 32
"""Code points looked back for the start of a character that people see as one."""


def clean(text: str) -> str:
    """Every line end as one newline, no control character but newline and tab, no half of a surrogate pair.

    Invisible characters and bidi controls stay: `visible` is for values that someone decides by.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATES.sub("\ufffd", _UNSENDABLE.sub("", text))


def visible(text: str) -> str:
    r"""An untrusted value so that what is read is what it is: whatever is drawn as nothing, turns the writing
    direction or steers a terminal is written as an escape such as `\u202e`. Newline and tab stay, and so does what
    joins two emoji into one picture."""
    return "".join(
        _escape(character) if _hides(character) and not _joins_emoji(text, place) else character
        for place, character in enumerate(text)
    )


def _joins_emoji(text: str, place: int) -> bool:
    if text[place] != _ZWJ or not 0 < place < len(text) - 1:
        return False
    before = text[:place].rstrip("\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")[-1:]
    return all(one and unicodedata.category(one) == "So" for one in (before, text[place + 1]))


def _hides(character: str) -> bool:
    if character in "\n\t":
        return False
    if character in _FILLERS or ord(character) in _TAGS:
        return True
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def size(text: str, unit: Unit) -> int:
    if unit == "characters":
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def columns(text: str) -> int:
    """How many columns of fixed-width type it takes: East Asian wide characters two, combining ones none."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def whole(text: str, cut: int) -> int:
    """The nearest place at or before `cut` that does not split what people see as one character; `cut` itself where
    there is none near."""
    for place in range(cut, max(0, cut - _LONGEST_CLUSTER), -1):
        if not _joined(text, place):
            return place
    return cut


def _joined(text: str, place: int) -> bool:
    if place >= len(text):
        return False
    before, after = text[place - 1], text[place]
    if _ZWJ in (before, after) or ord(after) in _SKIN or ord(after) in _TAGS:
        return True
    if ord(before) in _REGIONAL and ord(after) in _REGIONAL:
        return _flags_before(text, place) % 2 == 1
    return unicodedata.category(after) in ("Mn", "Me", "Mc")


def _flags_before(text: str, place: int) -> int:
    start = place
    while start > 0 and ord(text[start - 1]) in _REGIONAL:
        start -= 1
    return place - start
