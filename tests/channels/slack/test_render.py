"""Messages → blocks and the text that stands for them."""

import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given

from channels.errors import Refused
from channels.outgoing import Block, Button, Code, Heading, Listing, Outgoing, Paragraph, Quote, Span, Table, plain
from channels.slack.limits import BLOCKS, BLOCKS_SUM, FALLBACK, LIMITS
from channels.slack.render import Rendered, render, weight
from channels.text.parse import blocks
from channels.text.split import split
from tests.channels.documents import documents, fuzz, markdown, said, untabled, words
from tests.channels.slack.blocks import assert_takes, pieces, read, strings


def made(text: str) -> Rendered:
    """Of a model's markdown, as one message."""
    found = render(Outgoing(blocks(text)))
    assert_sound(found)
    return found


def assert_sound(rendered: Rendered) -> None:
    assert_takes(list(rendered.blocks))
    assert 0 < len(rendered.text) <= FALLBACK
    assert not set("<>") & set(rendered.text)
    assert re.fullmatch(r"(?:[^&]|&(?:amp|lt|gt);)*", rendered.text, re.DOTALL)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "".join(strings(rendered.blocks)) + rendered.text)


def rich(text: str) -> list[Any]:
    [block] = made(text).blocks
    assert block["type"] == "rich_text"
    elements: list[Any] = block["elements"]
    return elements


def text(words: str, **styles: bool) -> dict[str, Any]:
    return {"type": "text", "text": words, **({"style": styles} if styles else {})}


def section(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "rich_text_section", "elements": list(elements)}


def listed(style: str, *lines: str, indent: int = 0) -> dict[str, Any]:
    return {
        "type": "rich_text_list",
        "style": style,
        "indent": indent,
        "elements": [section(text(line)) for line in lines],
    }


@fuzz
@given(documents)
def test_every_part_of_a_document_is_taken(document: tuple[Block, ...]) -> None:
    for part in split(Outgoing(document), LIMITS):
        if part.blocks:
            assert_sound(render(part))


@fuzz
@given(markdown)
@example("```\n" + "x" * 9000)
@example("# a\n\nb\n\n---\n\n" * 200)
@example("| a |\n|---|\n" + "| <!here> |\n" * 900)
@example("| " * 30 + "\n" + "|-" * 30 + "|\n" + "| x " * 30)
@example("- " * 15 + "deep\n\n" + "> " * 15 + "deep")
@example("&<>" * 5000)
@example("[a](https://x.example/" + "y" * 4000 + ") " * 20)
def test_whatever_a_model_writes_is_taken(text: str) -> None:
    for part in split(Outgoing(blocks(text)), LIMITS):
        if part.blocks:
            assert_sound(render(part))


@fuzz
@given(untabled)
def test_no_word_is_lost_doubled_or_moved(document: tuple[Block, ...]) -> None:
    parts = [part for part in split(Outgoing(document), LIMITS) if part.blocks]
    assert words("".join(read(render(part).blocks) for part in parts)) == said(document)


@fuzz
@given(documents)
def test_no_word_is_lost_from_a_table(document: tuple[Block, ...]) -> None:
    tables = tuple(block for block in document if isinstance(block, Table))
    parts = [part for part in split(Outgoing(tables), LIMITS) if part.blocks]
    there = Counter(words("".join(read(render(part).blocks) for part in parts)))
    rows = [said((Table((), (row,)),)) for table in tables for row in table.rows]
    assert not Counter("".join(rows)) - there


@pytest.mark.parametrize(
    "mark", ["<!channel>", "<!here>", "<!subteam^S1>", "<@U0ADA>", "<#C0GEN>", "@channel", ":tada:"]
)
def test_nobody_is_mentioned(mark: str) -> None:
    """Neither by a model nor by a tool: in words, titles, tables, code, labels."""
    code = blocks(
        f"`{mark}`\n\n```\n{mark}\n```\n\n> {mark}\n\n- {mark}\n\n# {mark}\n\n## *{mark}*\n\n| {mark} |\n|---|\n| {mark} |"
    )
    everywhere = (*code, Paragraph((Span(mark, href=mark), Span(mark, href="slack://user?id=U0ADA"))))
    found = render(Outgoing(everywhere, ((Button(mark, "a", confirm=mark),),)))
    assert_sound(found)
    assert "<" not in "".join(text for text in strings(found.blocks) if mark not in text)
    assert read(found.blocks).count(mark) == 10
    assert found.text.count(mark.replace("<", "&lt;").replace(">", "&gt;")) == 10


