"""Whether requests, responses, blocks and views have the shape that Slack's own packages give them."""

import hashlib
import json
import marshal
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import fastjsonschema

from tests.fakes.slack.added import REQUESTS, RESPONSES
from tests.fakes.slack.errors import Json

_FILE = Path(__file__).parent.parent / "schemas" / "slack.schema.json"
_CACHE = Path(__file__).parents[3] / ".cache" / "fakes"
_PARTS = ("modal", "home", "chunks", "attachments", "metadata")

Kind = Literal["text", "number", "flag", "json"]
"""What the text of a form field stands for."""

Check = Callable[[str, object], str | None]
"""Give what is wrong with a value that should fit a slot, or None. Slots: `request:<method>`, `response:<method>`,
`block:<type>`, `modal`, `home`, `chunks`, `attachments`, `metadata`."""


@cache
def _document() -> Json:
    document: Json = json.loads(_FILE.read_text(encoding="utf-8"))
    document["requests"].update(REQUESTS)
    document["responses"].update(RESPONSES)
    return document


def _resolved(schema: Json) -> Json:
    while "$ref" in schema:
        schema = _document()["definitions"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def _variants(schema: Json) -> Iterator[Json]:
    """The objects that a value may be, one of which it must be."""
    schema = _resolved(schema)
    if "anyOf" not in schema:
        yield schema
        return
    for option in schema["anyOf"]:
        yield from _variants(option)


@cache
def known(method: str) -> bool:
    return method in _document()["requests"]


@cache
def arguments(method: str) -> dict[str, Kind]:
    """What a method takes, and how the text of each is to be read."""
    found: dict[str, Kind] = {}
    for variant in _variants(_document()["requests"][method]):
        for name, schema in variant.get("properties", {}).items():
            found.setdefault(name, _kind(schema))
    return found


def _kind(schema: Json) -> Kind:
    declared = {str(variant.get("type")) for variant in _variants(schema)}
    if declared == {"boolean"}:
        return "flag"
    if declared <= {"number", "integer"}:
        return "number"
    return "text" if "string" in declared else "json"


@cache
def block_types() -> dict[str, Json]:
    """The schema of each kind of block."""
    found: dict[str, list[Json]] = {}
    for option in _document()["definitions"]["KnownBlock"]["anyOf"]:
        for variant in _variants(option):
            found.setdefault(variant["properties"]["type"]["const"], []).append(variant)
    return {kind: options[0] if len(options) == 1 else {"anyOf": options} for kind, options in found.items()}


def missing(method: str, given: Json) -> str | None:
    """The argument that each form of the method wants and that is not there."""
    wanted = [set(variant.get("required", ())) for variant in _variants(_document()["requests"][method])]
    lacking = set.intersection(*wanted) - set(given) if wanted else set()
    return min(lacking, default=None)


def compiled(methods: tuple[str, ...]) -> Check:
    """One check for everything that these methods take and give: shared types are compiled once."""
    validate = _validator(methods)

    def check(slot: str, value: object) -> str | None:
        try:
            validate({slot: value})
        except fastjsonschema.JsonSchemaValueException as mistake:
            return str(mistake.message)
        return None

    return check


def _validator(methods: tuple[str, ...]) -> Callable[[Any], Any]:
    """Compiling takes seconds, so the code is kept in the cache folder, under a name that says what made it."""
    made_of = (fastjsonschema.VERSION, sys.version, *methods)
    digest = hashlib.sha256(_FILE.read_bytes() + "\n".join(made_of).encode()).hexdigest()[:16]
    path = _CACHE / f"slack-{digest}.code"
    if not path.exists():
        _CACHE.mkdir(parents=True, exist_ok=True)
        code = compile(fastjsonschema.compile_to_code(_joined(methods), use_default=False), path.stem, "exec")
        draft = path.with_suffix(f".{os.getpid()}")
        draft.write_bytes(marshal.dumps(code))
        draft.replace(path)  # another process may be at the same: each file is whole
    names: dict[str, Any] = {}
    exec(marshal.loads(path.read_bytes()), names)
    validate: Callable[[Any], Any] = names["validate"]
    return validate


def _joined(methods: tuple[str, ...]) -> Json:
    document = _document()
    slots: Json = {part: document[part] for part in _PARTS}
    for kind, schema in block_types().items():
        slots[f"block:{kind}"] = schema
    for method in methods:
        slots[f"request:{method}"] = document["requests"][method]
        slots[f"response:{method}"] = document["responses"][method]
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": slots,
        "definitions": document["definitions"],
    }


def unchecked(slot: str, value: object) -> str | None:
    """For load runs: everything fits."""
    return None
