"""What is different between two definitions of a tool, for the person who decides whether it is still the same."""

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any

LINES_SHOWN = 40
LONGEST_LINE = 200

_SENTENCES = re.compile(rf".{{1,{LONGEST_LINE}}}?(?:[.!?;]\s+|$)|.{{{LONGEST_LINE}}}", re.DOTALL)
"""What a long line is shown as, so that a word that came deep in it is seen, and not cut off."""


@dataclass(frozen=True, slots=True)
class Difference:
    """`whole`: nothing of it is left out."""

    text: str
    whole: bool


def changes(before: str, after: str) -> Difference:
    """Both are JSON as a server told it. A line for each that went (-) and each that came (+), not all of very many."""
    lines = list(_lines(_read(before), _read(after)))
    more = len(lines) - LINES_SHOWN
    shown = lines[:LINES_SHOWN]
    if more > 0:
        shown.append(_("… and {count} more lines").format(count=more))
    return Difference("\n".join(shown), more <= 0)


def _lines(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted(before.keys() | after.keys()):
        if before.get(key) == after.get(key):
            continue
        yield f"{key}:"
        old, new = _written(before.get(key)), _written(after.get(key))
        compared = difflib.unified_diff(old, new, n=0, lineterm="")
        yield from (line for line in list(compared)[2:] if not line.startswith("@@"))


def _written(value: Any) -> list[str]:
    """A value that is not there has no line."""
    if value is None:
        return []
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    return [piece for line in text.split("\n") for piece in _pieces(line)]


def _pieces(line: str) -> list[str]:
    return [line] if len(line) <= LONGEST_LINE else _SENTENCES.findall(line)


def _read(told: str) -> Mapping[str, Any]:
    value = json.loads(told)
    return value if isinstance(value, dict) else {}
