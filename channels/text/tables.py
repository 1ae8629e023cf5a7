"""Tables for platforms that have none: aligned fixed-width text where it fits the line, else one record a row."""

from collections.abc import Sequence

from channels.outgoing import Block, Paragraph, Span, Table
from channels.text.characters import clean, columns

_GAP = "  "

Cell = tuple[Span, ...]


def aligned(table: Table, width: int) -> str | None:
    """The table as lines of fixed-width text; None where it is wider than `width` columns, or holds links (which
    such text would lose)."""
    rows = (table.header, *table.rows)
    if any(span.href for row in rows for cell in row for span in cell):
        return None
    texts = [[_text(cell) for cell in row] for row in rows]
    widths = [max(columns(row[column]) for row in texts) for column in range(len(table.header))]
    if sum(widths) + len(_GAP) * (len(widths) - 1) > width:
        return None
    rule = _GAP.join("-" * wide for wide in widths)
    lines = [_GAP.join(_pad(text, wide) for text, wide in zip(row, widths, strict=True)).rstrip() for row in texts]
    return "\n".join([lines[0], rule, *lines[1:]])


def records(table: Table) -> tuple[Block, ...]:
    """A paragraph a row, a line a cell: `Header: value`. A table without values is its header."""
    found = [record for row in table.rows if (record := _record(table.header, row))]
    if not found:
        return (Paragraph(_joined([cell for cell in table.header if _text(cell)], " | ")),)
    return tuple(Paragraph(record) for record in found)


def _record(header: Sequence[Cell], row: Sequence[Cell]) -> tuple[Span, ...]:
    return _joined([_line(name, cell) for name, cell in zip(header, row, strict=True) if _text(cell)], "\n")


def _line(name: Cell, cell: Cell) -> tuple[Span, ...]:
    if not _text(name):
        return cell
    bold = tuple(Span(span.text, span.styles | {"bold"}, span.href) for span in name)
    return (*bold, Span(": "), *cell)


def _joined(lines: Sequence[tuple[Span, ...]], between: str) -> tuple[Span, ...]:
    spans: list[Span] = []
    for line in lines:
        if spans:
            spans.append(Span(between))
        spans.extend(line)
    return tuple(spans)


def _text(cell: Cell) -> str:
    return clean("".join(span.text for span in cell)).replace("\n", " ").replace("\t", " ").strip()


def _pad(text: str, width: int) -> str:
    return text + " " * (width - columns(text))
