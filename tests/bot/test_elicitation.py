"""What an MCP server asks for becomes blanks, as the protocol defines its schema; anything else is not asked."""

from typing import Any

import pytest

from bot.domain.elicitation import MOST_BLANKS, MOST_OPTIONS, Unaskable, blanks_of
from bot.domain.question import Blank, Option


def schema(about: Any, required: Any = ("x",), name: str = "x") -> dict[str, Any]:
    return {"type": "object", "properties": {name: about}, "required": list(required)}


AB = (Option("a", "Ay"), Option("b", "Be"))
ASKED: dict[str, tuple[dict[str, Any], Blank]] = {
    "a text": ({"type": "string"}, Blank("x", "x", "text")),
    "its title and description": (
        {"type": "string", "title": "Your\nname", "description": " as in\tyour passport "},
        Blank("x", "Your name", "text", hint="as in your passport"),
    ),
    "its lengths, format and default": (
        {"type": "string", "minLength": 3, "maxLength": 50, "format": "email", "default": "a@b.cd"},
        Blank("x", "x", "text", least=3, most=50, format="email", default="a@b.cd"),
    ),
    "a format that nobody knows": ({"type": "string", "format": "iban"}, Blank("x", "x", "text")),
    "a number with bounds": (
        {"type": "number", "minimum": 0.5, "maximum": 9, "default": 1.5},
        Blank("x", "x", "number", least=0.5, most=9, default=1.5),
    ),
    "a whole number": ({"type": "integer", "default": 3}, Blank("x", "x", "integer", default=3)),
    "a default of another kind": ({"type": "integer", "default": True}, Blank("x", "x", "integer")),
    "yes or no": ({"type": "boolean", "default": False}, Blank("x", "x", "yes_no", default=False)),
    "an enum": (
        {"type": "string", "enum": ["a", "b"]},
        Blank("x", "x", "choice", (Option("a", "a"), Option("b", "b"))),
    ),
    "an enum with names": (
        {"type": "string", "enum": ["a", "b"], "enumNames": ["Ay", "Be"], "default": "b"},
        Blank("x", "x", "choice", AB, default="b"),
    ),
    "titled choices": (
        {"type": "string", "oneOf": [{"const": "a", "title": "Ay"}, {"const": "b", "title": "Be"}], "default": "c"},
        Blank("x", "x", "choice", AB),
    ),
    "labels that look the same": (
        {"type": "string", "enum": ["a", "b"], "enumNames": ["Ay", "Ay"]},
        Blank("x", "x", "choice", (Option("a", "Ay"), Option("b", "Ay (2)"))),
    ),
    "several of an enum": (
        {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": {"type": "string", "enum": ["a"]},
            "default": ["a", "z"],
        },
        Blank("x", "x", "choices", (Option("a", "a"),), least=1, most=2, default=["a"]),
    ),
    "several titled choices": (
        {"type": "array", "items": {"anyOf": [{"const": "a", "title": "Ay"}, {"const": "b", "title": "Be"}]}},
        Blank("x", "x", "choices", AB),
    ),
}
NOT_ASKED: dict[str, dict[str, Any]] = {
    "nothing": {"type": "object", "properties": {}},
    "no properties": {"type": "object"},
    "too much": {"properties": {f"x{n}": {"type": "string"} for n in range(MOST_BLANKS + 1)}},
    "an object": schema({"type": "object", "properties": {}}),
    "a list of anything": schema({"type": "array", "items": {"type": "string"}}),
    "a kind that is none": schema({"type": "file"}),
    "two kinds at once": schema({"type": ["string", "null"]}),
    "what is no schema": schema("string"),
    "choices of numbers": schema({"type": "string", "enum": [1, 2]}),
    "the same choice twice": schema({"type": "string", "enum": ["a", "a"]}),
    "choices without an end": schema({"type": "string", "enum": [f"{n}" for n in range(MOST_OPTIONS + 1)]}),
    "a name without an end": schema({"type": "string"}, name="x" * 101),
}
SECRETS = ("password", "api_key", "API Key", "accessToken", "client_secret")


@pytest.mark.parametrize(("about", "blank"), ASKED.values(), ids=ASKED.keys())
def test_each_primitive_of_the_protocol_becomes_a_blank(about: dict[str, Any], blank: Blank) -> None:
    assert blanks_of(schema(about)) == (blank,)


@pytest.mark.parametrize("asked", NOT_ASKED.values(), ids=NOT_ASKED.keys())
def test_what_the_protocol_does_not_allow_is_not_asked(asked: dict[str, Any]) -> None:
    with pytest.raises(Unaskable) as refused:
        blanks_of(asked)
    assert not refused.value.secret


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_are_never_asked_for(name: str) -> None:
    plain = {"type": "string", "title": "That"}
    told = {**plain, "description": f"Type your {name} here."}
    for asked in (
        schema({"type": "string"}, name=name),
        schema(plain, name=name),
        schema({**plain, "title": name}),
        schema(told),
    ):
        with pytest.raises(Unaskable) as refused:
            blanks_of(asked)
        assert refused.value.secret


def test_what_is_not_required_may_be_left_out() -> None:
    for required in ((), "x", None):
        asked = {"properties": {"x": {"type": "string"}}, "required": required}
        assert not blanks_of(asked)[0].required
