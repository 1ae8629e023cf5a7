"""A document as plain text with styled stretches, for platforms that take no structure."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal, assert_never

from channels.adapter import Limits
from channels.outgoing import Block, Code, Divider, Heading, Listing, Paragraph, Quote, Span, Table
from channels.text.characters import clean, size
from channels.text.links import safe
from channels.text.tables import aligned, records

Kind = Literal["bold", "italic", "strike", "code", "pre", "quote", "link"]

Look = frozenset[tuple[Kind, str]]
"""The kinds, each with its detail, of one span."""

_DIVIDER = "———"
_BULLET = "• "
_QUOTED = "> "
_MAIL = "mailto:"


@dataclass(frozen=True, slots=True)
class Stretch:
    """`text[start:end]` looks like this. `detail` is the address of a link, the language of a pre."""

    start: int
    end: int
    kind: Kind
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Flat:
    """`stretches` count code points, hold at least one visible character each, lie in the text, and are either apart
    or one inside the other, outer ones first. Nothing is inside code or pre, no quote in a quote."""

    text: str
    stretches: tuple[Stretch, ...]


def flatten(blocks: Sequence[Block], limits: Limits) -> Flat:
    """White space at both ends is gone; blank blocks leave nothing."""
    writer = _Writer(limits.table_width)
    writer.blocks(blocks, loose=True)
    return writer.flat()


def fits(blocks: Sequence[Block], limits: Limits) -> bool:
    """Whether it keeps to the limits when it is flattened. A text that is far too long is not written to its end."""
    writer = _Writer(limits.table_width, limits.text, limits.entities)
    try:
        writer.blocks(blocks, loose=True)
    except _Full:
        return False
    flat = writer.flat()
    return size(flat.text, limits.unit) <= limits.text and len(flat.stretches) <= limits.entities


class _Full(Exception):
    """More code points or stretches than there is room for."""


class _Writer:
    def __init__(self, table_width: int, room: float = math.inf, stretches: float = math.inf) -> None:
        self._table_width = table_width
        self._room = room
        self._most_stretches = stretches
        self._parts: list[str] = []
        self._length = 0
        self._stretches: list[Stretch] = []
        self._indent = ""
        self._quoted = False

    def flat(self) -> Flat:
        full = "".join(self._parts)
        text = full.rstrip()
        kept = [stretch for stretch in self._stretches if text[stretch.start : stretch.end].strip()]
        kept.sort(key=lambda stretch: (stretch.start, -stretch.end, stretch.kind != "quote"))
        # White space before the text goes, but not that of code: its first line may be indented.
        lead = min([len(text) - len(text.lstrip()), *(stretch.start for stretch in kept if stretch.kind == "pre")])
        return Flat(text[lead:], tuple(_clipped(stretch, lead, len(text)) for stretch in kept))

    def blocks(self, blocks: Sequence[Block], *, loose: bool) -> None:
        """`loose`: a blank line between blocks, but for a heading and what it heads."""
        before: Block | None = None
        for block in blocks:
            mark = self._length
            if before is not None:
                self._write("\n" if isinstance(before, Heading) or not loose else "\n\n")
                self._write("" if self._is_pre(block) else self._indent)
            start = self._length
            self._block(block)
            if self._length == start:
                self._back_to(mark)
            else:
                before = block

    def _block(self, block: Block) -> None:
        match block:
            case Paragraph():
                self._spans(block.spans)
            case Heading():
                self._spans(tuple(Span(span.text, span.styles | {"bold"}, span.href) for span in block.spans))
            case Listing():
                self._listing(block)
            case Quote():
                self._quote(block)
            case Code():
                self._pre(block.text, block.language)
            case Table():
                self._table(block)
            case Divider():
                self._write(_DIVIDER)
            case _:
                assert_never(block)

    def _listing(self, listing: Listing) -> None:
        outer = self._indent
        for number, item in enumerate(listing.items):
            if number:
                self._write("\n" + self._indent)
            marker = _BULLET if listing.start is None else f"{listing.start + number}. "
            self._write(marker)
            self._indent = outer + " " * len(marker)
            self.blocks(item, loose=False)
            self._indent = outer

    def _quote(self, quote: Quote) -> None:
        """Telegram knows no quote in a quote: the inner one is marked the way mail does it."""
        if self._quoted:
            outer, self._indent = self._indent, self._indent + _QUOTED
            mark = self._length
            self._write(_QUOTED)
            start = self._length
            self.blocks(quote.blocks, loose=False)
            if self._length == start:
                self._back_to(mark)
            self._indent = outer
            return
        self._quoted = True
        start = self._length
        self.blocks(quote.blocks, loose=True)
        self._mark(start, "quote")
        self._quoted = False

    def _table(self, table: Table) -> None:
        text = aligned(table, self._table_width)
        if text is None:
            self.blocks(records(table), loose=True)
        else:
            self._pre(text, "")

    def _is_pre(self, block: Block) -> bool:
        """Code keeps its own indentation, whatever it stands in."""
        return isinstance(block, Code) or (isinstance(block, Table) and aligned(block, self._table_width) is not None)

    def _pre(self, text: str, language: str) -> None:
        start = self._length
        self._write(clean(text))
        self._mark(start, "pre", language)

    def _spans(self, spans: Sequence[Span]) -> None:
        looks: list[tuple[int, int, Look]] = []
        before: Look = frozenset()
        begun = len(self._stretches)
        for span in _spelled(spans):
            start, look = self._length, _look(span)
            self._write(clean(span.text).replace("\n", "\n" + self._indent))
            looks.append((start, self._length, look))
            begun += len(look - before) if look and span.text.strip() else 0
            if begun > self._most_stretches:
                raise _Full
            before = look
        self._stretches.extend(_nested(looks))

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        if self._length > self._room:
            raise _Full

    def _mark(self, start: int, kind: Kind, detail: str = "") -> None:
        if self._length > start:
            self._stretches.append(Stretch(start, self._length, kind, detail))

    def _back_to(self, length: int) -> None:
        while self._length > length:
            self._length -= len(self._parts.pop())


def _clipped(stretch: Stretch, lead: int, end: int) -> Stretch:
    return Stretch(max(lead, stretch.start) - lead, min(end, stretch.end) - lead, stretch.kind, stretch.detail)


def _spelled(spans: Sequence[Span]) -> Iterator[Span]:
    """Mail addresses are written out, for plain text can link to the web alone; clients find them by themselves."""
    for span, following in zip_longest(spans, spans[1:]):
        if span.href is None or not span.href.lower().startswith(_MAIL):
            yield span
            continue
        yield Span(span.text, span.styles)
        address = span.href[len(_MAIL) :]
        if address not in span.text and (following is None or following.href != span.href):
            yield Span(f" ({address})")


def _look(span: Span) -> Look:
    """A link cannot be code as well; code takes no other style. An address that stands there itself needs no link."""
    if span.href is not None and span.href != span.text and safe(span.href):
        styles: set[tuple[Kind, str]] = {(style, "") for style in span.styles if style != "code"}
        return frozenset(styles | {("link", span.href)})
    if "code" in span.styles:
        return frozenset({("code", "")})
    return frozenset((style, "") for style in span.styles)


def _nested(looks: Sequence[tuple[int, int, Look]]) -> Iterator[Stretch]:
    """Stretches that never cross: the look that lasts longest goes outside."""
    place = 0
    while place < len(looks):
        start, _, look = looks[place]
        if not look:
            place += 1
            continue
        lasting = {one: _lasts(looks, place, one) for one in look}
        (kind, detail), after = max(lasting.items(), key=lambda item: (item[1], item[0]))
        end = looks[after - 1][1]
        if end > start:
            yield Stretch(start, end, kind, detail)
        yield from _nested([(begin, until, rest - {(kind, detail)}) for begin, until, rest in looks[place:after]])
        place = after


def _lasts(looks: Sequence[tuple[int, int, Look]], place: int, one: tuple[Kind, str]) -> int:
    while place < len(looks) and one in looks[place][2]:
        place += 1
    return place
