"""A document → the elements of rich_text blocks. Pure.

Text in them is literal, so it is not escaped.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from channels.outgoing import Block, Code, Divider, Heading, Listing, Paragraph, Quote, Span, Table
from channels.slack.limits import LIMITS
from channels.slack.pieces import append, bold, flattened, literal, styled
from channels.slack.plain import Built
from channels.text.characters import clean
from channels.text.flatten import flatten
from channels.text.tables import aligned, records

_DEEPEST = 8
"""Levels of indentation that a list can have."""
_BLANK = " "
_STEP = "    "


class RichWriter:
    """Collects one rich_text block. Slack's lists hold single lines, count from 1 and are no deeper than one element:
    what hangs below an item stands behind it, and numbers that would begin anew are written out."""

    def __init__(self, *, links: bool = True) -> None:
        self._links = links
        self._made: list[Built] = []
        self._section: list[Built] = []
        self._headed = False

    def taken(self) -> tuple[Built, ...]:
        """The block as far as it is written, if it holds anything; the next one begins."""
        self._close()
        made, self._made = self._made, []
        return ({"type": "rich_text", "elements": made},) if made else ()

    def block(self, block: Block, indent: int = 0) -> None:
        match block:
            case Paragraph():
                self._paragraph(self._inline(block.spans), "\n" if self._headed else "\n\n")
            case Heading():
                inline = self._inline(bold(block.spans))
                self._paragraph(inline, "\n\n")
                self._headed = self._headed or bool(inline)
            case Listing():
                self._listing(block, indent)
            case Quote():
                self._element("rich_text_quote", flattened(flatten((block,), LIMITS), links=self._links))
            case Code():
                self._preformatted(block.text)
            case Table():
                self._table(block)
            case Divider():
                self._paragraph([literal("———")], "\n\n")
            case _:
                assert_never(block)

    def _paragraph(self, inline: list[Built], gap: str) -> None:
        """`gap` is what parts it from the one before; a list leaves no room below itself."""
        if not inline:
            return
        below_a_list = bool(self._made) and self._made[-1]["type"] == "rich_text_list"
        append(self._section, [literal(gap)] if self._section else [literal("\n")] if below_a_list else [])
        append(self._section, inline)
        self._headed = False

    def _listing(self, listing: Listing, indent: int) -> None:
        if listing.start is None:
            self._bullets(listing.items, indent)
        elif listing.start == 1 and not any(_hangs(item) for item in listing.items):
            self._list("ordered", [self._line(item) or [literal(_BLANK)] for item in listing.items], indent)
        else:
            self._numbered(listing.items, listing.start, indent)

    def _bullets(self, items: Sequence[Sequence[Block]], indent: int) -> None:
        lines: list[list[Built]] = []
        for item in items:
            line, hanging = self._line(item), _hanging(item)
            if line or not hanging:
                lines.append(line or [literal(_BLANK)])
            if hanging:
                self._list("bullet", lines, indent)
                lines = []
                self._below(hanging, indent)
        self._list("bullet", lines, indent)

    def _numbered(self, items: Sequence[Sequence[Block]], start: int, indent: int) -> None:
        for number, item in enumerate(items, start):
            append(self._section, [literal("\n")] if self._section else [])
            append(self._section, [literal(f"{_STEP * indent}{number}. "), *self._line(item)])
            self._headed = False
            self._below(_hanging(item), indent)

    def _below(self, hanging: Iterable[Block], indent: int) -> None:
        for block in hanging:
            self.block(block, indent + 1)

    def _list(self, style: str, lines: list[list[Built]], indent: int) -> None:
        if not lines:
            return
        self._close()
        sections = [{"type": "rich_text_section", "elements": line} for line in lines]
        made = {"type": "rich_text_list", "style": style, "elements": sections, "indent": min(indent, _DEEPEST)}
        self._made.append(made)

    def _line(self, item: Sequence[Block]) -> list[Built]:
        """What of an item can stand in its line: paragraphs at its beginning."""
        line: list[Built] = []
        for block in _leading(item):
            inline = self._inline(bold(block.spans) if isinstance(block, Heading) else block.spans)
            append(line, [literal("\n")] if line and inline else [])
            append(line, inline)
        return line

    def _preformatted(self, text: str) -> None:
        text = clean(text)
        self._element("rich_text_preformatted", [literal(text)] if text.strip() else [])

    def _table(self, table: Table) -> None:
        text = aligned(table, LIMITS.table_width)
        if text is not None:
            self._preformatted(text)
            return
        for record in records(table):
            self.block(record)

    def _element(self, kind: str, elements: list[Built]) -> None:
        if elements:
            self._close()
            self._made.append({"type": kind, "elements": elements})

    def _close(self) -> None:
        if self._section:
            self._made.append({"type": "rich_text_section", "elements": self._section})
        self._section, self._headed = [], False

    def _inline(self, spans: Sequence[Span]) -> list[Built]:
        return styled(spans, links=self._links)


def _leading(item: Sequence[Block]) -> Iterator[Paragraph | Heading]:
    for block in item:
        if not isinstance(block, Paragraph | Heading):
            return
        yield block


def _hanging(item: Sequence[Block]) -> Sequence[Block]:
    return item[len(list(_leading(item))) :]


def _hangs(item: Sequence[Block]) -> bool:
    return bool(_hanging(item))
