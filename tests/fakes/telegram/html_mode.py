"""parse_mode HTML, as tdlib reads it: text and entities with UTF-16 offsets, or its words for what is wrong."""

import html
import re
from dataclasses import dataclass

from tests.fakes.telegram.errors import Json, wrong

_TAGS = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "tg-spoiler": "spoiler",
    "span": "spoiler",
    "code": "code",
    "pre": "pre",
    "a": "text_link",
    "blockquote": "blockquote",
}
_PIECE = re.compile(
    r"<(?P<close>/?)(?P<name>[A-Za-z0-9-]*)(?P<attributes>[^<>]*)>|&(?P<entity>\#\d+|\#x[0-9a-fA-F]+|lt|gt|amp|quot);"
)
_ATTRIBUTE = re.compile(r"([A-Za-z-]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")


@dataclass(frozen=True, slots=True)
class _Open:
    name: str
    attributes: dict[str, str]
    offset: int
    byte: int


def parse_html(source: str) -> tuple[str, tuple[Json, ...]]:
    """Raises ApiError `can't parse entities: …`."""
    text: list[str] = []
    length = position = 0
    stack: list[_Open] = []
    entities: list[Json] = []
    for piece in _PIECE.finditer(source):
        before = source[position : piece.start()]
        _refuse_bare(source, before, position)
        text.append(before)
        length += _units(before)
        position = piece.end()
        byte = len(source[: piece.start()].encode())
        if piece["entity"]:
            character = html.unescape(piece.group())
            text.append(character)
            length += _units(character)
        elif piece["close"]:
            entities.extend(_closed(stack, piece["name"].lower(), length, byte, entities))
        else:
            stack.append(_opened(piece["name"].lower(), piece["attributes"], length, byte))
    rest = source[position:]
    _refuse_bare(source, rest, position)
    text.append(rest)
    if stack:
        raise _cannot(f'Can\'t find end tag corresponding to start tag "{stack[-1].name}"')
    entities.sort(key=lambda entity: (entity["offset"], -entity["length"]))
    return "".join(text), tuple(entities)


def _refuse_bare(source: str, piece: str, position: int) -> None:
    """A `<` that begins no complete tag."""
    if (at := piece.find("<")) >= 0:
        raise _cannot(f"Unclosed start tag at byte offset {len(source[: position + at].encode())}")


def _opened(name: str, attributes: str, offset: int, byte: int) -> _Open:
    known = {a.lower(): b or c or d for a, b, c, d in _ATTRIBUTE.findall(attributes)}
    if name not in _TAGS or (name == "span" and known.get("class") != "tg-spoiler"):
        raise _cannot(f'Unsupported start tag "{name}" at byte offset {byte}')
    return _Open(name, known, offset, byte)


def _closed(stack: list[_Open], name: str, end: int, byte: int, before: list[Json]) -> list[Json]:
    if not stack:
        raise _cannot(f"Unexpected end tag at byte offset {byte}")
    opened = stack.pop()
    if name and name != opened.name:
        raise _cannot(f'Unmatched end tag at byte offset {byte}, expected "</{opened.name}>", found "</{name}>"')
    if end == opened.offset:
        return []
    entity: Json = {"type": _TAGS[opened.name], "offset": opened.offset, "length": end - opened.offset}
    if opened.name == "pre" and before and before[-1] == {**entity, "language": before[-1].get("language")}:
        return []  # its <code class="language-…"> is the entity already
    if opened.name == "a":
        url = html.unescape(opened.attributes.get("href", ""))
        return [{**entity, "url": url}] if url else []
    if opened.name == "blockquote" and "expandable" in opened.attributes:
        return [{**entity, "type": "expandable_blockquote"}]
    if opened.name == "code" and stack and stack[-1].name == "pre" and "class" in opened.attributes:
        return [{**entity, "type": "pre", "language": opened.attributes["class"].removeprefix("language-")}]
    return [entity]


def _units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def _cannot(text: str) -> Exception:
    return wrong(f"can't parse entities: {text}")
