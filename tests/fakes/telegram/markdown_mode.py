"""parse_mode MarkdownV2: text and entities with UTF-16 offsets, or tdlib's words for what is wrong."""

from dataclasses import dataclass

from tests.fakes.telegram.errors import Json, wrong

_RESERVED = "_*[]()~`>#+-=|{}.!"
_NAMES = {
    "bold": "Bold",
    "italic": "Italic",
    "underline": "Underline",
    "strikethrough": "Strikethrough",
    "spoiler": "Spoiler",
    "code": "Code",
    "pre": "PreCode",
    "text_link": "TextUrl",
}
_MARKS = (
    ("```", "pre"),
    ("||", "spoiler"),
    ("__", "underline"),
    ("*", "bold"),
    ("_", "italic"),
    ("~", "strikethrough"),
    ("`", "code"),
    ("[", "text_link"),
)


@dataclass(frozen=True, slots=True)
class _Open:
    kind: str
    mark: str
    offset: int
    byte: int


class _Reader:
    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.text: list[str] = []
        self.units = 0
        self.stack: list[_Open] = []
        self.entities: list[Json] = []

    def put(self, text: str) -> None:
        self.text.append(text)
        self.units += len(text) + sum(character > "\uffff" for character in text)

    def byte(self) -> int:
        return len(self.source[: self.at].encode())

    def close(self, extra: Json) -> None:
        opened = self.stack.pop()
        if self.units > opened.offset:
            self.entities.append(
                {"type": opened.kind, "offset": opened.offset, "length": self.units - opened.offset, **extra}
            )


def parse_markdown(source: str) -> tuple[str, tuple[Json, ...]]:
    """Raises ApiError `can't parse entities: …`."""
    reader = _Reader(source)
    while reader.at < len(source):
        _step(reader)
    if reader.stack:
        left = reader.stack[-1]
        raise wrong(f"can't parse entities: Can't find end of {_NAMES[left.kind]} entity at byte offset {left.byte}")
    reader.entities.sort(key=lambda entity: (entity["offset"], -entity["length"]))
    return "".join(reader.text), tuple(reader.entities)


def _step(reader: _Reader) -> None:
    source, here = reader.source, reader.source[reader.at]
    inside = reader.stack[-1] if reader.stack else None
    if here == "\\" and reader.at + 1 < len(source) and 0 < ord(source[reader.at + 1]) < 127:
        reader.put(source[reader.at + 1])
        reader.at += 2
        return
    if inside is not None and inside.kind in ("code", "pre"):
        if source.startswith(inside.mark, reader.at):
            reader.at += len(inside.mark)
            reader.close({})
            return
        reader.put(here)
        reader.at += 1
        return
    if here == "]" and inside is not None and inside.kind == "text_link":
        _link_end(reader)
        return
    for mark, kind in _MARKS:
        if source.startswith(mark, reader.at):
            _mark(reader, mark, kind, inside)
            return
    if here in _RESERVED:
        raise wrong(f"can't parse entities: Character '{here}' is reserved and must be escaped with the preceding '\\'")
    reader.put(here)
    reader.at += 1


def _mark(reader: _Reader, mark: str, kind: str, inside: _Open | None) -> None:
    if inside is not None and inside.kind == kind and kind != "text_link":
        reader.at += len(mark)
        reader.close({})
        return
    reader.stack.append(_Open(kind, mark, reader.units, reader.byte()))
    reader.at += len(mark)
    if kind == "pre":
        _language(reader)


def _language(reader: _Reader) -> None:
    """The word after ``` up to the line's end; this server does not keep it."""
    end = reader.source.find("\n", reader.at)
    word = reader.source[reader.at : end] if end >= 0 else ""
    if end >= 0 and (not word or word.replace("-", "").replace("+", "").isalnum()):
        reader.at = end + 1


def _link_end(reader: _Reader) -> None:
    start = reader.byte()
    reader.at += 1
    if not reader.source.startswith("(", reader.at):
        reader.close({"url": reader.source[reader.at : reader.at]})
        reader.entities.pop()
        return
    reader.at += 1
    url: list[str] = []
    while reader.at < len(reader.source) and reader.source[reader.at] != ")":
        if reader.source[reader.at] == "\\" and reader.at + 1 < len(reader.source):
            reader.at += 1
        url.append(reader.source[reader.at])
        reader.at += 1
    if reader.at >= len(reader.source):
        raise wrong(f"can't parse entities: Can't find end of a URL at byte offset {start + 1}")
    reader.at += 1
    reader.close({"url": "".join(url)})
