"""A function with annotations becomes a tool: its types are the schema, its mistakes are told when it is defined."""

import asyncio
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import BaseModel, Field, ValidationError

from bot.mcp_apps.decorator import McpTool, TaskTokenInfo, mcp_tool
from bot.mcp_apps.signature import BadTool
from bot.store.database import Store
from bot.tools.spec import ToolContext, ToolFailure
from tests.bot.parts import Parts

CONTEXT = ("guide", "user:tg:5", "tg:5", "run_1", "tg:5", "tg")


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Point(BaseModel):
    x: int
    y: float = 0.0


class Line(BaseModel):
    ends: list[Point]
    colour: Colour


@dataclass
class Found:
    name: str
    when: datetime


def tool(function: Callable[..., Any], **options: Any) -> McpTool:
    return mcp_tool("tried", "Tried.", "trials", **options)(function)


def shown(kind: Any) -> dict[str, Any]:
    """The schema of a parameter of this type."""

    def tried(token_info: TaskTokenInfo, value: Any) -> None: ...

    tried.__annotations__["value"] = kind
    properties: dict[str, dict[str, Any]] = tool(tried).spec.schema()["properties"]
    return {name: part for name, part in properties["value"].items() if name not in ("title", "default")}


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (list, {"type": "array", "items": {}}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (dict, {"type": "object", "additionalProperties": True}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Optional[str], {"type": "string"}),  # noqa: UP045  as people write it
        (int | None, {"type": "integer"}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Colour, {"$ref": "#/$defs/Colour"}),
        (Point, {"$ref": "#/$defs/Point"}),
        (list[Line], {"type": "array", "items": {"$ref": "#/$defs/Line"}}),
        (Annotated[int, Field(ge=1, le=9)], {"type": "integer", "minimum": 1, "maximum": 9}),
        (Annotated[str | None, Field(max_length=3)], {"type": "string", "maxLength": 3}),
    ],
    ids=str,
)
def test_a_type_is_shown_as_its_json_schema(kind: Any, schema: dict[str, Any]) -> None:
    assert shown(kind) == schema


def draw(
    token_info: TaskTokenInfo,
    line: Line,
    thickness: int,
    label: str | None,
    style: Literal["solid", "dotted"] = "solid",
    scale: float = 1.0,
) -> dict[str, Any]:
    return {
        "end": line.ends[0].x,
        "colour": line.colour.name,
        "by": token_info.user,
        "rest": [thickness, label, style, scale],
    }


DRAW = tool(
    draw,
    param_descriptions={"thickness": "In points."},
    param_renames={"thickness": "width", "style": "schema"},
    mutates_data=False,
)
LINE = {"ends": [{"x": 1}], "colour": "red"}


