"""Text, entities and buttons: what is refused, in which words. Pure; no server."""

from typing import Any

import pytest

from tests.fakes.telegram.arguments import Args
from tests.fakes.telegram.errors import ApiError
from tests.fakes.telegram.markup import inline_keyboard
from tests.fakes.telegram.texts import Formatted, Unit, formatted


def read(text: str, *, unit: Unit = "characters", **more: Any) -> Formatted:
    return formatted(Args({"text": text, **more}, {}), "text", "entities", 4096, unit)


def refusal(text: str, *, unit: Unit = "characters", **more: Any) -> str:
    with pytest.raises(ApiError) as caught:
        read(text, unit=unit, **more)
    assert caught.value.breach
    return caught.value.description.removeprefix("Bad Request: ")


def bold(offset: int, length: int) -> list[dict[str, Any]]:
    return [{"type": "bold", "offset": offset, "length": length}]


def test_limit_counts_characters_and_not_utf16_units() -> None:
    assert read("😀" * 4096).text == "😀" * 4096
    assert refusal("😀" * 4097) == "message is too long"


def test_limit_can_be_switched_to_utf16_units() -> None:
    assert refusal("😀" * 2049, unit="utf16") == "message is too long"


@pytest.mark.parametrize("text", ["", "   ", "\n\t "])
def test_text_without_a_mark_is_empty(text: str) -> None:
    assert refusal(text) == "message text is empty"


def test_text_over_the_byte_limit_is_refused_before_parsing() -> None:
    assert refusal("<b></b>" * 5000 + "x", parse_mode="HTML") == "text is too long"


def test_half_a_surrogate_pair_is_refused() -> None:
    assert refusal("\ud83d") == "strings must be encoded in UTF-8"


@pytest.mark.parametrize(
    ("entities", "expected"),
    [
        pytest.param(bold(5, 3), "entity begins after the end of the text at UTF-16 offset 5", id="begins late"),
        pytest.param(
            bold(0, 9),
            "entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 9",
            id="ends late",
        ),
        pytest.param(bold(2, 1), "entity begins in a middle of a UTF-16 symbol at byte offset 5", id="splits at start"),
        pytest.param(
            bold(0, 2),
            "entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 5",
            id="splits at end",
        ),
        pytest.param(bold(-1, 1), "receive an entity with incorrect offset -1", id="negative"),
        pytest.param(
            [{"type": "shiny", "offset": 0, "length": 1}],
            "can't parse MessageEntity: unsupported type specified",
            id="unknown type",
        ),
        pytest.param("[", "can't parse entities: expected an Array", id="no JSON"),
    ],
)
def test_entity_off_the_characters_is_refused(entities: object, expected: str) -> None:
    assert refusal("a😀b", entities=entities) == expected


def test_entities_follow_the_text_when_its_ends_are_trimmed() -> None:
    shown = read("  ab  ", entities=bold(2, 4))
    assert (shown.text, shown.entities) == ("ab", ({"type": "bold", "offset": 0, "length": 2},))


def test_only_the_first_hundred_entities_are_kept() -> None:
    entities = [{"type": "bold", "offset": number, "length": 1} for number in range(0, 240, 2)]
    assert len(read("ab" * 120, entities=entities).entities) == 100


def test_commands_mentions_and_links_are_found_outside_code() -> None:
    shown = read("/go @someone https://example.org/a. /no", entities=[{"type": "code", "offset": 36, "length": 3}])
    assert [entity["type"] for entity in shown.entities] == ["bot_command", "mention", "url", "code"]


def test_html_gives_text_and_entities_in_utf16_units() -> None:
    shown = read('😀 <b>a &lt; <i>b</i></b> <a href="https://x.org/?a=1&amp;b">l</a>', parse_mode="HTML")
    assert shown.text == "😀 a < b l"
    assert shown.entities == (
        {"type": "bold", "offset": 3, "length": 5},
        {"type": "italic", "offset": 7, "length": 1},
        {"type": "text_link", "offset": 9, "length": 1, "url": "https://x.org/?a=1&b"},
    )


