"""Lists of tools as skills write them: one text, or a list, with spaces or commas; the same set each time."""

from collections.abc import Iterator
from gettext import gettext as _

MOST_TOOLS = 200
LONGEST_TOOL = 200


class Unreadable(ValueError):
    """The list cannot be read. The message has a place for its {key}."""


def read(value: object) -> tuple[str, ...]:
    """The names in their order, each once. `Bash(git add:*)` is one: what stands in round brackets belongs to its name.

    Nothing is left out quietly, for the list is a limit: raises Unreadable.
    """
    if value is None:
        return ()
    given = value if isinstance(value, list | tuple) else [value]
    names: dict[str, None] = {}
    for item in given:
        if not isinstance(item, str):
            raise Unreadable(_("{key} holds something else than names of tools."))
        names.update(dict.fromkeys(_split(item)))
    if len(names) > MOST_TOOLS or any(len(name) > LONGEST_TOOL for name in names):
        words = _("{key} may hold {most} names at most, each of {longest} characters at most.")
        raise Unreadable(words.replace("{most}", str(MOST_TOOLS)).replace("{longest}", str(LONGEST_TOOL)))
    return tuple(names)


def _split(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        if depth == 0 and (character == "," or character.isspace()):
            if place > start:
                yield text[start:place]
            start = place + 1
    if depth:
        raise Unreadable(_("{key} has a bracket without its other half."))
    if len(text) > start:
        yield text[start:]
