"""Text and its entities: what is refused, what Telegram trims, and what it finds by itself."""

import re
from dataclasses import dataclass
from typing import Literal

from tests.fakes.telegram.arguments import Args
from tests.fakes.telegram.errors import Json, wrong
from tests.fakes.telegram.html_mode import parse_html
from tests.fakes.telegram.markdown_mode import parse_markdown

Unit = Literal["characters", "utf16"]

_MAX_BYTES = 32768
_MAX_OFFSET = 1_000_000
_TYPES = frozenset(
    {
        "mention",
        "hashtag",
        "cashtag",
        "bot_command",
        "url",
        "email",
        "phone_number",
        "bold",
        "italic",
        "underline",
        "strikethrough",
        "spoiler",
        "blockquote",
        "expandable_blockquote",
        "code",
        "pre",
        "text_link",
        "text_mention",
        "custom_emoji",
        "date_time",
    }
)
_FOUND = re.compile(
    r"(?P<url>https?://[^\s<>\"]*[^\s<>\".,;:!?)])|(?<![\w/@])(?P<mention>@[A-Za-z]\w{3,31})\b"
    r"|(?<![\w/<>])(?P<bot_command>/[A-Za-z0-9_]{1,64}(?:@[A-Za-z]\w{3,31})?)\b|(?<!\w)(?P<hashtag>\#\w*[^\W\d]\w*)"
)


@dataclass(frozen=True, slots=True)
class Formatted:
    text: str
    entities: tuple[Json, ...] = ()


def units(text: str) -> int:
    """Length in UTF-16 code units, in which entities count."""
    return len(text) + sum(character > "\uffff" for character in text)


def formatted(
    args: Args, text_name: str, entities_name: str, limit: int, unit: Unit, *, empty_ok: bool = False
) -> Formatted:
    """The text that a reader gets. Raises ApiError in Telegram's words when it cannot be shown."""
    given = args.text(text_name)
    try:
        size = len(given.encode())
    except UnicodeEncodeError:
        raise wrong("strings must be encoded in UTF-8", "the text holds half of a surrogate pair") from None
    if not given.strip() and not empty_ok:
        raise wrong("message text is empty")
    if size > _MAX_BYTES:
        raise wrong("text is too long")
    whole = _parsed(given, args.text("parse_mode"), args.json(entities_name))
    cut = trimmed(whole)
    if not cut.text and not empty_ok:
        raise wrong("message text is empty")
    length = len(cut.text) if unit == "characters" else units(cut.text)
    if length > limit:
        text = "message caption is too long" if text_name == "caption" else "message is too long"
        raise wrong(text, f"{length} {unit} where {limit} are allowed")
    return with_found(cut)


def _parsed(text: str, mode: str, entities: object) -> Formatted:
    if mode and mode.lower() != "none":
        match mode.lower():
            case "html":
                return Formatted(*parse_html(text))
            case "markdownv2":
                return Formatted(*parse_markdown(text))
            case "markdown":
                raise wrong("unsupported parse_mode", "this server leaves out the legacy Markdown mode: use MarkdownV2")
        raise wrong("unsupported parse_mode")
    if entities is None:
        return Formatted(text)
    return Formatted(text, check_entities(text, entities))


def check_entities(text: str, entities: object) -> tuple[Json, ...]:
    """The caller's entities, sorted; at most 100 (Telegram drops the rest without a word).

    Raises ApiError for anything that does not lie on the text's characters or is of no known type.
    """
    if not isinstance(entities, list):
        raise wrong("can't parse entities: expected an Array")
    starts = _starts(text)
    end_of_text = units(text)
    kept: list[Json] = []
    for entity in entities:
        if not isinstance(entity, dict):
            raise wrong("can't parse MessageEntity: expected an Object")
        offset, length, kind = entity.get("offset"), entity.get("length"), entity.get("type")
        if not isinstance(offset, int) or not isinstance(length, int) or not isinstance(kind, str):
            raise wrong("can't parse MessageEntity: Can't find field")
        if kind not in _TYPES:
            raise wrong("can't parse MessageEntity: unsupported type specified", f"no entity type {kind!r}")
        if kind == "text_link" and not entity.get("url"):
            raise wrong("can't parse MessageEntity: Can't find field \"url\"")
        if not 0 <= offset <= _MAX_OFFSET:
            raise wrong(f"Receive an entity with incorrect offset {offset}")
        if not 0 < length <= _MAX_OFFSET:
            raise wrong(f"Receive an entity with incorrect length {length}")
        _check_bounds(offset, offset + length, end_of_text, starts)
        kept.append(entity)
    kept.sort(key=lambda entity: (entity["offset"], -entity["length"]))
    return tuple(kept[:100])


def _check_bounds(start: int, end: int, end_of_text: int, starts: dict[int, int] | None) -> None:
    if start > end_of_text:
        raise wrong(f"Entity begins after the end of the text at UTF-16 offset {start}")
    if end > end_of_text:
        raise wrong(f"Entity beginning at UTF-16 offset {start} ends after the end of the text at UTF-16 offset {end}")
    if starts is None:
        return
    if start not in starts:
        raise wrong(f"Entity begins in a middle of a UTF-16 symbol at byte offset {starts[start + 1]}")
    if end not in starts:
        raise wrong(
            f"Entity beginning at UTF-16 offset {start} ends in a middle of a UTF-16 symbol at byte offset {starts[end + 1]}"
        )


def _starts(text: str) -> dict[int, int] | None:
    """UTF-16 offset of each character -> its byte offset; None where every offset begins a character."""
    if all(character <= "\uffff" for character in text):
        return None
    starts: dict[int, int] = {}
    unit = byte = 0
    for character in text:
        starts[unit] = byte
        unit += units(character)
        byte += len(character.encode())
    starts[unit] = byte
    return starts


def trimmed(whole: Formatted) -> Formatted:
    """As Telegram stores it: no white space at the ends, entities moved and cut to what is left."""
    text = whole.text.rstrip()
    front = len(text) - len(text.lstrip())
    if front and any(entity["offset"] == 0 for entity in whole.entities):
        front = 0
    text = text[front:]
    if text == whole.text:
        return whole
    end = units(text)
    moved: list[Json] = []
    for entity in whole.entities:
        start = max(0, entity["offset"] - front)
        length = min(end, entity["offset"] + entity["length"] - front) - start
        if length > 0:
            moved.append({**entity, "offset": start, "length": length})
    return Formatted(text, tuple(moved))


def with_found(given: Formatted) -> Formatted:
    """Add the links, mentions, commands and tags that Telegram finds where no entity of the same place forbids it."""
    if not any(mark in given.text for mark in ("/", "@", "#")):
        return given
    found: list[Json] = []
    for match in _FOUND.finditer(given.text):
        start = units(given.text[: match.start()])
        entity = {"type": match.lastgroup, "offset": start, "length": units(match.group())}
        if not any(_blocks(taken, entity) for taken in given.entities):
            found.append(entity)
    if not found:
        return given
    return Formatted(given.text, tuple(sorted((*given.entities, *found), key=lambda e: (e["offset"], -e["length"]))))


def _blocks(taken: Json, found: Json) -> bool:
    if taken["type"] not in ("code", "pre", "text_link", "url", "mention", "bot_command", "hashtag", "text_mention"):
        return False
    return bool(
        taken["offset"] < found["offset"] + found["length"] and found["offset"] < taken["offset"] + taken["length"]
    )
