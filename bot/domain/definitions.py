"""What is different between two definitions of a tool, for the person who decides whether it is still the same."""

import difflib
import json
from collections.abc import Iterator, Mapping
from gettext import gettext as _
from typing import Any

LINES_SHOWN = 40
LONGEST_LINE = 200


def changes(before: str, after: str) -> str:
    """Both are JSON as a server told it. A line for each that went (-) and each that came (+), not all of very many."""
    lines = [line[:LONGEST_LINE] for line in _lines(_read(before), _read(after))]
    more = len(lines) - LINES_SHOWN
    shown = lines[:LINES_SHOWN]
    if more > 0:
        shown.append(_("… and {count} more lines").format(count=more))
    return "\n".join(shown)


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
    if isinstance(value, str):
        return value.splitlines() or [""]
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).splitlines()


def _read(told: str) -> Mapping[str, Any]:
    value = json.loads(told)
    return value if isinstance(value, dict) else {}
