"""Text that Slack reads for marks of its own: escaped, so that it says what it says and mentions nobody."""

import re
from bisect import bisect_right
from itertools import accumulate
from typing import Any

from channels.text.characters import clean, whole

Built = dict[str, Any]
"""A piece of Block Kit, as it travels."""

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ELLIPSIS = "…"


def escaped(text: str, room: int) -> str:
    """At most `room` characters after escaping; what is cut ends in an ellipsis, and no escape is cut in two."""
    text = clean(text)
    lengths = list(accumulate(len(_ESCAPES.get(character, character)) for character in text))
    if not text or lengths[-1] <= room:
        return _escape(text)
    fitting = bisect_right(lengths, room - len(_ELLIPSIS))
    return _escape(text[: whole(text, fitting)].rstrip()) + _ELLIPSIS


def length(text: str) -> int:
    """Characters of it as they are sent."""
    return len(_escape(clean(text)))


def plain_text(text: str, room: int) -> Built:
    """A text object that knows no marks but emoji; on one line. The caller sees to it that it is not empty."""
    return {"type": "plain_text", "text": escaped(" ".join(clean(text).split()), room), "emoji": True}


def _escape(text: str) -> str:
    return re.sub("[&<>]", lambda found: _ESCAPES[found[0]], text)
