"""Whether requests, responses and updates have the shape that Bot API 10.3 gives them."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import fastjsonschema

from tests.fakes.telegram.errors import Json

_FILE = Path(__file__).parent.parent / "schemas" / "telegram.schema.json"

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
    """One check for everything that these methods take and give: shared types are compiled once. About a second."""
    document = _document()
    slots: Json = {"update": document["update"]}
    for method in methods:
        slots[f"request:{method}"] = document["requests"][method]
        slots[f"response:{method}"] = document["responses"][method]
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": slots,
        "definitions": document["definitions"],
    }
    validate: Callable[[Any], Any] = fastjsonschema.compile(schema, use_default=False)

    def check(slot: str, value: object) -> str | None:
        try:
            validate({slot: value})
        except fastjsonschema.JsonSchemaValueException as mistake:
            return str(mistake.message)
        return None

    return check


def unchecked(slot: str, value: object) -> str | None:
    """For load runs: everything fits."""
    return None
