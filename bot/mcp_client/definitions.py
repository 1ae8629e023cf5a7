"""A tool as its server lists it → a Definition, or why not. One bad tool costs only itself."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from bot.mcp_client.characters import cleaned, cut
from bot.mcp_client.schemas import portable
from bot.mcp_client.spoken import Definition, Hints
from bot.mcp_client.validation import schema_problem

LONGEST_NAME = 128
"""The specification's own bound (2025-11-25, tools)."""
LONGEST_DESCRIPTION = 4_000
LONGEST_TITLE = 120
LONGEST_RAW = 512 * 1024

_ADDRESSES_THE_MODEL = re.compile(
    r"ignore (?:all |any )?(?:the )?(?:previous|prior|above|earlier|other)|disregard (?:all|any|the|previous)"
    r"|<\s*/?\s*(?:important|system|instructions?|secret|admin|assistant|user)\b|\bsystem prompt\b"
    r"|do not (?:tell|mention|inform|reveal|show|ask)|don't (?:tell|mention|inform|reveal)|without (?:telling|asking|informing)"
    r"|before (?:using|calling) (?:this|any)|(?:must|always) (?:first )?(?:call|use|invoke|run|read|send|include|pass)\b"
    r"|instead of (?:using|calling)|\byou (?:must|are now|have to|should always)\b|\bas an? (?:ai|assistant)\b"
    r"|\bmcp__[a-z0-9_-]+|<!--|\[/?inst\]|<\|im_(?:start|end)\|"
    r"|\b(?:never|not) (?:tell|mention|inform|reveal|show|ask) (?:it )?(?:to )?(?:the )?user"
    r"|~/\.ssh|id_rsa|\.env\b|api[_ -]?keys?\b.{0,40}(?:send|pass|include)|base64.{0,40}(?:decode|execute)",
    re.IGNORECASE | re.DOTALL,
)
"""Turns of phrase that a description of a tool has no use for. They are told to whoever grants; nothing hangs on them."""


_ALIKE = frozenset(("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "FULLWIDTH", "MATHEMATICAL"))
"""Alphabets, by the first word of what Unicode calls their letters."""


class Rejected(Exception):
    """A tool that cannot be offered; the text says which and why."""


def definition(server: str, raw: Any) -> Definition:
    """Raises Rejected."""
    if not isinstance(raw, dict):
        raise Rejected("It listed something that is no tool.")
    name = raw.get("name")
    if not isinstance(name, str) or not name:
        raise Rejected("It listed a tool without a name.")
    shown = cut(cleaned(name)[0], 80)
    if len(name) > LONGEST_NAME or name != cleaned(name)[0].strip() or not name.isprintable() or "*" in name:
        raise Rejected(
            f"The tool {shown!r} has a name that cannot be used: too long, or with characters that have no place in it."
        )
    try:
        text = canonical(raw)
    except (ValueError, RecursionError, UnicodeError):
        raise Rejected(f"The tool {shown!r} is defined in a way that cannot be read.") from None
    if len(text) > LONGEST_RAW:
        raise Rejected(f"The definition of the tool {shown!r} is too large.")
    flags: dict[str, None] = {}
    if _mixes_alphabets(name):
        flags["Its name mixes letters of alphabets that look alike, so it may look like the name of another tool."] = (
            None
        )
    schema = _input_schema(shown, raw, flags)
    made = portable(schema)
    flags.update(dict.fromkeys(made.flags))
    annotations = raw.get("annotations")
    hints = _hints(annotations if isinstance(annotations, dict) else {}, flags)
    title = raw.get("title") or (annotations.get("title") if isinstance(annotations, dict) else None)
    return Definition(
        server=server,
        name=name,
        title=_words(title, LONGEST_TITLE, "title", flags),
        description=_words(raw.get("description"), LONGEST_DESCRIPTION, "description", flags),
        schema=made.schema,
        output_schema=_output_schema(raw, flags),
        hints=hints,
        flags=_looked_through(made.schema, flags),
        fingerprint=fingerprint(raw),
        raw=text,
    )


def canonical(value: Any) -> str:
    """The same for the same JSON, however it was written."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def fingerprint(raw: Mapping[str, Any]) -> str:
    """Over all of a definition that someone decides by: its raw characters, in canonical order."""
    parts = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
    return hashlib.sha256(canonical({key: raw.get(key) for key in parts}).encode()).hexdigest()


def _input_schema(shown: str, raw: Mapping[str, Any], flags: dict[str, None]) -> dict[str, Any]:
    schema = raw.get("inputSchema")
    if schema is None or schema == {}:
        flags["It does not say which arguments it takes."] = None
        return {"type": "object"}
    if not isinstance(schema, dict):
        raise Rejected(f"The arguments of the tool {shown!r} are not described by a schema.")
    if "type" not in schema:
        flags["The schema of its arguments does not say that they are an object."] = None
    elif schema["type"] != "object":
        raise Rejected(f"The tool {shown!r} takes something other than named arguments.")
    problem = schema_problem(schema)
    if problem:
        raise Rejected(f"The schema for the arguments of the tool {shown!r} {problem}.")
    return schema


def _output_schema(raw: Mapping[str, Any], flags: dict[str, None]) -> dict[str, Any] | None:
    schema = raw.get("outputSchema")
    if schema is None:
        return None
    if not isinstance(schema, dict) or schema_problem(schema):
        flags["The schema of its results cannot be used, so results are not held against it."] = None
        return None
    return schema


def _hints(said: Mapping[str, Any], flags: dict[str, None]) -> Hints:
    def literal(key: str) -> bool | None:
        value = said.get(key)
        if value is not None and not isinstance(value, bool):
            flags[f"It says {key}, and neither true nor false, so that counts as not said."] = None
        return value if isinstance(value, bool) else None

    hints = Hints(
        literal("readOnlyHint"), literal("destructiveHint"), literal("idempotentHint"), literal("openWorldHint")
    )
    if hints.read_only and hints.destructive:
        flags["It says that it only reads, and that it may delete."] = None
    return hints


def _words(value: Any, limit: int, what: str, flags: dict[str, None]) -> str:
    if not isinstance(value, str):
        return ""
    text, hidden = cleaned(value)
    if hidden:
        flags[f"Its {what} holds {hidden} characters that cannot be seen; they were taken out."] = None
    if len(text) > limit:
        flags[f"Its {what} is {len(text)} characters long, and was cut."] = None
    if _addresses_the_model(text):
        flags[f"Its {what} addresses the model, as if to steer it."] = None
    return cut(text.strip(), limit)


def _looked_through(schema: Mapping[str, Any], flags: dict[str, None]) -> tuple[str, ...]:
    if any(map(_addresses_the_model, _texts(schema))):
        flags["The description of an argument addresses the model, as if to steer it."] = None
    return tuple(flags)


def _mixes_alphabets(name: str) -> bool:
    """Latin letters, and such as are taken for them."""
    alphabets = {unicodedata.name(character, "?").split()[0] for character in name if character.isalpha()}
    return "LATIN" in alphabets and not alphabets.isdisjoint(_ALIKE)


def _addresses_the_model(text: str) -> bool:
    """However it is broken into lines, and in whichever forms of the letters it is written."""
    return _ADDRESSES_THE_MODEL.search(" ".join(unicodedata.normalize("NFKC", text).split())) is not None


def _texts(schema: Any) -> Iterator[str]:
    """All that a portable schema says, names of arguments among it."""
    if isinstance(schema, str):
        yield schema
    elif isinstance(schema, Mapping):
        for key, inner in schema.items():
            yield str(key)
            yield from _texts(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _texts(inner)
