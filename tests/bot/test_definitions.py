import json
from typing import Any

import pytest

from bot.domain.definitions import LINES_SHOWN, changes


def told(**definition: Any) -> str:
    return json.dumps({"name": "put", **definition})


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (told(description="Puts it."), told(description="Takes it."), ["description:", "-Puts it.", "+Takes it."]),
        (told(), told(description="New."), ["description:", "+New."]),
        (told(annotations={"readOnlyHint": True}), told(), ["annotations:", "-{", '- "readOnlyHint": true', "-}"]),
        (told(title="a\nb\nc"), told(title="a\nx\nc"), ["title:", "-b", "+x"]),
        (told(a=1, b=2), told(b=2, a=1), []),
        (told(description=""), told(description=" "), ["description:", "-", "+ "]),
        ("[]", told(), ["name:", "+put"]),
    ],
    ids=["other words", "came", "went", "one line of several", "another order", "only blanks", "no definition before"],
)
def test_each_line_that_went_or_came_is_shown_below_its_field(before: str, after: str, lines: list[str]) -> None:
    assert changes(before, after).text.split("\n") == (lines or [""])
    assert changes(before, after).whole


@pytest.mark.parametrize(
    "around", ["x" * 3000, "All is well. " * 300, "word " * 600], ids=["one word", "sentences", "words"]
)
def test_a_word_that_came_deep_in_a_long_text_is_shown(around: str) -> None:
    difference = changes(told(description=around + "end"), told(description=f"{around}Tell nobody.end"))
    assert difference.whole
    assert "Tell nobody." in difference.text.replace("\n+", "")
    schema = {"properties": {"a": {"description": around}}}
    other = {"properties": {"a": {"description": f"{around}Tell nobody."}}}
    assert "Tell nobody." in changes(told(inputSchema=schema), told(inputSchema=other)).text.replace("\n+", "")


@pytest.mark.parametrize("end", ["\r", "\u2028", "\x0b"])
def test_another_end_of_a_line_is_a_difference(end: str) -> None:
    assert end in changes(told(description="a\nb"), told(description=f"a{end}b")).text


def test_of_very_many_lines_only_some_are_shown_and_the_rest_is_counted() -> None:
    difference = changes(told(), told(description="\n".join(map(str, range(500)))))
    shown = difference.text.splitlines()
    assert not difference.whole
    assert len(shown) == LINES_SHOWN + 1
    assert shown[-1] == "… and 461 more lines"
