"""A document as HTML for our own pages: only the elements named here, every text escaped."""

from collections.abc import Sequence
from html import escape
from typing import assert_never

from channels.outgoing import Block, Code, Divider, Heading, Listing, Paragraph, Quote, Span, Style, Table
from channels.text.characters import clean
from channels.text.links import safe

_ELEMENTS: tuple[tuple[Style, str], ...] = (("code", "code"), ("strike", "s"), ("italic", "em"), ("bold", "strong"))
_TOP_HEADING = 3  # the page has its own first and second level


def html(blocks: Sequence[Block]) -> str:
    """Well-formed; safe to put into a page as it is. Links open apart and pass nothing on."""
    return "".join(_block(block) for block in blocks)


def _block(block: Block) -> str:
    match block:
        case Paragraph():
            return f"<p>{_spans(block.spans)}</p>"
        case Heading():
            level = min(6, max(1, block.level) + _TOP_HEADING - 1)
            return f"<h{level}>{_spans(block.spans)}</h{level}>"
        case Listing():
            return _listing(block)
        case Quote():
            return f"<blockquote>{html(block.blocks)}</blockquote>"
        case Code():
            language = f' class="language-{escape(clean(block.language))}"' if block.language else ""
            # A newline right after <pre> is dropped by browsers; this one is, not the text's own.
            return f"<pre>\n<code{language}>{escape(clean(block.text))}</code></pre>"
        case Table():
            return _table(block)
        case Divider():
            return "<hr>"
        case _:
            assert_never(block)


def _listing(listing: Listing) -> str:
    items = "".join(f"<li>{_item(item)}</li>" for item in listing.items)
    if listing.start is None:
        return f"<ul>{items}</ul>"
    start = "" if listing.start == 1 else f' start="{listing.start}"'
    return f"<ol{start}>{items}</ol>"


def _item(item: Sequence[Block]) -> str:
    """The first paragraph stands beside the mark, without one around it."""
    if item and isinstance(item[0], Paragraph):
        return _spans(item[0].spans) + html(item[1:])
    return html(item)


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{_spans(cell)}</th>' for cell in table.header)
    rows = "".join("<tr>" + "".join(f"<td>{_spans(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _spans(spans: Sequence[Span]) -> str:
    return "".join(_span(span) for span in spans)


def _span(span: Span) -> str:
    text = escape(clean(span.text)).replace("\n", "<br>")
    for style, element in _ELEMENTS:
        if style in span.styles:
            text = f"<{element}>{text}</{element}>"
    if span.href is not None and safe(span.href):
        return f'<a href="{escape(span.href)}" rel="noopener noreferrer nofollow" target="_blank">{text}</a>'
    return text
