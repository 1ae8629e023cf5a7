"""Markdown → blocks: nothing is lost, nothing dangerous becomes a link."""

import pytest

from channels.outgoing import Block, Code, Divider, Heading, Listing, Paragraph, Quote, Span, Style, Table
from channels.text.characters import visible
from channels.text.parse import blocks

BOLD: frozenset[Style] = frozenset({"bold"})
ITALIC: frozenset[Style] = frozenset({"italic"})


def only(markdown: str) -> Block:
    found = blocks(markdown)
    assert len(found) == 1, found
    return found[0]


def spans(markdown: str) -> tuple[Span, ...]:
    block = only(markdown)
    assert isinstance(block, Paragraph)
    return block.spans


def test_styles_nest() -> None:
    assert spans("**a *b*** ~~c~~ `d*e*`") == (
        Span("a ", frozenset({"bold"})),
        Span("b", frozenset({"bold", "italic"})),
        Span(" "),
        Span("c", frozenset({"strike"})),
        Span(" "),
        Span("d*e*", frozenset({"code"})),
    )


@pytest.mark.parametrize(
    "address",
    [
        "https://en.wikipedia.org/wiki/Apollo_(mythology)",
        "http://a_b.example/_x_?q=%20&r=a%2Fb",
        "mailto:someone@example.org",
        "tg://resolve?domain=example",
    ],
)
def test_a_link_keeps_its_address_byte_for_byte(address: str) -> None:
    assert spans(f"[here]({address})") == (Span("here", href=address),)


@pytest.mark.parametrize(
    "text",
    [
        "[x](javascript:alert(1))",
        "[x](data:text/html,hi)",
        "[x](tg://user?id=42)",
        "[x](/relative)",
        "![x](file:///etc/passwd)",
    ],
)
def test_other_addresses_stay_readable_text(text: str) -> None:
    assert spans(text) == (Span(text),)


def test_raw_html_and_slack_mentions_stay_literal() -> None:
    text = "<b>bold</b> <!channel> <@U123> @all"
    assert spans(text) == (Span(text),)


def test_snake_case_is_left_alone() -> None:
    assert spans("snake_case_name __init__.py") == (Span("snake_case_name "), Span("init", BOLD), Span(".py"))
    assert spans("snake_case_name and 2*3*4") == (Span("snake_case_name and 2"), Span("3", ITALIC), Span("4"))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("see {} there", "https://a.example/_next_/x_y_z*b*c~~d~~?e=f_&g=%20"),
        ("({})", "https://a.example/x_(y)"),
        ("**{}**, and", "http://a.example/x"),
        ("_{}_", "http://a.example/x_y"),
        ("at {}.", "HTTPS://a.example"),
        ("[see {}]", "https://a.example/x"),
    ],
)
def test_a_bare_address_arrives_byte_for_byte(text: str, address: str) -> None:
    assert [span.text for span in spans(text.format(address)) if span.href] == [address]
    assert [span.href for span in spans(text.format(address)) if span.href] == [address]


def test_an_escaped_address_is_unescaped_and_no_link_is_in_a_link() -> None:
    assert spans(r"https://a.example/x\_y") == (Span("https://a.example/x_y", href="https://a.example/x_y"),)
    assert spans("[https://a.example/_x_](https://b.example)") == (
        Span("https://a.example/_x_", href="https://b.example"),
    )
    assert spans("nohttp://x") == (Span("nohttp://x"),)


def test_a_link_as_slack_writes_it_is_a_link_with_that_label() -> None:
    link = "https://x.example/_a_?b=1&c=%20"
    assert spans(f"see <{link}|the *plan*> here") == (Span("see "), Span("the *plan*", href=link), Span(" here"))
    assert spans("**<https://x.example|text>**") == (Span("text", BOLD, "https://x.example"),)
    assert spans("<mailto:a@b.example|mail>") == (Span("mail", href="mailto:a@b.example"),)
    assert spans("<https://x.example|>") == (Span("https://x.example", href="https://x.example"),)
    assert spans("[<https://x.example|in>](https://b.example)") == (Span("in", href="https://b.example"),)


@pytest.mark.parametrize("text", ["<javascript:x|text>", "<!here|here>", "<@U0ADA|ada>", "<tg://user?id=4|you>"])
def test_other_marks_of_slack_stay_literal(text: str) -> None:
    assert spans(text) == (Span(text),)


def test_a_link_definition_is_not_swallowed() -> None:
    link = "https://a.example"
    assert spans(f"[1]: {link} 'Title'") == (Span("[1]: "), Span(link, href=link), Span(" 'Title'"))


def test_titles_pictures_and_empty_links_are_not_swallowed() -> None:
    link = "https://a.example"
    assert spans(f'[a]({link} "Title")') == (Span("a", href=link), Span(" (Title)"))
    assert spans(f"![alt *x*]({link})") == (Span("alt *x*", href=link),)
    assert spans(f"[]({link})") == (Span(link, href=link),)


def test_lists_keep_their_first_number_and_their_depth() -> None:
    assert only("3. a\n4. b\n   - c") == Listing(
        ((Paragraph((Span("a"),)),), (Paragraph((Span("b"),)), Listing(((Paragraph((Span("c"),)),),)))), start=3
    )
    assert only("0. a") == Listing(((Paragraph((Span("a"),)),),), start=0)


def test_a_table_keeps_cells_beyond_its_header() -> None:
    table = only("| a | b |\n|---|---|\n| 1 | 2 | 3 | 4 |\n| 5 |")
    assert isinstance(table, Table)
    assert table.rows == (((Span("1"),), (Span("2"), Span(" | 3 | 4"))), ((Span("5"),), ()))


def test_a_fence_keeps_its_language_and_the_words_behind_it() -> None:
    assert blocks("```python title=x\na\n  b\n```") == (Paragraph((Span("title=x"),)), Code("a\n  b", "python"))
    assert only("```\nnever closed") == Code("never closed")


def test_headings_quotes_and_dividers() -> None:
    assert blocks("# A\n> b\n\n---") == (
        Heading(1, (Span("A"),)),
        Quote((Paragraph((Span("b"),)),)),
        Divider(),
    )


def test_control_characters_are_gone_and_invisible_ones_stay() -> None:
    assert spans("a\x00b\x1b[31m\u200b\u202ec\ud83d") == (Span("ab[31m\u200b\u202ec\ufffd"),)


def test_what_lies_too_deep_is_shown_as_typed() -> None:
    text = "> " * 60 + "bottom"
    assert spans(text) == (Span(text),)


def test_nothing_gives_nothing() -> None:
    assert blocks("") == blocks(" \n\n") == ()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("safe\u202etxt.exe", r"safe\u202etxt.exe"),
        ("a\u200bb\u2060c\ufeffd", r"a\u200bb\u2060c\ufeffd"),
        ("\u2066x\u2069", r"\u2066x\u2069"),
        ("\x1b[2Jgone\x00\r", r"\x1b[2Jgone\x00\x0d"),
        ("a\U000e0041\U000e01ef", r"a\U000e0041\U000e01ef"),
        ("half \ud83d", r"half \ud83d"),
        ("line\u2028sep", r"line\u2028sep"),
        ("👩\u200d👧 👨🏽\u200d🚀 a\u200db", "👩\u200d👧 👨🏽\u200d🚀 a\\u200db"),
        ("two\nlines\tand 語 é 😀", "two\nlines\tand 語 é 😀"),
    ],
)
def test_hidden_characters_of_a_value_are_shown(value: str, shown: str) -> None:
    assert visible(value) == shown