def test_styles_are_styles_and_text_is_literal() -> None:
    assert rich("***x*** _i_ ~~s~~ `c<d>` &amp; *a* &lt; b") == [
        section(
            text("x", bold=True, italic=True),
            text(" "),
            text("i", italic=True),
            text(" "),
            text("s", strike=True),
            text(" "),
            text("c<d>", code=True),
            text(" & "),
            text("a", italic=True),
            text(" < b"),
        )
    ]


def test_links_are_whole_and_only_to_the_web_and_to_mail() -> None:
    link = "https://a.example/x_(y)?b=1&c=2"
    assert rich(f"[a]({link}) **<{link}>** <{link}|label> [m](mailto:a@b.example)") == [
        section(
            {"type": "link", "url": link, "text": "a"},
            text(" "),
            {"type": "link", "url": link, "text": link, "style": {"bold": True}},
            text(" "),
            {"type": "link", "url": link, "text": "label"},
            text(" "),
            {"type": "link", "url": "mailto:a@b.example", "text": "m"},
        )
    ]
    assert rich("[t](tg://resolve?domain=x)") == [section(text("t"))]
    [block] = render(Outgoing((Paragraph((Span("a"), Span(" ", href=link), Span("b"))),))).blocks
    assert block["elements"] == [section(text("a b"))]


def test_paragraphs_are_a_line_apart() -> None:
    assert rich("a\nb\n\nc\n\n- d\n\ne\n\n### f\n\ng") == [
        section(text("a\nb\n\nc")),
        listed("bullet", "d"),
        section(text("\ne\n\n"), text("f", bold=True), text("\ng")),
    ]


def test_lists_nest_by_indentation() -> None:
    assert rich("- a\n  - b\n    - c\n- d") == [
        listed("bullet", "a"),
        listed("bullet", "b", indent=1),
        listed("bullet", "c", indent=2),
        listed("bullet", "d"),
    ]
    assert rich("1. a\n2. b") == [listed("ordered", "a", "b")]


def test_numbers_that_slack_would_begin_anew_are_written_out() -> None:
    assert rich("1. a\n   - x\n2. b") == [section(text("1. a")), listed("bullet", "x", indent=1), section(text("2. b"))]
    assert rich("so:\n\n4. a\n5. b") == [section(text("so:\n4. a\n5. b"))]


def test_code_in_a_list_stays_code_and_the_list_goes_on() -> None:
    assert rich("- a\n  ```\n  x\n  ```\n- b") == [
        listed("bullet", "a"),
        {"type": "rich_text_preformatted", "elements": [text("x")]},
        listed("bullet", "b"),
    ]


def test_empty_items_keep_their_place() -> None:
    assert rich("1. a\n2.\n3. c") == [listed("ordered", "a", " ", "c")]


def test_a_quote_holds_lines_with_their_styles() -> None:
    assert rich("> a **b**\n>\n> - c\n>\n> `d` [e](https://e.example)\n> > f") == [
        {
            "type": "rich_text_quote",
            "elements": [
                text("a "),
                text("b", bold=True),
                text("\n\n• c\n\n"),
                text("d", code=True),
                text(" "),
                {"type": "link", "url": "https://e.example", "text": "e"},
                text("\n\n> f"),
            ],
        }
    ]


def test_a_fence_cannot_be_left() -> None:
    held = "```\n*Approved* <https://x.example|y>"
    [block] = render(Outgoing((Code(held),))).blocks
    assert block["elements"] == [{"type": "rich_text_preformatted", "elements": [text(held)]}]


