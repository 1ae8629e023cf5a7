"""M098, M099: what a model would read and a person would not see."""

import pytest

from skills.hidden import shown, smuggled, unseen

HONEST = {
    "letters": "Grüße, 你好, שלום\tand\nmore",
    "a family": "👨\u200d👩\u200d👧\u200d👦",
    "a skin tone": "👩🏽\u200d💻",
    "a flag of letters": "🇩🇪",
    "a flag of tags": "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "an emoji with its selector": "❤\ufe0f",
    "an ideograph with its selector": "葛\U000e0100",
    "a joiner between letters": "می\u200cخواهم",
}
SMUGGLED = {
    "a tag": ("ab\U000e0041", 2),
    "a flag of tags that is none": ("🏴\U000e0068\U000e0069\U000e007f", 1),
    "more tags behind a flag": ("🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f\U000e0041", 7),
    "a chain of selectors": ("a\ufe00\ufe01", 1),
    "a selector behind a letter": ("ab\U000e0101", 2),
    "a selector behind a selector": ("葛\U000e0100\U000e0101", 1),
    "an escape": ("a\x1b[2J", 1),
    "a NUL": ("\x00", 0),
    "a form feed": ("a\x0c", 1),
    "half of a pair": ("\ud83d", 0),
}
UNSEEN = {
    "direction": ("a\u202eb\u2066", ("U+202E", "U+2066")),
    "no width": ("a\u200bb\u200bc\ufeff", ("U+200B", "U+FEFF")),
    "a joiner between plain letters": ("a\u200db", ("U+200D",)),
    "a joiner at an end": ("👩\u200d", ("U+200D",)),
    "a filler": ("\u3164", ("U+3164",)),
}


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST)
def test_honest_texts_hide_nothing(text: str) -> None:
    assert smuggled(text) is None
    assert unseen(text) == ()


@pytest.mark.parametrize(("text", "place"), SMUGGLED.values(), ids=SMUGGLED)
def test_a_carrier_of_hidden_text_is_found_at_its_place(text: str, place: int) -> None:
    assert smuggled(text) == place


@pytest.mark.parametrize(("text", "codes"), UNSEEN.values(), ids=UNSEEN)
def test_what_is_not_seen_is_named_once(text: str, codes: tuple[str, ...]) -> None:
    assert smuggled(text) is None
    assert unseen(text) == codes


def test_a_long_text_of_joiners_is_read_in_no_time() -> None:
    assert unseen("👩\u200d" * 60_000 + "👩") == ()


def test_a_name_from_outside_is_shown_escaped_and_cut() -> None:
    assert shown("a\u202e\n\x00b\U000e0041é你") == "a\\u202e\\u000a\\u0000b\\U000e0041é你"
    assert shown("x" * 200) == "x" * 119 + "…"
