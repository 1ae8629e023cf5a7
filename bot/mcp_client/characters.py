"""Characters that a person does not see and a model reads: taken out, and told."""

import re
import unicodedata

_FLAGS = ("gbeng", "gbsct", "gbwls")
_TAGGED = re.compile("\U0001f3f4([\U000e0061-\U000e007a]+)\U000e007f")
"""A flag of a part of a country: letters written in tag characters, which could spell out any text."""

_JOINED = re.compile(
    "(?<=[\\U0001f000-\\U0001faff\\u2600-\\u27bf\\ufe0f])\\u200d(?=[\\U0001f000-\\U0001faff\\u2600-\\u27bf])"
)
_PRESENTED = re.compile(
    "(?<=[\\u0023\\u002a\\u0030-\\u0039\\u00a9\\u00ae\\u203c-\\u3299\\U0001f000-\\U0001faff])[\\ufe0e\\ufe0f]"
)

_KEPT_CONTROLS = "\n\t"
_FILLERS = "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f"
"""Letters and signs that look like nothing."""


def cleaned(text: str) -> tuple[str, int]:
    """`text` without what cannot be seen, and how many characters that were. Emoji and flags stay whole."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii() and (text.isprintable() or not any(_hidden(character) for character in text)):
        return text, 0
    kept = _kept(text)
    out = [character for index, character in enumerate(text) if index in kept or not _hidden(character)]
    return "".join(out), len(text) - len(out)


def _kept(text: str) -> set[int]:
    places = {match.start() for pattern in (_JOINED, _PRESENTED) for match in pattern.finditer(text)}
    for match in _TAGGED.finditer(text):
        if "".join(chr(ord(character) - 0xE0000) for character in match[1]) in _FLAGS:
            places.update(range(*match.span()))
    return places


def _hidden(character: str) -> bool:
    if character in _KEPT_CONTROLS:
        return False
    if character in _FILLERS or 0xFE00 <= ord(character) <= 0xFE0F or 0xE0100 <= ord(character) <= 0xE01EF:
        return True
    return unicodedata.category(character) in ("Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp")


AS_IT_CAME = 16_384
"""Characters that are kept of what a server says to us until its secrets are struck out: one that was cut would not be known
any more. Twice what a value of a configuration may have."""


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, with a note of what is missing."""
    if len(text) <= limit:
        return text
    note = f" … [{len(text) - limit} more characters]"
    return text[: max(0, limit - len(note))] + note


def cut_in_the_middle(text: str, limit: int) -> str:
    """The head and the tail, with a note between them."""
    if len(text) <= limit:
        return text
    head = limit * 3 // 4
    tail = limit - head
    return f"{text[:head]}\n… [{len(text) - limit} characters left out here] …\n{text[-tail:]}"


def one_line(text: str, limit: int) -> str:
    return cut(" ".join(cleaned(text)[0].split()), limit)