def test_html_code_in_pre_becomes_one_pre_with_its_language() -> None:
    shown = read('<pre><code class="language-python">x</code></pre>', parse_mode="HTML")
    assert shown.entities == ({"type": "pre", "offset": 0, "length": 1, "language": "python"},)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a<x>b", 'Unsupported start tag "x" at byte offset 1'),
        ("a<b", "Unclosed start tag at byte offset 1"),
        ("a</b>", "Unexpected end tag at byte offset 1"),
        ("<b>a</i>", 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'),
        ("<b>a", 'Can\'t find end tag corresponding to start tag "b"'),
    ],
)
def test_broken_html_is_refused_with_its_place(text: str, expected: str) -> None:
    assert refusal(text, parse_mode="HTML") == f"can't parse entities: {expected}"


def test_markdown_gives_text_and_entities() -> None:
    shown = read("*bold _both_* `c` \\. [t](https://x.org) __u__", parse_mode="MarkdownV2")
    assert shown.text == "bold both c . t u"
    assert [(entity["type"], entity["offset"], entity["length"]) for entity in shown.entities] == [
        ("bold", 0, 9),
        ("italic", 5, 4),
        ("code", 10, 1),
        ("text_link", 14, 1),
        ("underline", 16, 1),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.", "Character '.' is reserved and must be escaped with the preceding '\\'"),
        ("é*a", "Can't find end of Bold entity at byte offset 2"),
        ("`a", "Can't find end of Code entity at byte offset 0"),
        ("[a](b", "Can't find end of a URL at byte offset 3"),
    ],
)
def test_broken_markdown_is_refused_with_its_place(text: str, expected: str) -> None:
    assert refusal(text, parse_mode="MarkdownV2") == f"can't parse entities: {expected}"


def test_unknown_parse_mode_is_refused() -> None:
    assert refusal("a", parse_mode="bbcode") == "unsupported parse_mode"


def keyboard(*buttons: object) -> dict[str, object]:
    return {"inline_keyboard": [list(buttons)]}


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("{", "can't parse reply keyboard markup JSON object", id="no JSON"),
        pytest.param([], "object expected as reply markup", id="list"),
        pytest.param(
            {"inline_keyboard": [{}]},
            'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays',
            id="one level",
        ),
        pytest.param(
            keyboard("x"),
            "can't parse inline keyboard button: InlineKeyboardButton must be an Object",
            id="text for button",
        ),
        pytest.param(
            keyboard({"url": "x"}), "can't parse inline keyboard button: Can't find field \"text\"", id="no label"
        ),
        pytest.param(
            keyboard({"text": "a"}),
            "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
            id="no action",
        ),
        pytest.param(
            keyboard({"text": "a", "callback_data": "d", "style": "blue"}),
            "can't parse inline keyboard button: invalid button style specified",
            id="style",
        ),
        pytest.param(
            keyboard({"text": " ", "callback_data": "d"}),
            "inline keyboard button text must be non-empty",
            id="blank label",
        ),
        pytest.param(keyboard({"text": "a", "callback_data": "é" * 33}), "BUTTON_DATA_INVALID", id="66 bytes of data"),
        pytest.param(keyboard({"text": "a", "callback_data": ""}), "BUTTON_DATA_INVALID", id="no data"),
        pytest.param(
            {"inline_keyboard": [[{"text": "a", "callback_data": "d"}]] * 101},
            "reply markup is too long",
            id="101 buttons",
        ),
    ],
)
def test_broken_keyboard_is_refused(markup: object, expected: str) -> None:
    with pytest.raises(ApiError) as caught:
        inline_keyboard(markup)
    assert caught.value.description == f"Bad Request: {expected}"


def test_data_of_64_bytes_is_taken() -> None:
    assert inline_keyboard(keyboard({"text": "a", "callback_data": "é" * 32})) is not None
