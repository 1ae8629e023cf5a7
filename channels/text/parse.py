"""Markdown as models write it → blocks.

CommonMark with strikethrough and tables. What CommonMark would swallow stays readable: raw HTML, link definitions,
addresses that may not be linked, cells beyond the header, titles, the words after a fence's language.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from channels.outgoing import Block, Code, Divider, Heading, Listing, Paragraph, Quote, Span, Style, Table, plain
from channels.text.addresses import bare, labelled
from channels.text.characters import clean
from channels.text.links import safe

_DEEPEST = 40
"""Nesting levels (a list takes two). markdown-it drops what lies deeper, so such a text is shown as it was typed."""

_STYLES: dict[str, Style] = {"strong": "bold", "em": "italic", "s": "strike"}
_LANGUAGE = re.compile(r"[\w+#.-]{1,32}")
_BAR = re.compile(r"(?<!\\)\|")

Cells = tuple[tuple[Span, ...], ...]


def blocks(markdown: str) -> tuple[Block, ...]:
    """The document that a model's markdown stands for. Never raises; loses no word."""
    text = clean(markdown)
    tokens = _parser().parse(text)
    if any(token.nesting == 1 and token.level >= _DEEPEST - 1 for token in tokens):
        return plain(text)
    return _Reader(tokens, text.split("\n")).until("")


class _Markdown(MarkdownIt):
    """Addresses arrive byte for byte: percent-encoding them again breaks signed ones."""

    def validateLink(self, url: str) -> bool:  # noqa: N802  # the library's name
        return safe(url)

    def normalizeLink(self, url: str) -> str:  # noqa: N802  # the library's name
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802  # the library's name
        return link


@cache
def _parser() -> MarkdownIt:
    parser = _Markdown("commonmark", {"html": False, "maxNesting": _DEEPEST})
    parser.enable(["strikethrough", "table"]).disable("reference")
    parser.inline.ruler.after("text", "bare_address", bare)
    parser.inline.ruler.before("autolink", "labelled_address", labelled)
    return parser


class _Reader:
    """Reads a flat list of tokens, one after the other."""

    def __init__(self, tokens: Sequence[Token], lines: Sequence[str]) -> None:
        self._tokens = iter(tokens)
        self._lines = lines

    def until(self, closing: str) -> tuple[Block, ...]:
        found: list[Block] = []
        for token in self._tokens:
            if token.type == closing:
                break
            found.extend(self._block(token))
        return tuple(found)

    def _block(self, token: Token) -> Iterator[Block]:
        match token.type:
            case "paragraph_open":
                spans = self._inline("paragraph_close")
                if spans:
                    yield Paragraph(spans)
            case "heading_open":
                spans = self._inline("heading_close")
                if spans:
                    yield Heading(int(token.tag[1:]), spans)
            case "bullet_list_open":
                yield Listing(self._items("bullet_list_close"))
            case "ordered_list_open":
                yield Listing(self._items("ordered_list_close"), start=_first(token))
            case "blockquote_open":
                yield Quote(self.until("blockquote_close"))
            case "code_block" | "fence":
                yield from _code(token)
            case "table_open":
                yield self._table()
            case "hr":
                yield Divider()
            case "inline":
                yield Paragraph(_spans(token))
            case _:
                if token.content.strip():  # a kind that this table does not know yet: its words at least
                    yield from plain(token.content)

    def _inline(self, closing: str) -> tuple[Span, ...]:
        spans: tuple[Span, ...] = ()
        for token in self._tokens:
            if token.type == closing:
                break
            spans += _spans(token)
        return spans

    def _items(self, closing: str) -> tuple[tuple[Block, ...], ...]:
        items: list[tuple[Block, ...]] = []
        for token in self._tokens:
            if token.type == closing:
                break
            items.append(self.until("list_item_close"))
        return tuple(items)

    def _table(self) -> Table:
        rows: list[Cells] = []
        for token in self._tokens:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                rows.append(self._row(token))
        return Table(rows[0], tuple(rows[1:]))

    def _row(self, opening: Token) -> Cells:
        cells: list[tuple[Span, ...]] = []
        for token in self._tokens:
            if token.type == "tr_close":
                break
            if token.type == "inline":
                cells.append(_spans(token))
        extra = self._extra(opening, len(cells))
        if extra and cells:
            cells[-1] += (Span(f" | {extra}"),)
        return tuple(cells)

    def _extra(self, row: Token, known: int) -> str:
        """What stands in cells beyond the header's."""
        if row.map is None:
            return ""
        line = self._lines[row.map[0]].strip().lstrip("> \t").removeprefix("|")
        return " | ".join(cell.strip() for cell in _BAR.split(line)[known:]).strip(" |")


def _first(token: Token) -> int:
    start = token.attrGet("start")
    return 1 if start is None else int(start)


def _code(token: Token) -> Iterator[Block]:
    language, _, rest = token.info.strip().partition(" ")
    if not _LANGUAGE.fullmatch(language):
        language, rest = "", token.info.strip()
    if rest.strip():
        yield Paragraph((Span(rest.strip()),))
    text = token.content.removesuffix("\n")
    if text or not rest:
        yield Code(text, language)


def _spans(inline: Token) -> tuple[Span, ...]:
    """The spans of one inline token, neighbours of one look joined."""
    spans: list[Span] = []
    for span in _pieces(inline.children or ()):
        last = spans[-1] if spans else None
        if last and (last.styles, last.href) == (span.styles, span.href):
            spans[-1] = Span(last.text + span.text, last.styles, last.href)
        elif span.text:
            spans.append(span)
    return tuple(spans)


def _pieces(tokens: Sequence[Token]) -> Iterator[Span]:
    open_styles: list[Style] = []
    href: str | None = None
    title, empty = "", False
    for token in tokens:
        kind = token.type.removesuffix("_open").removesuffix("_close")
        styles = frozenset(open_styles)
        if kind in _STYLES:
            if token.nesting == 1:
                open_styles.append(_STYLES[kind])
            else:
                open_styles.remove(_STYLES[kind])
        elif token.type == "link_open":
            href, title, empty = str(token.attrGet("href")), str(token.attrGet("title") or ""), True
        elif token.type == "link_close":
            if empty and href:
                yield Span(href, styles, href)
            if title:
                yield Span(f" ({clean(title)})", styles)
            href = None
        else:
            empty = False
            yield from _leaf(token, styles, href)


def _leaf(token: Token, styles: frozenset[Style], href: str | None) -> Iterator[Span]:
    match token.type:
        case "softbreak" | "hardbreak":
            yield Span("\n", styles, href)
        case "code_inline":
            yield Span(clean(token.content), styles | {"code"}, href)
        case "image":
            yield from _picture(token, styles, href)
        case _:
            yield Span(clean(token.content), styles, href)


def _picture(token: Token, styles: frozenset[Style], href: str | None) -> Iterator[Span]:
    """Nothing is fetched: a picture is a link with its description."""
    source, title = str(token.attrGet("src")), str(token.attrGet("title") or "")
    yield Span(clean(token.content) or source, styles, href or source)
    notes = [clean(note) for note in (title, source if href else "") if note]
    if notes:
        yield Span(f" ({', '.join(notes)})", styles)
