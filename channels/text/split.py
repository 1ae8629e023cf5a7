"""A message that is too long → parts that each keep to the limits, measured as they will be sent.

Cut between blocks where that works, else between items, rows and lines, then sentences, words, characters. What is
cut is opened again in the next part: code with its language, a table with its header, a list with its next number.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from channels.adapter import Limits
from channels.outgoing import Block, Code, Divider, Heading, Listing, Outgoing, Paragraph, Quote, Span, Table
from channels.text.characters import whole
from channels.text.flatten import fits, flatten
from channels.text.tables import records

_SHORTEST = 2
"""One character beyond the basic plane, in UTF-16 units."""
_LINE = re.compile(r"\n")
_SENTENCE = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？]")
_WORD = re.compile(r"\s+")

Blocks = tuple[Block, ...]
Holds = Callable[[Blocks], bool]


def split(message: Outgoing, limits: Limits) -> tuple[Outgoing, ...]:
    """At least one part; the first one answers what the message answers, the last one has its buttons.

    An empty message is one part without blocks. Raises ValueError for limits that hold no character.
    """
    if limits.text < _SHORTEST:
        raise ValueError(f"no text fits {limits.text} {limits.unit}")
    parts = _parts(message.blocks, lambda blocks: fits(blocks, limits), lambda blocks: _says(blocks, limits))
    last = len(parts) - 1
    return tuple(
        Outgoing(blocks, message.rows if place == last else (), message.reply_to if place == 0 else None)
        for place, blocks in enumerate(parts)
    )


def _says(blocks: Blocks, limits: Limits) -> bool:
    return bool(flatten(blocks, limits).text)


def _parts(blocks: Blocks, holds: Holds, says: Holds) -> list[Blocks]:
    parts: list[Blocks] = []
    rest = blocks
    while rest:
        head, tail = _cut(rest, _Room(holds, holds))
        if not head:
            rest = (*_loosened(rest[0]), *rest[1:])
            continue
        if says(head):
            parts.append(head)
        rest = tail
    return parts or [()]


@dataclass(frozen=True, slots=True)
class _Room:
    """`now`: does it fit behind what the part holds already; `fresh`: would it fit in a part of its own."""

    now: Holds
    fresh: Holds

    def inside(self, wrap: Callable[[Blocks], Block], before: Blocks = ()) -> "_Room":
        return _Room(lambda blocks: self.now((*before, wrap(blocks))), lambda blocks: self.fresh((wrap(blocks),)))

    def behind(self, before: Blocks) -> "_Room":
        return _Room(lambda blocks: self.now((*before, *blocks)), self.fresh)


def _cut(blocks: Blocks, room: _Room) -> tuple[Blocks, Blocks]:
    """What fits of it, and the rest. Nothing and everything, where not even a character of the first block fits."""
    count = _most(len(blocks), lambda number: room.now(blocks[:number]))
    before, rest = blocks[:count], blocks[count:]
    if not rest:
        return before, ()
    if before and room.fresh(rest[:1]):
        return _with_its_heading(before, rest)
    head, tail = _cut_block(rest[0], room.behind(before))
    if not head:
        return _with_its_heading(before, rest)
    return (*before, *head), (*tail, *rest[1:])


def _with_its_heading(before: Blocks, rest: Blocks) -> tuple[Blocks, Blocks]:
    """A heading goes where the text goes that it heads."""
    if len(before) > 1 and isinstance(before[-1], Heading) and not isinstance(before[-2], Heading):
        return before[:-1], (before[-1], *rest)
    return before, rest


def _cut_block(block: Block, room: _Room) -> tuple[Blocks, Blocks]:
    match block:
        case Paragraph() | Heading():
            return _cut_spans(block, room)
        case Code():
            return _cut_code(block, room)
        case Quote():
            head, tail = _cut(block.blocks, room.inside(Quote))
            return _wrapped(Quote, head), _wrapped(Quote, tail)
        case Listing():
            return _cut_listing(block, room)
        case Table():
            return _cut_table(block, room)
        case Divider():
            return (), (block,)


def _wrapped(wrap: Callable[[Blocks], Block], blocks: Blocks) -> Blocks:
    return (wrap(blocks),) if blocks else ()


def _cut_listing(listing: Listing, room: _Room) -> tuple[Blocks, Blocks]:
    items, start = listing.items, listing.start
    count = _most(len(items), lambda number: room.now((Listing(items[:number], start),)))

    def with_items_before(item: Blocks) -> Block:
        return Listing((*items[:count], item), start)

    following = None if start is None else start + count
    if count == len(items) or (count and room.fresh((Listing((items[count],), following),))):
        return _list(items[:count], start), _list(items[count:], following)
    alone = _Room(room.inside(with_items_before).now, room.inside(lambda item: Listing((item,), following)).fresh)
    head, tail = _cut(items[count], alone)
    if not head:
        return _list(items[:count], start), _list(items[count:], following)
    # The number was said already: what is left of the item goes on without one.
    later = _list(items[count + 1 :], None if start is None else start + count + 1)
    return (with_items_before(head),), (*tail, *later)


def _list(items: tuple[Blocks, ...], start: int | None) -> Blocks:
    return (Listing(items, start),) if items else ()


def _cut_table(table: Table, room: _Room) -> tuple[Blocks, Blocks]:
    rows = table.rows
    count = _most(len(rows), lambda number: room.now((Table(table.header, rows[:number]),)))
    if count:
        return (Table(table.header, rows[:count]),), _rest_of_table(table, count)
    if not rows or room.fresh((Table(table.header, rows[:1]),)):
        return (), (table,)
    head, tail = _cut(records(Table(table.header, rows[:1])), room)
    return head, (*tail, *_rest_of_table(table, 1))


def _rest_of_table(table: Table, count: int) -> Blocks:
    return (Table(table.header, table.rows[count:]),) if count < len(table.rows) else ()


def _cut_code(code: Code, room: _Room) -> tuple[Blocks, Blocks]:
    most = _most(len(code.text), lambda length: room.now((Code(code.text[:length], code.language),)))
    if not most:
        return (), (code,)
    cut = _place(code.text, most, (_LINE,))
    head, tail = code.text[:cut], code.text[cut:]
    head = head.removesuffix("\n")
    return (Code(head, code.language),), (Code(tail, code.language),) if tail else ()


def _cut_spans(block: Paragraph | Heading, room: _Room) -> tuple[Blocks, Blocks]:
    text = "".join(span.text for span in block.spans)
    most = _most(len(text), lambda length: room.now((_with(block, _upto(block.spans, length)),)))
    if not most:
        return (), (block,)
    cut = _place(text, most, (_LINE, _SENTENCE, _WORD))
    after = cut + len(text[cut:]) - len(text[cut:].lstrip())
    rest = _from(block.spans, after)
    return (_with(block, _upto(block.spans, cut)),), (_with(block, rest),) if rest else ()


def _with(block: Paragraph | Heading, spans: tuple[Span, ...]) -> Block:
    return Paragraph(spans) if isinstance(block, Paragraph) else Heading(block.level, spans)


def _upto(spans: Sequence[Span], length: int) -> tuple[Span, ...]:
    kept: list[Span] = []
    for span in spans:
        if length <= 0:
            break
        kept.append(span if len(span.text) <= length else Span(span.text[:length], span.styles, span.href))
        length -= len(span.text)
    return tuple(kept)


def _from(spans: Sequence[Span], start: int) -> tuple[Span, ...]:
    kept: list[Span] = []
    for span in spans:
        if start < len(span.text):
            kept.append(span if start <= 0 else Span(span.text[start:], span.styles, span.href))
        start -= len(span.text)
    return tuple(kept)


def _place(text: str, most: int, breaks: Sequence[re.Pattern[str]]) -> int:
    """Where to cut at or before `most`, at least 1: behind the last break of the best kind that does not leave the
    part half empty, then behind any break at all, then between two characters."""
    if most >= len(text):
        return most
    window = text[: most + 1]  # a break may begin right where the room ends
    ends = [max((min(hit.end(), most) for hit in kind.finditer(window)), default=0) for kind in breaks]
    for end in ends:
        if end * 2 > most:
            return end
    return max(ends, default=0) or max(1, whole(text, most))


def _most(count: int, holds: Callable[[int], bool]) -> int:
    """The largest number up to `count` for which it holds, if it holds for all smaller ones as well; found in steps
    that double, so that a long rest is not looked at as a whole."""
    good, bad = 0, 1
    while bad <= count and holds(bad):
        good, bad = bad, bad * 2
    bad = min(bad, count + 1)
    while bad - good > 1:
        middle = (good + bad) // 2
        if holds(middle):
            good = middle
        else:
            bad = middle
    return good


def _loosened(block: Block) -> Blocks:
    """The same words with one layer of form less, for a block of which not one character fits as it is."""
    match block:
        case Quote():
            return block.blocks
        case Listing():
            return tuple(part for item in block.items for part in item)
        case Table():
            return records(block)
        case Code():
            return (Paragraph((Span(block.text),)),)
        case Heading():
            return (Paragraph(block.spans),)
        case Paragraph():
            plain = (Span("".join(span.text for span in block.spans)),)
            return (Paragraph(plain),) if plain != block.spans else ()
        case Divider():
            return ()
