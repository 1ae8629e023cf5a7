"""The kinds of value that the file holds beside text and numbers."""

import re
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, PlainSerializer

from channels.config import wrong
from channels.events import Conversation

_DURATION = re.compile(r"(?:(?P<d>\d+)d)?(?:(?P<h>\d+)h)?(?:(?P<m>\d+)m)?(?:(?P<s>\d+)s)?")
_WHEN = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?P<zone>Z|[+-]\d\d:?\d\d)?")
_CAPABILITY = re.compile(r"builtin/[a-z0-9_]+|mcp/[A-Za-z0-9_-]+/(?:\*|[^\s/*]+)|skill/[A-Za-z0-9_-]+")


def parse_duration(text: str) -> timedelta:
    """`24h`, `15m`, `90s`, `2d`, `1h30m`. Raises ValueError for anything else, and for none at all."""
    match = _DURATION.fullmatch(text.strip())
    if match is None or not text.strip():
        raise ValueError(f"not a length of time: {text!r}")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    length = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    if not length:
        raise ValueError("a length of time is more than nothing")
    return length


def format_duration(length: timedelta) -> str:
    """What `parse_duration` reads back; whole seconds."""
    minutes, seconds = divmod(round(length.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "m"), (seconds, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number)


def _duration(value: Any) -> Any:
    if isinstance(value, timedelta):
        return value
    try:
        return parse_duration(str(value))
    except (ValueError, OverflowError):
        raise wrong(
            f"is {str(value)!r}, which is not a length of time",
            "Write a number with its unit: 90s, 15m, 24h, 2d or 1h30m.",
        ) from None


def _moment(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    match = _WHEN.fullmatch(value)
    if match is None or match["zone"] is None:
        fault = "not a date with its time" if match is None else "a time without its zone"
        raise wrong(f"is {value!r}, {fault}", "Write it as 2026-12-31T18:00Z or 2026-12-31T18:00+01:00.")
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise wrong(f"is {value!r}, which is on no calendar", "Write it as 2026-12-31T18:00Z.") from None


def _capability(value: str) -> str:
    if not _CAPABILITY.fullmatch(value):
        raise wrong(
            f"is {value!r}, which names no capability",
            "Write builtin/<tool>, mcp/<server>/<tool>, mcp/<server>/* or skill/<name>; only a server takes a *.",
        )
    return value


def _pattern(value: str) -> str:
    return value if value == "*" else _capability(value)


def _place(value: str) -> str:
    try:
        place = Conversation.parse(value)
    except ValueError:
        place = None
    if place is None or ":" not in value:
        raise wrong(
            f"holds {value!r}, which is no conversation",
            "Write channel and chat, such as team:C0123ABCD or tg:-1001, with a topic behind another colon.",
        )
    return value


def loopback(host: str) -> bool:
    """Whether only this machine can be behind the name or address."""
    if host == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_loopback


def _url(value: str) -> str:
    if not value:
        return value
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise wrong("is not the address of a server", "Write it in full, such as https://bot.example.org.")
    if parts.username or parts.password:
        raise wrong("holds a name or password before the @", "Take it out of the address.")
    return value.rstrip("/")


Duration = Annotated[
    timedelta, BeforeValidator(_duration), PlainSerializer(format_duration, return_type=str, when_used="json")
]
Moment = Annotated[datetime, BeforeValidator(_moment)]
"""A time with its zone."""
Capability = Annotated[str, AfterValidator(_capability)]
"""An id or a pattern of capabilities."""
Pattern = Annotated[str, AfterValidator(_pattern)]
"""The same, or `*` for all."""
Place = Annotated[str, AfterValidator(_place)]
"""A conversation: `<channel>:<chat>` or `<channel>:<chat>:<thread>`."""
Url = Annotated[str, AfterValidator(_url)]
"""http or https, without a slash at its end; empty: none."""
