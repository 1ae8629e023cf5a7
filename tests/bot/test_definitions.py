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
    assert changes(before, after).splitlines() == lines


def test_of_very_many_lines_only_some_are_shown_and_the_rest_is_counted() -> None:
    shown = changes(told(), told(description="\n".join(map(str, range(500))))).splitlines()
    assert len(shown) == LINES_SHOWN + 1
    assert shown[-1] == "… and 461 more lines"
