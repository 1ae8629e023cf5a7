"""The words of a message and what Telegram marked in them: mentions of us, commands. Offsets count UTF-16 units."""

import re
from dataclasses import dataclass

from channels.fields import Fields
from channels.text.typed import as_typed

_COMMAND = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]+))?")
_CLOSING = (",", ".", ":", ";", "!", "?")


@dataclass(frozen=True, slots=True)
class Me:
    """The bot itself, as getMe says. `reads_all`: its privacy mode is off."""

    id: int
    username: str
    name: str
    reads_all: bool


@dataclass(frozen=True, slots=True)
class Typed:
    """A command as typed: `name` in lower case; `bot` the name behind the @ in lower case, empty if there was none."""

    name: str
    bot: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Words:
    """`text` without the mentions of us, unless it is nothing but that: then it is `bare`."""

    text: str
    mentions_us: bool
    bare: bool
    command: Typed | None


@dataclass(frozen=True, slots=True)
class _Mark:
    kind: str
    start: int
    end: int
    user: int | None


def words(message: Fields, me: Me) -> Words:
    """The text of a message, or the caption of what it carries; empty if it has neither."""
    captioned = not message.has("text")
    text = message.maybe_text("caption" if captioned else "text")
    units = text.encode("utf-16-le", "surrogatepass")
    marks = [_mark(entity) for entity in message.each("caption_entities" if captioned else "entities")]
    marks = [mark for mark in marks if 0 <= mark.start < mark.end <= len(units) // 2]
    ours = [mark for mark in marks if _is_us(mark, _between(units, mark.start, mark.end), me)]
    without = _without(units, ours)
    return Words(without or text, bool(ours), bool(ours) and not without, _command(units, marks, ours))


def _mark(entity: Fields) -> _Mark:
    start = entity.number("offset")
    user = entity.maybe("user")
    return _Mark(entity.text("type"), start, start + entity.number("length"), user.number("id") if user else None)


def _is_us(mark: _Mark, text: str, me: Me) -> bool:
    if mark.kind == "mention":
        return text.lower() == f"@{me.username}".lower()
    return mark.kind == "text_mention" and mark.user == me.id


def _between(units: bytes, start: int, end: int) -> str:
    return units[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


def _without(units: bytes, ours: list[_Mark]) -> str:
    text, place = "", 0
    for mark in sorted(ours, key=lambda mark: mark.start):
        text = _joined(text, _between(units, place, mark.start))
        place = max(place, mark.end)
    rest = _between(units, place, len(units) // 2)
    if ours and not text.strip():
        rest = rest.lstrip(" ,:")  # "@bot, what is …"
    return _joined(text, rest).strip() if ours else rest


def _joined(before: str, after: str) -> str:
    if not before.strip():
        return after
    after = after.lstrip()
    return before.rstrip() + after if after.startswith(_CLOSING) else f"{before.rstrip()} {after}"


def _command(units: bytes, marks: list[_Mark], ours: list[_Mark]) -> Typed | None:
    """A command stands at the beginning, or right behind a mention of us."""
    for mark in marks:
        before = [one for one in ours if one.end <= mark.start]
        if mark.kind != "bot_command" or _without(units[: 2 * mark.start], before).strip():
            continue
        match = _COMMAND.fullmatch(_between(units, mark.start, mark.end))
        if match:
            rest = _without(units[2 * mark.end :], [_moved(one, mark.end) for one in ours if one.start >= mark.end])
            return Typed(match[1].lower(), (match[2] or "").lower(), as_typed(rest))
    return None


def _moved(mark: _Mark, by: int) -> _Mark:
    return _Mark(mark.kind, mark.start - by, mark.end - by, mark.user)
