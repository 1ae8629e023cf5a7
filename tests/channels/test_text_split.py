"""Flatten and split: no part over a limit, no word lost, nothing left open."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import example, given

from channels.adapter import Limits
from channels.outgoing import Block, Button, Code, Heading, Listing, Outgoing, Paragraph, Quote, Span, Table
from channels.text.characters import size
from channels.text.flatten import Flat, Stretch, flatten
from channels.text.links import safe
from channels.text.parse import blocks
from channels.text.split import split
from tests.channels.documents import documents, fuzz, limits, markdown, said, untabled, words

PHONE = Limits(
    text=4096,
    unit="utf16",
    entities=100,
    label=64,
    row=8,
    buttons=100,
    token_bytes=64,
    notice=200,
    edit_age_s=None,
    table_width=32,
)
SMALL = replace(PHONE, text=40)


def parts(document: tuple[Block, ...], limits: Limits) -> list[tuple[Block, ...]]:
    return [part.blocks for part in split(Outgoing(document), limits)]


def shown(document: tuple[Block, ...], limits: Limits) -> list[str]:
    return [flatten(part, limits).text for part in parts(document, limits)]


def assert_sound(flat: Flat) -> None:
    assert flat.text == flat.text.rstrip()
    opened: list[Stretch] = []
    for stretch in flat.stretches:
        assert 0 <= stretch.start < stretch.end <= len(flat.text)
        assert flat.text[stretch.start : stretch.end].strip()
        while opened and opened[-1].end <= stretch.start:
            opened.pop()
        if opened:
            assert stretch.end <= opened[-1].end
            assert opened[-1].kind not in ("code", "pre")
            assert stretch.kind not in {outer.kind for outer in opened}
        if stretch.kind == "link":
            assert safe(stretch.detail)
        opened.append(stretch)


@fuzz
@given(documents, limits)
def test_every_part_keeps_to_the_limits(document: tuple[Block, ...], limits: Limits) -> None:
    for part in parts(document, limits):
        flat = flatten(part, limits)
        assert size(flat.text, limits.unit) <= limits.text
        assert len(flat.stretches) <= limits.entities
        assert_sound(flat)


@fuzz
@given(untabled, limits)
def test_no_word_is_lost_doubled_or_moved(document: tuple[Block, ...], limits: Limits) -> None:
    assert words("".join(shown(document, limits))) == said(document)


@fuzz
@given(documents, limits)
def test_no_word_is_lost_from_a_table(document: tuple[Block, ...], limits: Limits) -> None:
    tables = tuple(block for block in document if isinstance(block, Table))
    there = Counter(words("".join(shown(tables, limits))))
    rows = [said((Table((), (row,)),)) for table in tables for row in table.rows]
    assert not Counter("".join(rows)) - there


@fuzz
@given(markdown, limits)
@example("```\n" + "x" * 9000, PHONE)
@example("| a |\n|---|\n" + "| wörd |\n" * 900, SMALL)
def test_whatever_a_model_writes_can_be_sent(text: str, limits: Limits) -> None:
    document = blocks(text)
    for part in parts(document, limits):
        flat = flatten(part, limits)
        assert size(flat.text, limits.unit) <= limits.text
        assert_sound(flat)


@fuzz
@given(untabled)
def test_what_fits_is_one_part(document: tuple[Block, ...]) -> None:
    roomy = replace(PHONE, text=1_000_000, entities=1_000_000)
    assert len(parts(document, roomy)) == 1


@pytest.mark.parametrize("unit", ["utf16", "characters"])
def test_a_line_of_nine_thousand_characters_in_a_fence_ends(unit: str) -> None:
    limits = replace(PHONE, unit="utf16" if unit == "utf16" else "characters")
    found = parts(blocks("```py\n" + "x" * 9000 + "\n```"), limits)
    assert [block for part in found for block in part] == [Code("x" * n, "py") for n in (4096, 4096, 808)]


def test_emoji_count_two_and_are_not_cut() -> None:
    assert [len(text) for text in shown(blocks("😀" * 4096), PHONE)] == [2048, 2048]
    family = "👩\u200d👩\u200d👧"  # 8 units
    assert shown(blocks(family * 8), replace(SMALL, text=42)) == [family * 5, family * 3]
    assert shown(blocks("e\u0301" * 30), replace(SMALL, text=21)) == ["e\u0301" * 10] * 3
    assert shown(blocks("🇩🇪" * 15), replace(SMALL, text=42)) == ["🇩🇪" * 10, "🇩🇪" * 5]


def test_text_is_cut_at_lines_then_sentences_then_words() -> None:
    assert shown(blocks("aaaa aaaa aaaa aaaa aaaa\nbbbb bbbb bbbb bbbb"), SMALL)[0] == "aaaa aaaa aaaa aaaa aaaa"
    assert shown(blocks("Aaaa aaaa aaaa aaaa aaaa. Bbbb bbbb bbbb bbbb"), SMALL)[0] == "Aaaa aaaa aaaa aaaa aaaa."
    assert shown(blocks("aaaa " * 9 + "a"), SMALL) == ["aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa", "aaaa a"]


def test_a_short_block_is_not_cut_and_a_heading_stays_with_its_text() -> None:
    assert shown(blocks("first paragraph\n\n# Head\nsecond paragraph of text"), SMALL) == [
        "first paragraph",
        "Head\nsecond paragraph of text",
    ]


def test_a_list_is_cut_at_items_and_its_numbers_go_on() -> None:
    assert shown(blocks("\n".join(f"{n}. item {n}" for n in range(1, 8))), SMALL) == [
        "1. item 1\n2. item 2\n3. item 3\n4. item 4",
        "5. item 5\n6. item 6\n7. item 7",
    ]


def test_the_rest_of_a_long_item_has_no_number_of_its_own() -> None:
    first, *_, last = shown(blocks("1. a\n2. " + "word " * 20 + "\n3. c"), SMALL)
    assert first.startswith("1. a\n2. word")
    assert last.endswith("\n3. c") or last == "3. c"


def test_a_table_is_cut_at_rows_and_its_header_repeated() -> None:
    found = shown(blocks("| name | n |\n|---|---|\n" + "".join(f"| row{n} | {n} |\n" for n in range(80))), PHONE)
    assert len(found) == 1
    for text in shown(blocks("| name | n |\n|---|---|\n" + "".join(f"| row{n} | {n} |\n" for n in range(8))), SMALL):
        assert text.startswith("name  n\n----  -\nrow")


def test_a_quote_stays_a_quote() -> None:
    for part in parts(blocks("> " + "word " * 30), SMALL):
        assert all(isinstance(block, Quote) for block in part)


def test_buttons_are_on_the_last_part_and_the_reply_on_the_first() -> None:
    rows = ((Button("Approve", "t1"),),)
    found = split(Outgoing(blocks("word " * 30), rows, reply_to="7"), SMALL)
    assert len(found) == 4
    assert [part.rows for part in found] == [(), (), (), rows]
    assert [part.reply_to for part in found] == ["7", None, None, None]


def test_an_empty_message_is_one_part_that_holds_nothing() -> None:
    assert split(Outgoing(()), PHONE) == (Outgoing(()),)
    assert split(Outgoing((Paragraph((Span("  "),)),)), PHONE) == (Outgoing(()),)


def test_limits_that_hold_no_character_are_refused() -> None:
    with pytest.raises(ValueError, match="no text fits"):
        split(Outgoing(()), replace(PHONE, text=1))


def test_form_gives_way_where_no_style_is_allowed() -> None:
    document = (Heading(1, (Span("Head"),)), Quote((Code("code"),)), Listing(((Paragraph((Span("x"),)),),)))
    bare = replace(PHONE, entities=0)
    assert words("".join(shown(document, bare))) == "Headcodex"


def test_flatten_shows_structure_in_plain_text() -> None:
    flat = flatten(blocks("# T\n\nhi **b**\n\n- a\n  1. c\n\n> q\n>> r\n\n---\n```py\n x\n```"), PHONE)
    assert flat.text == "T\nhi b\n\n• a\n  1. c\n\nq\n\n> r\n\n———\n\n x"
    assert flat.stretches == (
        Stretch(0, 1, "bold"),
        Stretch(5, 6, "bold"),
        Stretch(20, 26, "quote"),
        Stretch(33, 35, "pre", "py"),
    )


def test_code_takes_no_other_style_and_a_linked_code_is_a_link() -> None:
    assert flatten(blocks("**`a`**"), PHONE).stretches == (Stretch(0, 1, "code"),)
    assert flatten(blocks("[`a`](https://b.example)"), PHONE).stretches == (Stretch(0, 1, "link", "https://b.example"),)


def test_an_address_needs_no_stretch_and_mail_is_written_out() -> None:
    flat = flatten(blocks("https://a.example/x_y, [**me** *too*](mailto:a@b.example), <c@d.example>"), PHONE)
    assert flat.text == "https://a.example/x_y, me too (a@b.example), c@d.example"
    assert {stretch.kind for stretch in flat.stretches} == {"bold", "italic"}


def test_a_table_that_fits_is_aligned_by_what_is_seen() -> None:
    flat = flatten(blocks("| 名 | n |\n|---|---|\n| a | 語語 |"), PHONE)
    assert flat.text == "名  n\n--  ----\na   語語"
    assert [stretch.kind for stretch in flat.stretches] == ["pre"]


def test_a_table_that_is_too_wide_becomes_records() -> None:
    wide = "| Name | Note |\n|---|---|\n| a | " + "long " * 10 + "|\n| b | |"
    assert flatten(blocks(wide), PHONE).text == "Name: a\nNote: " + "long " * 9 + "long\n\nName: b"


def test_a_table_with_links_keeps_them() -> None:
    flat = flatten(blocks("| a |\n|---|\n| [x](https://b.example) |"), PHONE)
    assert "https://b.example" in {stretch.detail for stretch in flat.stretches}


def test_the_indentation_of_code_survives_a_cut() -> None:
    document = blocks("```\n" + "    indented = 1\n" * 4 + "```")
    assert all(text.startswith("    indented") for text in shown(document, SMALL))
