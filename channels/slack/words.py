"""The words of a message and what Slack marked in them: mentions, channels, links, commands.

Slack escapes what people type, so a mark in angle brackets is Slack's own. Marks are read first and the rest is unescaped
once: what looks like a mark only after that was typed, and stays a text.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from channels.slack.people import Me, People
from channels.text.typed import as_typed

_MARK = re.compile(r"<([^<>]*)>")
_PERSON = re.compile(r"<@([UW][A-Z0-9]{1,31})(?:\|[^<>]*)?>")
_SOMEONE = re.compile(r"\s*<(?:@[UW]|!subteam\^)")
_ESCAPED = re.compile(r"&(amp|lt|gt);")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">"}
_ID = re.compile(r"[A-Z0-9]{2,32}")
_NOTHING = r"\s\u200b-\u200f\u2060\ufeff"
"""White space, and what is drawn as nothing: phones and paste leave it behind a mention."""
_COMMAND = re.compile(r"!([A-Za-z0-9_]{1,32})(?![^\s<])")
_CLOSING = (",", ".", ":", ";", "!", "?")

MENTIONED = 20
"""So many of those whom one message mentions are looked up; the others stay ids."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A command as typed: `name` in lower case."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Words:
    """`text` without the mentions of us, unless it is nothing but that: then it is `bare`."""

    text: str
    mentions_us: bool
    bare: bool
    command: Typed | None


def words(text: str, me: Me, people: People, commands: Collection[str]) -> Words:
    """What someone wrote. Empty if nothing of it can be seen."""
    ours = re.compile(rf"<@{re.escape(me.user)}(?:\|[^<>]*)?>")
    pieces = [decoded(piece, people) for piece in ours.split(text)]
    mentions_us = len(pieces) > 1
    said = _joined(pieces)
    bare = mentions_us and not said
    command = None if bare else _command(text, ours, people, commands)
    return Words(f"@{_one_line(me.name)}" if bare else said, mentions_us, bare, command)


def decoded(text: str, people: People) -> str:
    """Every mark as words, and the rest as it was typed."""
    parts, place = [], 0
    for mark in _MARK.finditer(text):
        parts += [_unescaped(text[place : mark.start()]), _spelled(mark[1], people)]
        place = mark.end()
    return "".join(parts) + _unescaped(text[place:])


def arguments(text: str, people: People) -> str:
    """What stands behind a command, with the typography of phone keyboards undone."""
    return as_typed(decoded(text, people))


def mentioned(text: str) -> frozenset[str]:
    """The ids of those whose names one must know to read it, as many as are worth asking for."""
    return frozenset(list(dict.fromkeys(_PERSON.findall(text)))[:MENTIONED])


def turns_to_another(text: str, me: Me) -> bool:
    """Whether it begins by mentioning someone, and not us."""
    first = _PERSON.match(text.lstrip())
    return _SOMEONE.match(text) is not None and (first is None or first[1] != me.user)


def _command(text: str, ours: re.Pattern[str], people: People, commands: Collection[str]) -> Typed | None:
    """A command stands at the beginning, or right behind a mention of us, and was typed letter by letter: the label
    of a link is none."""
    lead = re.match(rf"\s*(?:{ours.pattern}[{_NOTHING},:]*)*", text)
    rest = text[lead.end() :] if lead else text
    typed = _COMMAND.match(rest)
    if typed and typed[1].lower() in commands:
        return Typed(typed[1].lower(), arguments(ours.sub("", rest[typed.end() :]), people))
    behind_us = lead is not None and "<" in lead[0]
    if behind_us and "stop" in commands and rest.strip().lower() == "stop":
        return Typed("stop", "")
    return None


def _joined(pieces: Sequence[str]) -> str:
    """What stands around mentions of us, as if they had never been there. Empty where nothing can be seen."""
    text, *rest = pieces
    for piece in rest:
        if not _shown(text):
            text = piece.lstrip(" ,:")  # "@bot, what is …"
            continue
        after = piece.lstrip()
        text = text.rstrip() + ("" if not after or after.startswith(_CLOSING) else " ") + after
    if not _shown(text):
        return ""
    return text.strip() if rest else text


def _shown(text: str) -> bool:
    return re.fullmatch(f"[{_NOTHING}]*", text) is None


def _spelled(mark: str, people: People) -> str:
    target, _, label = mark.partition("|")
    sign, name, label = target[:1], target[1:], _unescaped(label)
    if sign == "@":
        return _person(name, people)
    if sign == "#":
        return f"#{label} ({name})" if label and _ID.fullmatch(name) else f"#{_unescaped(name)}"
    if sign == "!":
        return _special(_unescaped(name), label)
    return _link(_unescaped(target), label)


def _person(user: str, people: People) -> str:
    """By the name that Slack tells and never by a label, which may say anything; the id says who is meant."""
    known = people.get(user)
    return f"@{_unescaped(user)}" if known is None else f"@{_one_line(known.name)} ({user})"


def _special(name: str, label: str) -> str:
    """Everyone who is here, a group of people, a date in the reader's own zone."""
    if name.startswith("date^"):
        return label or name.partition("^")[2]
    return f"@{(label or name.removeprefix('subteam^')).removeprefix('@')}"


def _link(address: str, label: str) -> str:
    """Slack links what looks like an address and keeps what was typed as the label: then that says it all."""
    if label in ("", address) or address in (
        f"{scheme}{label}" for scheme in ("http://", "https://", "mailto:", "tel:")
    ):
        return label or address
    return f"{label} ({address})"


def _unescaped(text: str) -> str:
    """Once: `&amp;lt;` is how Slack writes a typed `&lt;`."""
    return _ESCAPED.sub(lambda found: _CHARACTERS[found[1]], text)


def _one_line(name: str) -> str:
    return " ".join(name.split())
