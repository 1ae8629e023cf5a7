"""A tool's arguments out of a sentence: named values, quotes, numbers, and what is left for its one free text."""

import json
import re
from dataclasses import dataclass, field
from typing import Literal

from bot.llm.planner.wording import FILLER, words
from bot.llm.port import Json

Kind = Literal["text", "id", "zone", "integer", "number", "boolean", "choice", "texts", "other"]
_PLAIN: dict[Json, Kind] = {"integer": "integer", "number": "number", "boolean": "boolean"}
Value = str | int | float | bool | list[Json] | dict[str, Json]

# Messages are long and not always kind: each of these patterns is linear (a start that cannot be repeated, no
# opening mark inside its own quotes, possessive digits).
QUOTED = re.compile(
    r"(?<!\\)\"((?:[^\"\\]|\\.)*)\"|(?<!\w)'([^']*)'(?!\w)|“([^“”]*)”|‘([^‘’]*)’|「([^「」]*)」|《([^《》]*)》",
    re.DOTALL,
)
_PAIR = re.compile(
    r"(?<![\w/-])(?P<key>[A-Za-z_][\w-]*+)\s?=\s?(?P<value>\"(?:[^\"\\]|\\.)*\"|'[^']*'|“[^“”]*”|「[^「」]*」"
    r"|\[[^\[\]]*\]|\{[^{}]*\}|[^\s\"'，]+)",
    re.DOTALL,
)
_NUMBER = re.compile(r"(?<![\w.])#?(-?\d++(?:\.\d++)?)(?![\w.]*\w)")
_IDENTITY = re.compile(r"(?<![\w-])#?((?=[\w-]*\d)[\w-]+)")
_ZONE = re.compile(r"\b(UTC|GMT|[A-Z][A-Za-z]+/[A-Za-z_]+(?:/[A-Za-z_]+)?)\b")
_LEAD = re.compile(r"^(?:[\s:：,，–—]|-\s|(?:to|as|with|into|says?|saying|that|text)\b(?=[\s:]))*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Field:
    """An argument as the schema tells of it."""

    name: str
    kind: Kind
    required: bool
    choices: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class Filled:
    """`missing` names required arguments, `wrong` given ones that do not fit or do not exist, `left` is what found
    no place."""

    values: dict[str, Json] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    left: str = ""


def fields(schema: dict[str, Json]) -> tuple[Field, ...]:
    """The arguments in the schema's order."""
    required = schema.get("required", ())
    return tuple(
        _field(name, _resolved(part, schema), name in required) for name, part in schema.get("properties", {}).items()
    )


def _resolved(part: Json, schema: dict[str, Json]) -> dict[str, Json]:
    if not isinstance(part, dict):
        return {}
    if "$ref" in part:
        return _resolved(schema.get("$defs", {}).get(str(part["$ref"]).rsplit("/", 1)[-1], {}), schema)
    for option in part.get("anyOf", ()):
        if isinstance(option, dict) and option.get("type") != "null":
            return _resolved(option, schema)
    return part


def _field(name: str, part: dict[str, Json], required: bool) -> Field:
    kinds = part.get("type", "string")
    kind = next((one for one in kinds if one != "null"), "string") if isinstance(kinds, list) else kinds
    if "enum" in part or "const" in part:
        return Field(name, "choice", required, tuple(part.get("enum", (part.get("const"),))))
    if kind == "array":
        return Field(name, "texts" if part.get("items", {}).get("type") == "string" else "other", required)
    if kind != "string":
        return Field(name, _PLAIN.get(kind, "other"), required)
    low = name.lower()
    if low == "id" or low.endswith(("_id", "id_")) or name.endswith("Id"):
        return Field(name, "id", required)
    return Field(name, "zone" if "zone" in low or low == "tz" else "text", required)


def fill(schema: dict[str, Json], text: str) -> Filled:
    """Arguments for a tool out of the words that are left of a request."""
    known = {one.name: one for one in fields(schema)}
    named, wrong, text = _named(known, text)
    filler = _Filler(dict(named), text)
    open_fields = [one for one in known.values() if one.name not in named and one.name not in wrong]
    for one in open_fields:
        filler.plain(one)
    texts = [one for one in open_fields if one.kind == "text" and one.required]
    if not texts and filler.carries():
        texts = [one for one in open_fields if one.kind == "text"][:1]
    filler.free(texts)
    missing = tuple(
        one.name for one in known.values() if one.required and one.name not in filler.values and one.name not in wrong
    )
    return Filled(filler.values, missing, wrong, filler.left())


def _named(known: dict[str, Field], text: str) -> tuple[dict[str, Json], tuple[str, ...], str]:
    given: dict[str, Json] = {}
    wrong: list[str] = []

    def take(match: re.Match[str]) -> str:
        key = match["key"]
        one = known.get(key) or next(
            (f for f in known.values() if f.name.lower() == key.lower().replace("-", "_")), None
        )
        if one is None:
            # An equals sign in free text ("2x=4") is text, unless the tool takes no text.
            if any(f.kind == "text" for f in known.values()):
                return match.group()
            wrong.append(key)
            return ""
        value = _fitting(one, match["value"])
        if value is None:
            wrong.append(one.name)
        else:
            given[one.name] = value
        return " "

    rest = _PAIR.sub(take, text) if "=" in text else text
    return given, tuple(wrong), rest.strip()


def _fitting(one: Field, raw: str) -> Value | None:
    """The written value in the argument's type, None if it does not fit."""
    bare = unquoted(raw)
    match one.kind:
        case "integer":
            return int(bare) if re.fullmatch(r"#?-?\d+", bare.strip()) and not bare.startswith("#") else _hash(bare)
        case "number":
            return float(bare) if re.fullmatch(r"-?\d+(?:\.\d+)?", bare) else None
        case "boolean":
            return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(bare.lower())
        case "choice":
            return next((choice for choice in one.choices if str(choice).lower() == bare.lower()), None)
        case "texts" | "other":
            return _structure(one, raw, bare)
        case _:
            return bare


def _hash(bare: str) -> int | None:
    return int(bare[1:]) if re.fullmatch(r"#\d+", bare) else None


def _structure(one: Field, raw: str, bare: str) -> Value | None:
    if raw[:1] in "[{":
        try:
            value = json.loads(raw)
        except ValueError:
            return None
        return value if isinstance(value, list | dict) else None
    return [part.strip() for part in bare.split(",") if part.strip()] if one.kind == "texts" else None


def unquoted(raw: str) -> str:
    """A written value without its quotes."""
    if len(raw) >= 2 and raw[0] == raw[-1] == '"':
        try:
            value = json.loads(raw, strict=False)
        except ValueError:
            return raw[1:-1]
        return value if isinstance(value, str) else raw[1:-1]
    pairs = (("'", "'"), ("“", "”"), ("「", "」"), ("‘", "’"))
    return raw[1:-1] if any(len(raw) >= 2 and raw[0] == a and raw[-1] == b for a, b in pairs) else raw


class _Filler:
    """Takes values out of the text, one argument after the other."""

    def __init__(self, values: dict[str, Json], text: str) -> None:
        self.values = values
        self._text = text

    def plain(self, one: Field) -> None:
        """Everything but free text: found by its form; an optional number only by its name."""
        if one.kind in ("integer", "number"):
            by_name = re.search(
                rf"\b{re.escape(one.name.replace('_', ' '))}\s*(?:is|of|to|:)?\s*(?=#?-?\d)", self._text, re.I
            )
            if one.required or by_name:
                self._number(one, by_name.end() if by_name else 0, by_name)
        elif one.kind == "id" and one.required:
            self._identity(one)
        elif one.kind == "zone":
            self._take(one, _ZONE.search(self._text))
        elif one.kind == "choice":
            options = "|".join(re.escape(str(choice)) for choice in one.choices)
            match = re.search(rf"(?<!\w)({options})(?!\w)", self._text, re.I)
            if match:
                self.values[one.name] = _fitting(one, match.group())
                self._cut(match)
        elif one.kind == "texts" and one.required:
            found = [_content(match) for match in QUOTED.finditer(self._text)]
            items = found or [part.strip() for part in re.split(r",| and ", self._text) if part.strip()]
            if items:
                self.values[one.name] = items
                self._text = ""

    def free(self, texts: list[Field]) -> None:
        """What is left goes to the one free text; two share it by quotes or at the colon."""
        lead = _LEAD.sub("", self._text, count=1).strip()
        quotes = list(QUOTED.finditer(lead))
        if len(texts) == 1 and lead:
            whole = not _carries(QUOTED.sub(" ", lead))
            self.values[texts[0].name] = _content(quotes[0]) if len(quotes) == 1 and whole else lead
            self._text = ""
            return
        if len(texts) < 2:
            return
        if len(quotes) == len(texts):
            parts = [_content(match) for match in quotes]
        elif len(quotes) == 1 and quotes[0].start() == 0 and len(texts) == 2:
            parts = [_content(quotes[0]), _LEAD.sub("", lead[quotes[0].end() :], count=1).strip()]
        else:
            parts = [part.strip() for part in re.split(r"[:：]\s", lead, maxsplit=1)]
        if len(parts) == len(texts) and all(parts):
            self.values.update({one.name: part for one, part in zip(texts, parts, strict=True)})
            self._text = ""

    def carries(self) -> bool:
        return _carries(self._text)

    def left(self) -> str:
        return self._text.strip() if _carries(self._text) else ""

    def _number(self, one: Field, start: int, by_name: re.Match[str] | None) -> None:
        match = _NUMBER.search(_blank_quotes(self._text), start)
        if match is None or (one.kind == "integer" and "." in match[1]):
            return
        self.values[one.name] = int(match[1]) if one.kind == "integer" else float(match[1])
        self._text = self._text[: by_name.start() if by_name else match.start()] + " " + self._text[match.end() :]

    def _identity(self, one: Field) -> None:
        quoted = QUOTED.fullmatch(self._text.strip())
        if quoted and " " not in _content(quoted).strip():
            self.values[one.name] = _content(quoted)
            self._text = ""
            return
        self._take(one, _IDENTITY.search(_blank_quotes(self._text)))

    def _take(self, one: Field, match: re.Match[str] | None) -> None:
        if match:
            self.values[one.name] = match[1]
            self._cut(match)

    def _cut(self, match: re.Match[str]) -> None:
        self._text = self._text[: match.start()] + " " + self._text[match.end() :]


def _content(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group is not None)


def _blank_quotes(text: str) -> str:
    return QUOTED.sub(lambda match: " " * len(match.group()), text)


def _carries(text: str) -> bool:
    """Whether the words mean something that an argument should have taken."""
    return any(word.lower() not in FILLER for word, _, _ in words(text))
