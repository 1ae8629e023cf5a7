"""Blocks → HTML: well-formed, only known elements, every text escaped."""

from html.parser import HTMLParser

from hypothesis import given

from channels.outgoing import Block, Code, Paragraph, Span
from channels.text.markup import html
from channels.text.parse import blocks
from tests.channels.documents import documents, fuzz, markdown, said, words

ALLOWED = {
    "p",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "blockquote",
    "pre",
    "code",
    "hr",
    "br",
    "a",
    "strong",
    "em",
    "s",
}
ALLOWED |= {"table", "thead", "tbody", "tr", "th", "td"}
VOID = {"hr", "br"}
ATTRIBUTES = {"href", "rel", "target", "class", "start", "scope"}


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED
        assert {name for name, _ in attrs} <= ATTRIBUTES
        for name, value in attrs:
            if name == "href":
                assert (value or "").lower().startswith(("http://", "https://", "mailto:", "tg:"))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")


def read(markup: str) -> str:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    assert not reader.open
    return reader.text


@fuzz
@given(documents)
def test_every_document_is_sound_and_whole(document: tuple[Block, ...]) -> None:
    assert words(read(html(document))) == said(document)


@fuzz
@given(markdown)
def test_whatever_a_model_writes_is_sound(text: str) -> None:
    read(html(blocks(text)))


def test_structure_becomes_elements() -> None:
    assert html(blocks("# T\n\n3. a\n   - b\n4. c\n\n> q")) == (
        '<h3>T</h3><ol start="3"><li>a<ul><li>b</li></ul></li><li>c</li></ol><blockquote><p>q</p></blockquote>'
    )


def test_links_open_apart_and_pass_nothing_on() -> None:
    assert html(blocks('[a](https://b.example/?x=1&y="2")')) == (
        '<p><a href="https://b.example/?x=1&amp;y=&quot;2&quot;" rel="noopener noreferrer nofollow"'
        ' target="_blank">a</a></p>'
    )


def test_a_span_with_a_dangerous_address_is_text() -> None:
    assert html((Paragraph((Span("x", href="javascript:alert(1)"),)),)) == "<p>x</p>"


def test_code_cannot_leave_its_frame() -> None:
    assert html((Code("</code></pre><script>", 'x" onload="y'),)) == (
        '<pre>\n<code class="language-x&quot; onload=&quot;y">&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;</code></pre>'
    )