def test_short_titles_are_headers_and_long_ones_bold() -> None:
    kinds = [block["type"] for block in made("# A & <b>\n\nx\n\n---\n\n## " + "&" * 31 + "\n\n### c").blocks]
    assert kinds == ["header", "rich_text", "divider", "rich_text"]
    assert made("# A & <b>\n\nx").blocks[0]["text"]["text"] == "A &amp; &lt;b&gt;"
    for title in ("`code`", "~~no~~", "[l](https://l.example)", "x" * 151):
        assert [block["type"] for block in made(f"# {title}\n\nx").blocks] == ["rich_text"]


def test_too_many_titles_are_bold_lines() -> None:
    found = made("# a\n\nb\n\n---\n\n" * 30)
    assert [block["type"] for block in found.blocks] == ["rich_text"]


def test_every_message_has_rich_text_so_that_it_can_be_edited_into_any_other() -> None:
    for written in ("# only a title", "---", "| only | a |\n|---|---|\n| table | x |", "# t\n\n| a |\n|---|\n| b |"):
        assert "rich_text" in [block["type"] for block in made(written).blocks]


def test_a_table_is_a_table_and_empty_cells_are_not_empty() -> None:
    [_, table] = made("so:\n\n| a | |\n|---|---|\n| **1** | |\n| 2 | [l](https://l.example) |").blocks
    bold_a = {"type": "rich_text", "elements": [section(text("a", bold=True))]}
    blank = {"type": "raw_text", "text": " "}
    link = {"type": "link", "url": "https://l.example", "text": "l"}
    assert table == {
        "type": "table",
        "rows": [
            [bold_a, blank],
            [{"type": "rich_text", "elements": [section(text("1", bold=True))]}, blank],
            [{"type": "raw_text", "text": "2"}, {"type": "rich_text", "elements": [section(link)]}],
        ],
    }


def test_further_tables_and_larger_ones_are_lines() -> None:
    small = "| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    assert [block["type"] for block in made(f"x\n\n{small}y\n\n{small}").blocks] == ["rich_text", "table", "rich_text"]
    long = "x\n\n| a |\n|---|\n" + "| 1 |\n" * 100
    assert [block["type"] for block in made(long).blocks] == ["rich_text"]
    wide = "x\n\n" + "| a " * 21 + "|\n" + "|---" * 21 + "|\n" + "| 1 " * 21 + "|"
    assert [block["type"] for block in made(wide).blocks] == ["rich_text"]


def test_a_long_table_is_cut_at_rows_and_its_header_repeated() -> None:
    table = "| name | note |\n|---|---|\n" + "".join(f"| row{n} | {'note ' * 9}|\n" for n in range(80))
    found = [render(part) for part in split(Outgoing(blocks(table)), LIMITS)]
    assert len(found) > 1
    tables = [block for part in found for block in part.blocks if block["type"] == "table"]
    assert len(tables) == len(found)
    assert all(next(strings(one["rows"])) == "name" for one in tables)
    assert [row for n in range(80) for row in [f"row{n}"]] == [
        text for one in tables for text in strings(one["rows"]) if text.startswith("row")
    ]


def test_a_part_that_is_cut_can_be_posted_and_edited() -> None:
    for part in split(Outgoing(blocks("&" * 4000 + "\n\n" + "word <tag> " * 2000)), LIMITS):
        found = render(part)
        assert_sound(found)
        assert len(found.text) <= 4000
        assert weight(found.blocks) <= BLOCKS_SUM


def test_a_fallback_that_is_cut_ends_between_two_characters() -> None:
    assert made("&" * 700).text == "&amp;" * 599 + "…"
    assert made("👩\u200d👧" * 999 + "xx").text == "👩\u200d👧" * 999 + "xx"
    assert made("x" + "👩\u200d👧" * 1000).text == "x" + "👩\u200d👧" * 999 + "…"


def test_control_characters_are_gone() -> None:
    document = (*plain("a\x1b[31mb\x00"), Code("c\x07\rd"), Heading(1, (Span("e\x9ff"),)))
    found = render(Outgoing(document, ((Button("g\x07", "t", confirm="h\x1b"),),)))
    assert_sound(found)
    assert read(found.blocks) == "a[31mb\nc\nd\nef"


