"""Messages → text, entities and keyboards."""

import pytest
from hypothesis import given

from channels.errors import Refused
from channels.outgoing import Block, Button, Outgoing, Paragraph, Span, plain
from channels.telegram.limits import LIMITS
from channels.telegram.render import entities, render
from channels.text.flatten import flatten
from channels.text.parse import blocks
from tests.channels.documents import documents, fuzz


def test_offsets_count_utf16_units() -> None:
    made = render(Outgoing(blocks("😀 **bold** [link](https://a.example) `x`")))
    assert [(e.type, e.offset, e.length, e.url) for e in made.entities] == [
        ("bold", 3, 4, None),
        ("text_link", 8, 4, "https://a.example"),
        ("code", 13, 1, None),
    ]


def test_code_names_its_language_and_quotes_are_quotes() -> None:
    made = render(Outgoing(blocks("> q\n\n```py\nx\n```")))
    assert [(e.type, e.language) for e in made.entities] == [("blockquote", None), ("pre", "py")]


def test_nobody_is_mentioned() -> None:
    text = "@all @channel [you](tg://user?id=42) <!here>"
    made = render(Outgoing((*blocks(text), Paragraph((Span("you", href="tg://user?id=42"),)))))
    assert made.entities == ()
    assert text in made.text


@fuzz
@given(documents)
def test_every_entity_covers_what_was_styled(document: tuple[Block, ...]) -> None:
    flat = flatten(document, LIMITS)
    units = flat.text.encode("utf-16-le")
    for entity, stretch in zip(entities(flat), flat.stretches, strict=True):
        covered = units[2 * entity.offset : 2 * (entity.offset + entity.length)].decode("utf-16-le")
        assert covered == flat.text[stretch.start : stretch.end]


def test_buttons_keep_rows_and_styles() -> None:
    row = (Button("Approve", "a", "primary"), Button("Reject", "b", "danger"))
    made = render(Outgoing(plain("x"), (row, (), (Button("More", "c"),))))
    assert made.keyboard is not None
    assert [[(b.text, b.callback_data, b.style) for b in line] for line in made.keyboard.inline_keyboard] == [
        [("Approve", "a", "primary"), ("Reject", "b", "danger")],
        [("More", "c", None)],
    ]


def test_a_long_label_is_cut() -> None:
    made = render(Outgoing(plain("x"), ((Button("l" * 200, "a"),),)))
    assert made.keyboard is not None
    assert made.keyboard.inline_keyboard[0][0].text == "l" * 63 + "…"


@pytest.mark.parametrize("button", [Button("x", "é" * 33), Button("x", ""), Button(" \x00", "a")])
def test_a_button_that_telegram_would_refuse_is_refused_here(button: Button) -> None:
    with pytest.raises(Refused):
        render(Outgoing(plain("x"), ((button,),)))
