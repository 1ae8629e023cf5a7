"""What people write is read as what was asked for, or refused in words."""

from dataclasses import replace

import pytest

from bot.domain.question import Blank, Format, Option, Value
from bot.domain.reading import Misread, choose, read, said, wanted

SIZES = (Option("s", "Small"), Option("m", "Medium, say"), Option("l", "Large"))
TEXT = Blank("x", "X", "text")
WHOLE = Blank("x", "X", "integer", least=1, most=10)
ONE = Blank("x", "X", "choice", SIZES)
SOME = Blank("x", "X", "choices", SIZES, least=1, most=2)


def form(name: Format) -> Blank:
    return Blank("x", "X", "text", format=name)


TAKEN: dict[str, tuple[Blank, str, Value]] = {
    "words, without what surrounds them": (TEXT, "  two words ", "two words"),
    "several lines": (TEXT, "one\ntwo", "one\ntwo"),
    "a whole number": (WHOLE, "+7", 7),
    "a number with a point": (Blank("x", "X", "number"), "3.50", 3.5),
    "a number without one stays whole": (Blank("x", "X", "number"), "-3", -3),
    "a number in powers of ten": (Blank("x", "X", "number"), "1e3", 1000.0),
    "yes": (Blank("x", "X", "yes_no"), "Yes!", True),
    "no": (Blank("x", "X", "yes_no"), "n", False),
    "a choice by its label": (ONE, "small", "s"),
    "a choice by its value": (ONE, "L", "l"),
    "a choice by its number": (ONE, "2", "m"),
    "a choice whose label holds a comma": (ONE, "medium, say", "m"),
    "a label goes before a number": (replace(ONE, options=(Option("a", "2"), Option("b", "1"))), "2", "a"),
    "several choices": (SOME, "large, 1", ["s", "l"]),
    "several choices on lines": (SOME, "Medium, say\nLarge", ["m", "l"]),
    "the same choice twice": (SOME, "Small, small", ["s"]),
    "an address of e-mail": (form("email"), "ann@example.org", "ann@example.org"),
    "an address of the web": (form("uri"), "https://example.org/x?y=1", "https://example.org/x?y=1"),
    "a date": (form("date"), "2028-02-29", "2028-02-29"),
    "a time in a zone": (form("date-time"), "2026-03-31T14:00:00z", "2026-03-31T14:00:00z"),
}
REFUSED: dict[str, tuple[Blank, str, str]] = {
    "nothing": (TEXT, " \n ", "too short"),
    "too long": (replace(TEXT, most=3), "four", "too long"),
    "longer than anything may be": (TEXT, "x" * 2001, "too long"),
    "too short": (replace(TEXT, least=3), "ab", "too short"),
    "words for a number": (WHOLE, "ten", "not a whole number"),
    "a fraction for a whole number": (WHOLE, "1.5", "not a whole number"),
    "digits of other scripts": (WHOLE, "٣", "not a whole number"),
    "too large": (WHOLE, "11", "a whole number from 1 to 10"),
    "too small": (WHOLE, "0", "a whole number from 1 to 10"),
    "a comma, which may mean two things": (Blank("x", "X", "number"), "1,000", "not a number"),
    "not finite": (Blank("x", "X", "number"), "nan", "not a number"),
    "neither yes nor no": (Blank("x", "X", "yes_no"), "maybe", "yes or no"),
    "what cannot be chosen": (ONE, "huge", "1. Small, 2. Medium, say, 3. Large"),
    "a number beyond the options": (ONE, "4", "not among"),
    "one wrong among several": (SOME, "Small, huge", "not among"),
    "too many": (SOME, "1, 2\n3", "at most 2"),
    "no address of e-mail": (form("email"), "ann at example", "an e-mail address"),
    "no address of the web": (form("uri"), "example", "an address"),
    "a day that is none": (form("date"), "2027-02-29", "a date"),
    "a time without a zone": (form("date-time"), "2026-03-31T14:00:00", "its zone"),
}


@pytest.mark.parametrize(("blank", "text", "value"), TAKEN.values(), ids=TAKEN.keys())
def test_what_fits_becomes_a_value_of_its_kind(blank: Blank, text: str, value: Value) -> None:
    found = read(blank, text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(("blank", "text", "why"), REFUSED.values(), ids=REFUSED.keys())
def test_what_does_not_is_refused_in_words(blank: Blank, text: str, why: str) -> None:
    with pytest.raises(Misread) as refused:
        read(blank, text)
    assert why in str(refused.value)


def test_what_was_switched_on_is_in_the_order_of_the_options() -> None:
    assert choose(SOME, [2, 0, 0]) == ["s", "l"]
    assert choose(replace(SOME, required=False, least=None), []) == []


@pytest.mark.parametrize("places", [[], [0, 1, 2], [3], [-1]])
def test_what_cannot_be_chosen_together_is_refused(places: list[int]) -> None:
    with pytest.raises(Misread):
        choose(SOME, places)


def test_values_are_said_as_people_read_them() -> None:
    assert [said(ONE, "m"), said(SOME, ["s", "l"]), said(Blank("x", "X", "yes_no"), False), said(TEXT, None)] == [
        "Medium, say",
        "Small, Large",
        "no",
        "left out",
    ]
    assert wanted(replace(WHOLE, most=None)) == "a whole number, at least 1"