def test_buttons_keep_rows_styles_and_their_question() -> None:
    first = (Button("Approve", "a", "primary"), Button("Reject", "b", "danger", confirm="Reject <it>?"))
    [_, *actions] = render(Outgoing(plain("x"), (first, (), (Button("More", "c"),)))).blocks
    assert [[button["value"] for button in one["elements"]] for one in actions] == [["a", "b"], ["c"]]
    assert [button.get("style") for one in actions for button in one["elements"]] == ["primary", "danger", None]
    assert [button["action_id"] for one in actions for button in one["elements"]] == ["b0", "b1", "b2"]
    confirm = actions[0]["elements"][1]["confirm"]
    assert [confirm[name]["text"] for name in ("title", "text", "confirm", "deny")] == [
        *("Reject", "Reject &lt;it&gt;?", "Reject", "Cancel")
    ]
    assert confirm["style"] == "danger"
    assert "confirm" not in actions[0]["elements"][0]


def test_a_long_row_is_more_than_one_and_long_words_of_a_button_are_cut() -> None:
    row = tuple(Button("l" * 200, str(n), confirm="&" * 400) for n in range(12))
    found = render(Outgoing(plain("x"), (row,)))
    assert_sound(found)
    assert [len(block["elements"]) for block in found.blocks[1:]] == [5, 5, 2]
    assert found.blocks[1]["elements"][0]["text"]["text"] == "l" * 74 + "…"


def test_a_question_of_nothing_is_not_asked() -> None:
    [_, actions] = render(Outgoing(plain("x"), ((Button("a", "a", confirm="\x1b \x07"),),))).blocks
    assert "confirm" not in actions["elements"][0]


@pytest.mark.parametrize("button", [Button("x", "a" * 256), Button("x", ""), Button(" \x00", "a")])
def test_a_button_that_slack_would_refuse_is_refused_here(button: Button) -> None:
    with pytest.raises(Refused):
        render(Outgoing(plain("x"), ((button,),)))


@pytest.mark.parametrize(
    "message",
    [
        Outgoing(()),
        Outgoing((Paragraph((Span(" \n"),)), Code("  "), Quote(()), Table((), ()))),
        Outgoing(plain("x" * 20_000)),
        Outgoing(plain("x"), tuple((Button("b", "t"),) for _ in range(BLOCKS))),
    ],
)
def test_nothing_to_show_and_too_much_to_show_are_refused(message: Outgoing) -> None:
    with pytest.raises(Refused):
        render(message)


def test_addresses_that_are_too_long_for_slack_give_way_to_their_words() -> None:
    links = tuple(Span(f"word{n} ", href=f"https://x.example/{n}/" + "y" * 2000) for n in range(10))
    found = render(Outgoing((Paragraph(links),)))
    assert_sound(found)
    assert [piece["type"] for piece in pieces(found.blocks)] == ["rich_text", "rich_text_section", "text"]


def test_a_card_fits_before_and_after_it_is_decided() -> None:
    """With arguments and reason at their longest, all of it to be escaped."""
    card = (*plain("<" * 400), Paragraph((Span("&" * 2400, frozenset({"code"})),)))
    rows = ((Button("Approve once", "t" * 64, "primary"), Button("Reject", "r" * 64, "danger")),)
    for message in (Outgoing(card, rows), Outgoing((*card, *plain("Approved by " + "&" * 280)))):
        assert_sound(render(message))
        assert split(message, LIMITS) == (message,)


def test_the_widest_table_that_is_not_too_long_leaves_room_for_the_rest() -> None:
    table = Table(((Span("h" * 9990),), (Span("i"),)), (((), (Span("x"),)),))
    message = Outgoing((*plain("y" * 3700), table))
    assert split(message, LIMITS) == (message,)
    assert_sound(render(message))


def test_deep_lists_stay_within_the_levels_that_slack_has() -> None:
    deep: Block = Paragraph((Span("x"),))
    for _ in range(15):
        deep = Listing(((Paragraph((Span("i"),)), deep),))
    assert_sound(render(Outgoing((deep,))))


def test_the_mark_and_the_reply_change_nothing_that_is_shown() -> None:
    message = Outgoing(plain("x"))
    assert render(replace(message, mark="m", reply_to="1")) == render(message)
