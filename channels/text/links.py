"""Which addresses may become a link."""

import re

_ALLOWED = re.compile(r"(?:https?://|mailto:|tg:)[^\s\x00-\x1f\x7f]+", re.IGNORECASE)
_PERSON = re.compile(r"tg:/*user\b", re.IGNORECASE)


def safe(href: str) -> bool:
    """http, https, mailto and tg, without white space. Not `tg://user?id=…`: Telegram turns that into a mention,
    which pings a person."""
    return _ALLOWED.fullmatch(href) is not None and _PERSON.match(href) is None
