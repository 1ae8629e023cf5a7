"""Schemas of strangers: for models of every provider, and for holding arguments against them."""

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.mcp_client.schemas import portable
from bot.mcp_client.validation import arguments_problem, work
from tests.mcp_client.json_values import JSON


def props(**properties: Any) -> dict[str, Any]:
    made = portable({"type": "object", "properties": properties}).schema["properties"]
    assert isinstance(made, dict)
    return made


SCHEMAS: dict[str, tuple[Any, Any]] = {
    "plain": ({"type": "string"}, {"type": "string"}),
    "nullable by type": ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
    "nullable by choice": ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "string", "nullable": True}),
    "const": ({"const": "x"}, {"type": "string", "enum": ["x"]}),
    "enum": ({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
    "enum with null": (
        {"type": ["string", "null"], "enum": ["a", None]},
        {"type": "string", "enum": ["a"], "nullable": True, "description": "One of: a, null."},
    ),
    "enum of numbers": ({"type": "integer", "enum": [1, 2]}, {"type": "integer", "description": "One of: 1, 2."}),
    "two types": ({"type": ["string", "integer"]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
    "one of": (
        {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    ),
    "all of": ({"allOf": [{"type": "string"}, {"maxLength": 3}]}, {"type": "string", "maxLength": 3}),
    "no type, properties": (
        {"properties": {"a": {"type": "string"}}},
        {"type": "object", "properties": {"a": {"type": "string"}}},
    ),
    "no type, items": ({"items": {"type": "string"}}, {"type": "array", "items": {"type": "string"}}),
    "a tuple": ({"type": "array", "prefixItems": [{"type": "string"}]}, {"type": "array", "items": {"type": "string"}}),
    "properties on a text": ({"type": "string", "properties": {"a": {}}, "required": ["a"]}, {"type": "string"}),
    "required and not there": (
        {"type": "object", "properties": {}, "required": ["a"]},
        {"type": "object", "properties": {}},
    ),
    "format": ({"type": "string", "format": "uri"}, {"type": "string", "description": "format: uri."}),
}


@pytest.mark.parametrize(("given_schema", "made"), SCHEMAS.values(), ids=SCHEMAS.keys())
def test_a_schema_becomes_one_that_every_provider_takes(given_schema: Any, made: Any) -> None:
    assert props(a=given_schema)["a"] == made


def test_references_are_put_in_place() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/definitions/B~1x"}},
        "$defs": {"A": {"type": "string"}},
        "definitions": {"B/x": {"type": "integer"}},
    }
    assert portable(schema).schema["properties"] == {"a": {"type": "string"}, "b": {"type": "integer"}}


def test_a_choice_at_the_top_is_united() -> None:
    choice = [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {"type": "string"}}}]
    made = portable({"type": "object", "oneOf": choice}).schema
    assert made == {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}


def test_an_address_elsewhere_is_not_followed() -> None:
    made = portable({"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/x.json"}}})
    assert made.flags == ("Its arguments are described elsewhere, at an address that was not looked at.",)


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def doubling(depth: int) -> dict[str, Any]:
    definitions = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(depth)
    }
    return {"type": "object", "$defs": {**definitions, f"d{depth}": {}}, "properties": {"a": {"$ref": "#/$defs/d0"}}}


HOSTILE: dict[str, dict[str, Any]] = {
    "a circle": {"type": "object", "properties": {"a": {"$ref": "#"}}},
    "a circle of references": {
        "type": "object",
        "$ref": "#/$defs/a",
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
    },
    "nested deeply": nested(60),
    "doubling": doubling(40),
    "many arguments": {"type": "object", "properties": {f"a{n}": {"type": "string"} for n in range(5000)}},
    "long words": {"type": "object", "properties": {f"a{n}": {"description": "x" * 5000} for n in range(200)}},
    "names of prototypes": {"type": "object", "properties": {"__proto__": {"type": "string"}, "constructor": {}}},
    "wrong kinds everywhere": {
        "type": "object",
        "properties": [],
        "required": "a",
        "allOf": {},
        "anyOf": 3,
        "enum": {},
        "description": 7,
    },
}


