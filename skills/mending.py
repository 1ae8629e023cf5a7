"""Quotes that are missing around a text: `description: Use it for: letters` is no YAML, and is written all the same.

Only texts are mended, never a limit; and a text that would swallow one is left broken, so that its file is refused.
"""

import re
from dataclasses import dataclass

TEXTS = ("description", "compatibility", "license", "when_to_use", "when-to-use")

_KEY = re.compile(rf"({'|'.join(TEXTS)}):[ \t]+(\S.*)")
_WRITTEN_OTHERWISE = ("|", ">", "'", '"', "&", "!")
_NEW_KEY = re.compile(r"[ \t]*[\w-]+:(?:[ \t]|$)")
_LIMIT = re.compile(r"tools?\b.{0,20}:|tool[-_ ]?names", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Mended:
    """As many `lines` as before; `keys` whose texts have quotes now."""

    lines: list[str]
    keys: tuple[str, ...]


def mended(header: list[str]) -> Mended | None:
    """The header with quotes around the texts of known keys; None where nothing can be mended safely."""
    lines, keys = list(header), []
    for place, line in enumerate(header):
        match = _KEY.fullmatch(line)
        if match is None or match[2].startswith(_WRITTEN_OTHERWISE):
            continue
        end = _end(header, place)
        following = header[place + 1 : end]
        text = " ".join(part for part in (match[2].strip(), *(each.strip() for each in following)) if part)
        if any(_NEW_KEY.match(each) for each in following) or _LIMIT.search(text):
            return None
        quoted = text.replace("'", "''")
        lines[place:end] = [f"{match[1]}: '{quoted}'", *[""] * (end - place - 1)]
        keys.append(match[1])
    return Mended(lines, tuple(keys)) if keys else None


def _end(header: list[str], start: int) -> int:
    """The first line after `start` that is not indented; blank ones belong to the text."""
    place = start + 1
    while place < len(header) and (not header[place].strip() or header[place][0] in " \t"):
        place += 1
    return place