def test_what_is_injected_is_not_shown_and_what_has_a_default_not_required() -> None:
    schema = DRAW.spec.schema()
    assert set(schema["properties"]) == {"line", "width", "label", "schema", "scale"}
    assert schema["required"] == ["line", "width"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["width"]["description"] == "In points."


async def _call(store: Store, made: McpTool, arguments: dict[str, Any]) -> str:
    context = ToolContext(store, *CONTEXT, Parts().skillsets, time.time())
    return await made.spec.handler(context, made.spec.input.model_validate(arguments))


async def test_arguments_arrive_as_what_they_are_annotated(store: Store) -> None:
    said = json.loads(await _call(store, DRAW, {"line": LINE, "width": 2, "label": "x", "schema": "dotted"}))
    assert said == {"end": 1, "colour": "RED", "by": "tg:5", "rest": [2, "x", "dotted", 1.0]}


@pytest.mark.parametrize(
    "changed",
    [
        {"width": "2"},
        {"width": 2.5},
        {"width": True},
        {"line": {**LINE, "colour": "green"}},
        {"line": {"ends": [{"x": "1"}], "colour": "red"}},
        {"line": {**LINE, "more": 1}},
        {"line": {"ends": [{"x": 1, "z": 1}], "colour": "red"}},
        {"thickness": 2},
        {"token_info": {}},
        {"a0": 1},
        {"schema": "dashed"},
        {"label": 3},
    ],
    ids=str,
)
def test_nothing_is_coerced_and_nothing_unknown_is_taken(changed: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        DRAW.spec.input.model_validate({"line": LINE, "width": 2, **changed})


async def _nothing(token_info: TaskTokenInfo) -> None: ...


async def _text(token_info: TaskTokenInfo) -> str:
    return "as it is"


def _model(token_info: TaskTokenInfo) -> Line:
    return Line(ends=[Point(x=1)], colour=Colour.BLUE)


def _record(token_info: TaskTokenInfo) -> list[Found]:
    return [Found("n", datetime(2026, 1, 2, tzinfo=UTC))]


def _number(token_info: TaskTokenInfo) -> int:
    return 3


def _long(token_info: TaskTokenInfo) -> str:
    return "x" * 200_000


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (_nothing, "Done."),
        (_text, "as it is"),
        (_model, '{"ends":[{"x":1,"y":0.0}],"colour":"blue"}'),
        (_record, '[{"name":"n","when":"2026-01-02T00:00:00Z"}]'),
        (_number, "3"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
async def test_what_is_returned_is_told_as_text(store: Store, function: Callable[..., Any], text: str) -> None:
    assert await _call(store, tool(function), {}) == text


async def test_a_result_without_end_is_cut_and_says_so(store: Store) -> None:
    told = await _call(store, tool(_long), {})
    assert len(told) < 101_000
    assert told.endswith("(The result stops here: it has 200,000 characters.)")


async def test_a_plain_function_does_not_hold_up_the_rest(store: Store) -> None:
    """It waits for what only the event loop can do."""
    loop, open_gate = asyncio.get_running_loop(), threading.Event()

    def waits(token_info: TaskTokenInfo) -> bool:
        loop.call_soon_threadsafe(open_gate.set)
        return open_gate.wait(10)

    assert await _call(store, tool(waits), {}) == "true"


async def _refuses(token_info: TaskTokenInfo) -> None:
    raise ValueError("There is no such list.")


async def _breaks(token_info: TaskTokenInfo) -> None:
    raise KeyError("the secret of the database")


async def _misreads(token_info: TaskTokenInfo) -> None:
    Point.model_validate({"x": "the secret of the database"})


async def _returns_what_is_none(token_info: TaskTokenInfo) -> object:
    return object()


async def test_a_value_error_is_told_as_it_is(store: Store) -> None:
    with pytest.raises(ToolFailure, match=r"^There is no such list\.$"):
        await _call(store, tool(_refuses), {})


@pytest.mark.parametrize("function", [_breaks, _misreads, _returns_what_is_none])
@pytest.mark.parametrize(("writes", "code"), [(True, "unknown_outcome"), (False, "unavailable")])
async def test_what_nobody_foresaw_is_logged_and_told_as_a_reference(
    store: Store, function: Callable[..., Any], writes: bool, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ToolFailure) as caught:
        await _call(store, tool(function, mutates_data=writes), {})
    assert caught.value.code == code
    assert "secret" not in caught.value.message
    reference = next(word for word in caught.value.message.split() if word.startswith("err_")).rstrip(".")
    assert reference in capsys.readouterr().out


def test_a_tool_writes_and_asks_unless_it_says_otherwise() -> None:
    assert tool(_text).spec.mutates_data
    assert not DRAW.spec.mutates_data
    assert DRAW.spec.capability_id == "builtin/tried"


def no_token(value: str) -> None: ...


def other_token(token_info: str) -> None: ...


def second(value: str, token_info: TaskTokenInfo) -> None: ...


def two(token_info: TaskTokenInfo, one: str, two: str) -> None: ...


def untyped(token_info: TaskTokenInfo, one) -> None: ...  # type: ignore[no-untyped-def]  # that is what is tried


def many(token_info: TaskTokenInfo, *one: str) -> None: ...


def odd(token_info: TaskTokenInfo, one: threading.Event) -> None: ...


@pytest.mark.parametrize(
    ("function", "options", "words"),
    [
        (no_token, {}, "first parameter is token_info: TaskTokenInfo"),
        (other_token, {}, "first parameter is token_info: TaskTokenInfo"),
        (second, {}, "first parameter is token_info: TaskTokenInfo"),
        (two, {"param_descriptions": {"three": "x"}}, "param_descriptions names what is no parameter: three"),
        (two, {"param_descriptions": {"token_info": "x"}}, "param_descriptions names what is no parameter"),
        (two, {"param_renames": {"three": "x"}}, "param_renames names what is no parameter: three"),
        (two, {"param_renames": {"one": "x", "two": "x"}}, "two parameters have one name outside"),
        (two, {"param_renames": {"one": "two"}}, "two parameters have one name outside"),
        (two, {"param_renames": {"one": "no name"}}, "'no name' is no name for a parameter"),
        (two, {"exclude_params": ("three",)}, "exclude_params names what is no parameter: three"),
        (two, {"exclude_params": ("one",)}, "one is excluded, and has no default"),
        (untyped, {}, "one is no parameter with a type"),
        (many, {}, "one is no parameter with a type"),
        (odd, {}, "a type that JSON knows nothing of"),
    ],
)
def test_a_mistake_in_the_definition_is_told_at_once(
    function: Callable[..., Any], options: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadTool, match=words):
        tool(function, **options)


@pytest.mark.parametrize("empty", [("", "d", "s"), ("n", " ", "s"), ("n", "d", "")])
def test_a_tool_has_a_name_a_description_and_a_server(empty: tuple[str, str, str]) -> None:
    with pytest.raises(BadTool, match="is empty"):
        mcp_tool(*empty)(_text)


def test_what_is_excluded_keeps_its_default() -> None:
    def excluded(token_info: TaskTokenInfo, one: str, two: str = "kept") -> None: ...

    made = tool(excluded, exclude_params=("token_info", "two"))
    assert set(made.spec.schema()["properties"]) == {"one"}
