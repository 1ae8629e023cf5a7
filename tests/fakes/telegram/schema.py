"""Whether requests, responses and updates have the shape that Bot API 10.3 gives them."""

import hashlib
import json
import marshal
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import fastjsonschema

from tests.fakes.telegram.errors import Json

_FILE = Path(__file__).parent.parent / "schemas" / "telegram.schema.json"
_CACHE = Path(__file__).parents[3] / ".cache" / "fakes"

Kind = Literal["integer", "boolean", "string", "chat", "json"]
"""What a parameter's text stands for; `chat` is a number or a @name."""

Check = Callable[[str, object], str | None]
"""Give what is wrong with a value that should fit a slot (`request:<method>`, `response:<method>`, `update`), or None."""


@cache
def _document() -> Json:
    document: Json = json.loads(_FILE.read_text(encoding="utf-8"))
    return document


def _resolved(schema: Json) -> Json:
    while "$ref" in schema:
        schema = _document()["definitions"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def parameters(method: str) -> dict[str, Kind]:
    """The parameters of a method, and how the text of each is to be read."""
    properties = _resolved(_document()["requests"][method]).get("properties", {})
    return {name: _kind(_resolved(schema)) for name, schema in properties.items()}


def _kind(schema: Json) -> Kind:
    declared = schema.get("type")
    if isinstance(declared, list):
        return "chat"
    if declared in ("integer", "boolean", "string"):
        return declared  # type: ignore[no-any-return]  # one of the three literals just compared
    if any(_resolved(option).get("type") == "string" for option in schema.get("anyOf", ())):
        return "string"  # a file id; an uploaded part has become an object before it is looked at here
    return "json"


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
    """Compiling takes two seconds, so the code is kept in the cache folder, under a name that says what made it."""
    made_of = (fastjsonschema.VERSION, sys.version, *methods)
    digest = hashlib.sha256(_FILE.read_bytes() + "\n".join(made_of).encode()).hexdigest()[:16]
    path = _CACHE / f"telegram-{digest}.code"
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
    slots: Json = {"update": document["update"]}
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
