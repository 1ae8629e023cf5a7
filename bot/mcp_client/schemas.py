"""Schemas of strangers: one form that every provider takes, and arguments held against the original.

The portable form is the common ground of OpenAI (JSON Schema, `type: object` at the top, no union there), Anthropic
(2020-12, names of arguments `[a-zA-Z0-9_.-]{1,64}`) and Gemini (OpenAPI's subset: one type, `nullable`, `anyOf`, enums of
texts, no references). What it cannot say it says in words, in the description; it never forbids what the original allows.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from bot.mcp_client.characters import cleaned, cut

DEEPEST = 10
MOST_NODES = 1_500
LONGEST = 64 * 1024
"""Characters of a portable schema as JSON; a provider takes no tool of any size."""
_WORDS = 1_000
_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_TYPES = ("string", "number", "integer", "boolean", "array", "object")
_KEPT: Mapping[str, tuple[str, ...]] = {
    "string": ("minLength", "maxLength"),
    "number": ("minimum", "maximum"),
    "integer": ("minimum", "maximum"),
    "array": ("minItems", "maxItems"),
}
_TOLD = (
    "default",
    "format",
    "pattern",
    "multipleOf",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "uniqueItems",
    "examples",
)


@dataclass(frozen=True, slots=True)
class Portable:
    """`flags`: what could not be said, and what was odd."""

    schema: dict[str, Any]
    flags: tuple[str, ...]


def portable(schema: Mapping[str, Any]) -> Portable:
    """The form for models. Total: whatever comes in, an object schema comes out."""
    work = _Work(schema)
    made = work.top(schema)
    if len(json.dumps(made, ensure_ascii=False)) > LONGEST:
        work.flag("Its arguments are described at such length that their description was left out.")
        made = {**made, "properties": {name: _any() for name in list(made["properties"])[:200]}}
    return Portable(made, tuple(work.flags))


def _any() -> dict[str, Any]:
    kinds: list[dict[str, Any]] = [{"type": kind} for kind in ("string", "number", "boolean")]
    return {"anyOf": [*kinds, {"type": "object", "properties": {}}, {"type": "array", "items": {"type": "string"}}]}


@dataclass(slots=True)
class _Work:
    root: Mapping[str, Any]
    nodes: int = 0
    flags: dict[str, None] = field(default_factory=dict)

    def flag(self, sentence: str) -> None:
        self.flags[sentence] = None

    def top(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        merged = self._merged(schema, 0)
        made = self._object(merged, 0)
        words = self._words(merged)
        return {**made, **({"description": words} if words else {})}

    def node(self, schema: Any, depth: int) -> dict[str, Any]:
        self.nodes += 1
        if schema is True or schema == {}:
            return _any()
        if not isinstance(schema, dict):
            return _any()
        if depth > DEEPEST or self.nodes > MOST_NODES:
            self.flag("Its arguments are nested so deeply, or so many, that part of their description was left out.")
            return _any()
        merged = self._merged(schema, depth, unite=False)
        made, nullable = self._typed(merged, depth)
        words = self._words(merged)
        return {**made, **({"nullable": True} if nullable else {}), **({"description": words} if words else {})}

    def _merged(self, schema: Mapping[str, Any], depth: int, *, unite: bool = True) -> dict[str, Any]:
        """With what it refers to, and all of its `allOf`, in one. `unite`: also what it offers a choice of, where no choice
        may stand (at the top)."""
        flat: dict[str, Any] = {}
        for part in self._parts(dict(schema), depth, frozenset()):
            _add(flat, part)
        choices = [choice for key in ("anyOf", "oneOf") for choice in _list(flat.get(key))] if unite else []
        if choices:
            flat = {key: value for key, value in flat.items() if key not in ("anyOf", "oneOf")}
            branches = [self._merged(choice, depth + 1) for choice in choices if isinstance(choice, dict)][:32]
            for branch in branches:
                _add(flat, {key: value for key, value in branch.items() if key == "properties"})
        return flat

    def _parts(self, schema: dict[str, Any], depth: int, seen: frozenset[str]) -> Iterator[dict[str, Any]]:
        self.nodes += 1
        if self.nodes > MOST_NODES or len(seen) + depth > 4 * DEEPEST:
            self.flag("Its arguments are nested so deeply, or so many, that part of their description was left out.")
            return
        reference = schema.get("$ref", schema.get("$dynamicRef"))
        if isinstance(reference, str):
            target = None if reference in seen else self._found(reference)
            if isinstance(target, dict):
                yield from self._parts(target, depth, seen | {reference})
        for part in _list(schema.get("allOf")):
            if isinstance(part, dict):
                yield from self._parts(part, depth + 1, seen)
        yield {key: value for key, value in schema.items() if key not in ("$ref", "$dynamicRef", "allOf")}

    def _found(self, reference: str) -> Any:
        if not reference.startswith("#"):
            self.flag("Its arguments are described elsewhere, at an address that was not looked at.")
            return None
        here: Any = self.root
        for step in filter(None, unquote(reference[1:]).split("/")):
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(here, list) and key.isdigit() and int(key) < len(here):
                here = here[int(key)]
            elif isinstance(here, dict) and key in here:
                here = here[key]
            else:
                return _anchored(self.root, reference[1:])
        return here

    def _typed(self, schema: dict[str, Any], depth: int) -> tuple[dict[str, Any], bool]:
        choices = [choice for key in ("anyOf", "oneOf") for choice in _list(schema.get(key))][:32]
        kinds = _kinds(schema)
        nullable = "null" in kinds or schema.get("nullable") is True or any(_is_null(choice) for choice in choices)
        choices = [choice for choice in choices if not _is_null(choice)]
        if choices and not schema.get("properties"):
            made = [self.node(choice, depth + 1) for choice in choices]
            nullable = nullable or any(one.pop("nullable", False) for one in made)
            return (made[0] if len(made) == 1 else {"anyOf": made}), nullable
        kinds = [kind for kind in kinds if kind in _TYPES]
        if not kinds:
            return _any(), nullable
        made = [self._kind(kind, schema, depth) for kind in kinds]
        return (made[0] if len(made) == 1 else {"anyOf": made}), nullable

    def _kind(self, kind: str, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        if kind == "object":
            return self._object(schema, depth)
        made: dict[str, Any] = {"type": kind}
        for key in _KEPT.get(kind, ()):
            if isinstance(schema.get(key), int | float) and not isinstance(schema.get(key), bool):
                made[key] = schema[key]
        if kind == "array":
            made["items"] = self._items(schema, depth)
        texts = [value for value in _enum(schema) if isinstance(value, str)]
        if kind == "string" and texts and len(texts) == len([v for v in _enum(schema) if v is not None]):
            seen = self._seen(texts)
            made.update({"enum": seen} if seen else {})
        return made

    def _seen(self, values: list[str]) -> list[str]:
        """Those that a person sees as a model reads them; the others are nowhere."""
        seen = [value for value in dict.fromkeys(values) if not cleaned(value)[1] and len(value) <= _WORDS]
        if len(seen) < len(set(values)):
            self.flag(
                "A value that an argument may have holds characters that cannot be seen, or has no end; it was left out."
            )
        return seen[:500]

    def _items(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        tuples = schema.get("prefixItems", schema.get("items"))
        if isinstance(tuples, list):
            made = [self.node(item, depth + 1) for item in tuples[:16]]
            return made[0] if len(made) == 1 else {"anyOf": made} if made else _any()
        return self.node(schema.get("items", True), depth + 1)

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        given = schema.get("properties")
        properties: dict[str, Any] = {}
        for name, inner in given.items() if isinstance(given, dict) else ():
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                self.flag(
                    f"It takes an argument that no model can be told of, since its name is {cut(repr(name), 80)}."
                )
                continue
            properties[name] = self.node(inner, depth + 1)
        made: dict[str, Any] = {"type": "object", "properties": properties}
        required = [name for name in _list(schema.get("required")) if isinstance(name, str) and name in properties]
        if required:
            made["required"] = list(dict.fromkeys(required))
        return made

    def _words(self, schema: dict[str, Any]) -> str:
        """What it says of itself, and what the portable form cannot say."""
        own = schema.get("description")
        text, hidden = cleaned(own) if isinstance(own, str) else ("", 0)
        if hidden:
            self.flag("The description of an argument holds characters that cannot be seen; they were taken out.")
        told = [text] if text else []
        told += [f"{key}: {self._short(schema[key])}." for key in _TOLD if key in schema]
        values = _enum(schema)
        if values and not all(isinstance(value, str) for value in values):
            told.append(f"One of: {', '.join(self._short(value) for value in values[:50])}.")
        if isinstance(schema.get("additionalProperties"), dict):
            told.append(f"Values of further keys: {self._short(schema['additionalProperties'])}.")
        return cut(" ".join(told), _WORDS)

    def _short(self, value: Any) -> str:
        text, hidden = cleaned(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        if hidden:
            self.flag("What is said of an argument holds characters that cannot be seen; they were taken out.")
        return cut(text, 200)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _enum(schema: Mapping[str, Any]) -> list[Any]:
    return [schema["const"]] if "const" in schema else _list(schema.get("enum"))


def _is_null(choice: Any) -> bool:
    return isinstance(choice, dict) and (choice.get("type") == "null" or choice.get("enum") == [None])


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    said = schema.get("type")
    if isinstance(said, str):
        return [said]
    if isinstance(said, list):
        return [kind for kind in said if isinstance(kind, str)]
    if isinstance(schema.get("properties"), dict) or "additionalProperties" in schema:
        return ["object"]
    if "items" in schema or "prefixItems" in schema:
        return ["array"]
    names = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array"}
    return list(dict.fromkeys(names.get(type(value), "null") for value in _enum(schema)))


def _anchored(root: Any, name: str, depth: int = 0) -> Any:
    """The part of a schema that calls itself by a name (`$anchor`)."""
    if not name or depth > DEEPEST or not isinstance(root, dict):
        return root if not name else None
    if name in (root.get("$anchor"), root.get("$dynamicAnchor")):
        return root
    for key in ("$defs", "definitions", "properties"):
        for inner in root.get(key, {}).values() if isinstance(root.get(key), dict) else ():
            found = _anchored(inner, name, depth + 1)
            if found is not None:
                return found
    return None


def _add(flat: dict[str, Any], part: Mapping[str, Any]) -> None:
    for key, value in part.items():
        if key == "properties" and isinstance(value, dict):
            known = flat.get(key)
            flat[key] = {**value, **(known if isinstance(known, dict) else {})}
        elif key == "required" and isinstance(value, list):
            flat[key] = [*_list(flat.get(key)), *value]
        elif key not in flat or key in ("description", "type"):
            flat[key] = value
