"""Reads YAML into plain values, and remembers the line of each.

Every plain scalar stays the text that was written, and the field that takes it says what it is. So YAML's surprises
(`on` a boolean, `012` an octal, `12:30` a number of minutes, `4.10` a float, a date that loses its zone) cannot happen.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import yaml

from bot.config.mistakes import Mistake

Path = tuple[str | int, ...]
Fill = Callable[[str, str, int], Any]
"""Given a text, its dotted key and its line: the text with its variables filled in."""

_EMPTY = ("", "~", "null", "Null", "NULL")
_KNOWN = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "timestamp", "seq", "map")
)


class _Loader(yaml.SafeLoader):
    """Takes every untagged scalar as text."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  PyYAML's own attribute, read and never changed


@dataclass(slots=True)
class Places:
    """`value` is what the file says; `lines` knows where each key stands, from 1; `unread` are the dotted keys whose value
    was not taken."""

    value: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)

    def line(self, path: Path) -> int:
        """The line of `path`, or of the nearest thing around it that the file has."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return 0


def dotted(path: Path) -> str:
    """`("grants", 0, "until")` → `grants[0].until`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def read(text: str, fill: Fill) -> Places:
    """Read one document. What is wrong with it is in `mistakes`; the rest of it is still there."""
    places = Places()
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        places.mistakes.append(_unreadable(error.problem or "broken", mark.line + 1 if mark else 0))
        return places
    except yaml.YAMLError:
        places.mistakes.append(_unreadable("it holds a character that may not be there", 0))
        return places
    except RecursionError:
        places.mistakes.append(_unreadable("it is nested too deeply", 0))
        return places
    if node is not None:
        places.value = _Reader(places, fill).value(node, ())
    return places


def _unreadable(problem: str, line: int) -> Mistake:
    return Mistake(
        "",
        line,
        f"is not readable YAML: {problem}",
        "Look at that line and the one before: indentation, colons, quotes.",
    )


class _Reader:
    def __init__(self, places: Places, fill: Fill) -> None:
        self._places = places
        self._fill = fill
        self._seen: set[int] = set()

    def value(self, node: yaml.Node, path: Path) -> Any:
        if path not in self._places.lines:
            self._places.lines[path] = node.start_mark.line + 1
        if node.tag not in _KNOWN:
            return self._skip(node, path, f"has the tag {node.tag}", "Take the tag out; values need none here.")
        if id(node) in self._seen:
            return self._skip(node, path, "is an alias of another value", "Write the value out in both places.")
        self._seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _scalar(self, node: yaml.Node, path: Path) -> Any:
        text = str(node.value)
        if text in _EMPTY and getattr(node, "style", None) is None:
            return None
        return self._fill(text, dotted(path), node.start_mark.line + 1)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._refuse(key_node, path, "has a key that is not a text", "Write a plain name before the colon.")
                continue
            key = str(key_node.value)
            place = (*path, key)
            if key == "<<":
                self._refuse(key_node, place, "merges another mapping in", "Write its keys out here.")
                continue
            if key in value:
                first = self._places.lines[place]
                self._refuse(key_node, place, f"is given twice, first in line {first}", "Keep one of the two.")
                continue
            self._places.lines[place] = key_node.start_mark.line + 1
            value[key] = self.value(value_node, place)
        return value

    def _skip(self, node: yaml.Node, path: Path, what: str, remedy: str) -> None:
        self._refuse(node, path, what, remedy)
        self._places.unread.add(dotted(path))

    def _refuse(self, node: yaml.Node, path: Path, what: str, remedy: str) -> None:
        self._places.mistakes.append(Mistake(dotted(path), node.start_mark.line + 1, what, remedy))
