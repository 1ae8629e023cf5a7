import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bot.tools.registry import BUILT_IN
from bot.tools.spec import ToolSpec

BY_NAME = {spec.name: spec for spec in BUILT_IN}


@pytest.fixture(params=BUILT_IN, ids=lambda spec: spec.name)
def spec(request: pytest.FixtureRequest) -> ToolSpec[Any]:
    found: ToolSpec[Any] = request.param
    return found


def test_every_tool_has_a_name_of_its_own() -> None:
    assert len(BY_NAME) == len(BUILT_IN) == 17


def test_tool_is_named_and_described(spec: ToolSpec[Any]) -> None:
    assert re.fullmatch(r"[a-z_]{1,64}", spec.name)
    assert re.fullmatch(r"[a-z]+_worker", spec.specialist)
    assert len(spec.description) > 10
    assert spec.description.endswith(".")
    assert spec.capability_id == f"builtin/{spec.name}"


def test_schema_refuses_further_fields_and_describes_each(spec: ToolSpec[Any]) -> None:
    schema = spec.schema()
    Draft202012Validator.check_schema(schema)
    json.dumps(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert all(field["description"] for field in schema["properties"].values())


def test_write_says_what_it_will_do(spec: ToolSpec[Any]) -> None:
    assert spec.mutates_data == (spec.confirmation is not None)


def test_what_destroys_also_writes_and_is_never_repeated(spec: ToolSpec[Any]) -> None:
    if spec.destructive:
        assert spec.mutates_data
        assert not spec.idempotent


def test_writes_are_these() -> None:
    assert {spec.name for spec in BUILT_IN if spec.mutates_data} == {
        "add_persona_knowledge",
        "delete_persona_document",
        "save_persona_memory",
        "update_persona_memory",
        "delete_persona_memory",
        "add_note",
        "delete_note",
        "run_skill_script",
    }
    assert {spec.name for spec in BUILT_IN if spec.destructive} == {
        "run_skill_script",
        "delete_persona_document",
        "delete_persona_memory",
        "delete_note",
    }


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("list_notes", {"scope": "user:web:other"}),
    ("add_note", {}),
    ("add_note", {"text": ""}),
    ("add_note", {"text": " \n\t　"}),
    ("add_note", {"text": 5}),
    ("add_note", {"text": "x" * 2_001}),
    ("add_note", {"text": "x", "scope": "user:web:other"}),
    ("delete_note", {"note_id": "3"}),
    ("delete_note", {"note_id": True}),
    ("delete_note", {"note_id": 0}),
    ("delete_note", {"note_id": 2**63}),
    ("save_persona_memory", {"text": "x" * 2_001}),
    ("update_persona_memory", {"memory_id": 1}),
    ("read_persona_memories", {"query": " "}),
    ("add_persona_knowledge", {"title": "x" * 201, "text": "x"}),
    ("add_persona_knowledge", {"title": "x", "text": "x" * 100_001}),
    ("add_persona_knowledge", {"title": " ", "text": "x"}),
    ("search_persona_knowledge", {"query": "x" * 501}),
    ("search_persona_knowledge", {"query": "x", "limit": 11}),
    ("search_persona_knowledge", {"query": "x", "limit": 0}),
    ("current_time", {"timezone": "../etc/passwd"}),
    ("silent_exit", {"reason": "x" * 501}),
    ("load_skill", {"skill": "../notes"}),
    ("load_skill", {"skill": "x" * 65}),
    ("read_skill_file", {"skill": "one", "path": ""}),
    ("read_skill_file", {"skill": "one", "path": "a.md", "start": -1}),
    ("run_skill_script", {"skill": "one", "script": "scripts/a.py", "arguments": "-x"}),
    ("run_skill_script", {"skill": "one", "script": "scripts/a.py", "arguments": ["x"] * 65}),
]


@pytest.mark.parametrize(("name", "arguments"), WRONG)
def test_wrong_arguments_are_refused_by_schema_and_model_alike(name: str, arguments: dict[str, Any]) -> None:
    spec = BY_NAME[name]
    assert not Draft202012Validator(spec.schema()).is_valid(arguments)
    with pytest.raises(ValueError, match="validation error"):
        spec.input.model_validate(arguments)


@pytest.mark.parametrize("text", ["a\0b", "\ud800"], ids=["NUL", "half a character"])
def test_text_that_no_database_keeps_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="validation error"):
        BY_NAME["add_note"].input.model_validate({"text": text})


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("add_note", {"text": "x" * 2_000}),
        ("add_persona_knowledge", {"title": "题" * 200, "text": "x" * 100_000}),
        ("read_persona_memories", {}),
        ("read_persona_memories", {"query": None}),
        ("search_persona_knowledge", {"query": "%", "limit": 10}),
        ("current_time", {}),
        ("silent_exit", {}),
    ],
)
def test_arguments_at_the_bounds_are_taken(name: str, arguments: dict[str, Any]) -> None:
    spec = BY_NAME[name]
    assert Draft202012Validator(spec.schema()).is_valid(arguments)
    spec.input.model_validate(arguments)
