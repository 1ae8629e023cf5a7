"""Reads a short YAML document into texts, lists and mappings, and remembers the line of each.

Every untagged scalar stays the text that was written (`on`, `012`, `1.10`, `2026-01-01`); only an empty one and `null`
are None. Tags, aliases, merges and keys given twice are refused, so nothing is made, multiplied or lost.
"""

from dataclasses import dataclass, field
from gettext import gettext as _
from typing import Any

import yaml

from skills.hidden import shown
from skills.rules import ContentRule

Path = tuple[str | int, ...]
"""The keys and places that lead to a value."""

DEEPEST = 12
"""Most levels of lists and mappings within each other."""

_EMPTY = ("", "~", "null", "Null", "NULL")
_KNOWN = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "timestamp", "seq", "map")
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """`line` counts from 1 (0: none); `message` is a sentence."""

    rule: ContentRule
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Plain:
    """`lines` knows where each key stands, from 1. With `troubles` the value is not to be used."""

    value: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    troubles: tuple[Trouble, ...] = ()


def read(text: str) -> Plain:
    """One document. All that is wrong with its values is told at once; of its form, the first thing."""
    try:
        node = yaml.compose(text, Loader=_Loader)
    except _Stop as stop:
        return Plain(troubles=(stop.trouble,))
    except yaml.MarkedYAMLError as error:
        return Plain(troubles=(_unreadable(error),))
    except yaml.YAMLError:
        return Plain(troubles=(Trouble("yaml", 0, _("The header holds a character that may not be there.")),))
    if node is None:
        return Plain()
    reader = _Reader()
    value = reader.value(node, ())
    return Plain(value, reader.lines, tuple(reader.troubles))


def _unreadable(error: yaml.MarkedYAMLError) -> Trouble:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 0
    words = _(
        "Line {line}: the header is not readable YAML ({problem}). Look at that line and the one before: a text with a"
        " colon needs quotes, and indentation takes spaces."
    )
    return Trouble("yaml", line, words.format(line=line, problem=shown(error.problem or "broken")))


class _Stop(yaml.YAMLError):
    """Nothing more is read."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.message)
        self.trouble = trouble


class _Loader(yaml.SafeLoader):
    """Takes every untagged scalar as text, no alias, and nothing that is nested too deeply."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  PyYAML's own attribute, read and never changed
    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]  # its stubs say nothing
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            words = _(
                "Line {line}: the header holds an alias. Write the value out; a text that begins with * needs quotes."
            )
            raise _Stop(Trouble("alias", line, words.format(line=line)))
        if self._depth > DEEPEST:
            words = _("Line {line}: the header is nested too deeply.").format(line=line)
            raise _Stop(Trouble("too_deep", line, words))
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


class _Reader:
    def __init__(self) -> None:
        self.lines: dict[Path, int] = {}
        self.troubles: list[Trouble] = []

    def value(self, node: yaml.Node, path: Path) -> Any:
        self.lines.setdefault(path, node.start_mark.line + 1)
        if node.tag not in _KNOWN:
            return self._refuse("tag", node, _("Line {line}: {what} has a tag. Take it out; values need none."), path)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        text = str(node.value)
        plain = getattr(node, "style", None) is None
        return None if plain and text in _EMPTY else text

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._refuse("key", key_node, _("Line {line}: a key in {what} is not a text."), path)
                continue
            key = str(key_node.value)
            place = (*path, key)
            if key == "<<" and key_node.style is None:
                self._refuse(
                    "alias", key_node, _("Line {line}: {what} merges another mapping in. Write it out."), place
                )
            elif key in value:
                words = _("Line {line}: {what} is given twice, first in line {first}. Keep one.")
                self._refuse("duplicate_key", key_node, words.replace("{first}", str(self.lines[place])), place)
            else:
                self.lines[place] = key_node.start_mark.line + 1
                value[key] = self.value(value_node, place)
        return value

    def _refuse(self, rule: ContentRule, node: yaml.Node, words: str, path: Path) -> None:
        line = node.start_mark.line + 1
        what = dotted(path) or _("the header")
        self.troubles.append(Trouble(rule, line, words.format(line=line, what=what)))


def dotted(path: Path) -> str:
    """`("mcpServers", "files", 0)` → `mcpServers.files[0]`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{shown(part)}" for part in path)
    return text.removeprefix(".")
