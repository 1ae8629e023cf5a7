"""Random documents and limits for the tests of the text room."""

import string

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from channels.adapter import Limits
from channels.outgoing import Block, Code, Divider, Heading, Listing, Paragraph, Quote, Span, Style, Table

fuzz = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
"""No time limits of hypothesis' own: the machine may be busy, and pytest's catches what never ends."""

_LETTERS = string.ascii_letters + string.digits + "  .,\n" + "é語🙂👩\u200d💻\u0301\u202e"
_STYLES: list[Style] = ["bold", "italic", "strike", "code"]
_HREFS = [None, None, None, "https://a.example/x_(y)", "javascript:alert(1)", "tg://user?id=4"]

texts = st.text(_LETTERS, max_size=60) | st.text(_LETTERS, min_size=200, max_size=600)
spans = st.builds(Span, texts, st.frozensets(st.sampled_from(_STYLES)), st.sampled_from(_HREFS))
runs = st.lists(spans, min_size=1, max_size=6).map(tuple)
cells = st.lists(st.builds(Span, st.text(_LETTERS, max_size=8)), max_size=2).map(tuple)

leaves: st.SearchStrategy[Block] = st.one_of(
    st.builds(Paragraph, runs),
    st.builds(Heading, st.integers(1, 6), runs),
    st.builds(Code, texts, st.sampled_from(["", "python"])),
    st.just(Divider()),
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    width = draw(st.integers(1, 4))
    row = st.lists(cells, min_size=width, max_size=width).map(tuple)
    return Table(draw(row), tuple(draw(st.lists(row, max_size=5))))


def _around(inner: st.SearchStrategy[Block]) -> st.SearchStrategy[Block]:
    some = st.lists(inner, max_size=4).map(tuple)
    return st.one_of(
        st.builds(Quote, some),
        st.builds(Listing, st.lists(some, min_size=1, max_size=4).map(tuple), st.none() | st.integers(0, 12)),
    )


_trees: st.SearchStrategy[Block] = st.recursive(leaves, _around, max_leaves=8)
untabled = st.lists(_trees, max_size=5).map(tuple)
"""Documents without tables: none of their words are ever repeated."""
documents = st.lists(_trees | tables(), max_size=5).map(tuple)

limits = st.builds(
    Limits,
    text=st.integers(20, 300),
    unit=st.sampled_from(["utf16", "characters"]),
    entities=st.integers(0, 12),
    label=st.just(64),
    row=st.just(8),
    buttons=st.just(100),
    token_bytes=st.just(64),
    notice=st.just(200),
    edit_age_s=st.none(),
    table_width=st.integers(0, 40),
)

markdown = st.one_of(
    st.text(string.ascii_letters + "*_`~[]()<>#|-+>!&\\\n 0123456789.:/é🙂\u202e\x00", max_size=300),
    st.lists(
        st.sampled_from(
            [
                "# a\n",
                "**b",
                "`c`",
                "```x\n",
                "> ",
                "- d\n",
                "  1. e\n",
                "|f|g|\n|-|-|\n",
                "[h](http://i)",
                "\n",
                "\n\n",
                *["<!channel>", "&lt;", "\\*", "~~j~~", "---\n", "![k](x)", "[l]: http://m\n", "    n\n", "|1|2|3|\n"],
            ]
        ),
        max_size=30,
    ).map("".join),
)


def words(text: str) -> str:
    """What must survive, in order: letters and digits that are neither a list's number nor a mark."""
    return "".join(character for character in text if character.isalpha())


def said(blocks: tuple[Block, ...]) -> str:
    """Every letter of a document without tables, in order."""
    return "".join(_said(block) for block in blocks)


def _said(block: Block) -> str:
    match block:
        case Paragraph() | Heading():
            return words("".join(span.text for span in block.spans))
        case Listing():
            return "".join(said(item) for item in block.items)
        case Quote():
            return said(block.blocks)
        case Code():
            return words(block.text)
        case Table():
            rows = (block.header, *block.rows)
            return words("".join(span.text for row in rows for cell in row for span in cell))
        case Divider():
            return ""