@pytest.mark.parametrize("schema", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_schema_is_bounded(schema: dict[str, Any]) -> None:
    begun = time.monotonic()
    made = portable(schema).schema
    assert made["type"] == "object"
    assert len(json.dumps(made)) < 400_000
    assert time.monotonic() - begun < 2


def shape(schema: Any) -> None:
    """What Gemini wants of each part, the strictest of the three."""
    assert isinstance(schema, dict)
    assert not {"$ref", "oneOf", "allOf", "const", "additionalProperties"} & set(schema)
    assert isinstance(schema.get("type", ""), str)
    assert "type" in schema or schema.get("anyOf")
    assert all(isinstance(value, str) for value in schema.get("enum", ()))
    assert set(schema.get("required", ())) <= set(schema.get("properties", {}))
    for inner in [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]:
        shape(inner)
    if schema.get("type") == "array":
        shape(schema["items"])


@given(
    st.dictionaries(
        st.sampled_from(["type", "properties", "anyOf", "allOf", "$ref", "$defs", "required"]), JSON, max_size=6
    )
)
@settings(max_examples=300, deadline=None)
def test_whatever_comes_in_a_good_schema_comes_out(schema: dict[str, Any]) -> None:
    made = portable(schema).schema
    assert made["type"] == "object"
    shape(made)


def problem(schema: dict[str, Any], **arguments: Any) -> str:
    return arguments_problem(json.dumps({"inputSchema": schema}), arguments)


def test_arguments_are_held_against_the_original() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^x"}}, "additionalProperties": False}
    assert problem(schema, a="xy") == ""
    assert "does not match" in problem(schema, a="y")
    assert "was unexpected" in problem(schema, b=1)
    assert problem({"type": "object"}, anything=1) == ""


def test_the_draft_is_the_one_that_the_schema_names() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": [{"type": "string"}]}}}
    assert problem({**schema, "$schema": "http://json-schema.org/draft-07/schema#"}, a=[1])


@pytest.mark.parametrize("schema", [HOSTILE["a circle of references"], HOSTILE["doubling"]], ids=["circle", "doubling"])
def test_endless_work_is_left_to_the_server(schema: dict[str, Any]) -> None:
    begun = time.monotonic()
    assert problem(schema, a=1) == ""
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "(a|a)*b",
        "(a*)*",
        "(.*)*x",
        "([a-z]+)+\\d",
        "a*a*a*b",
        "^(a?){30}a{30}$",
        "a?" * 40 + "a" * 40 + "$",
        "^((a|aa)b?)*$",
        "^" + "a{0,900}" * 8 + "$",
        "^" + "(a|a|)" * 30 + "$",
        "(?m)^a*a*b",
    ],
)
def test_a_pattern_that_could_be_looked_for_for_ever_is_not_looked_for(pattern: str) -> None:
    begun = time.monotonic()
    assert problem({"type": "object", "properties": {"a": {"pattern": pattern}}}, a="a" * 900 + "!") == ""
    assert time.monotonic() - begun < 1


def test_many_texts_take_no_longer_than_one_may() -> None:
    schema = {"type": "object", "properties": {"a": {"items": {"pattern": "a*b"}}}}
    begun = time.monotonic()
    assert problem(schema, a=["a" * 900] * 1_000) == ""
    assert time.monotonic() - begun < 2


def test_an_ordinary_pattern_is_looked_for() -> None:
    ordinary = ["^[a-z]+$", r"^\d{4}-\d{2}-\d{2}$", "^(red|blue)$", "^#[0-9a-f]{6}$", r"^[\w.]+@[\w-]+\.[a-z]+$"]
    assert all(work(pattern, 60) is not None for pattern in ordinary)
    assert "does not match" in problem({"type": "object", "properties": {"a": {"pattern": "^[a-z]+$"}}}, a="A" * 500)


def test_an_address_elsewhere_is_not_fetched_for_arguments() -> None:
    assert problem({"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}}, a=1) == ""
