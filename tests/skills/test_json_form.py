from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skills import json_form, skill_md
from skills.errors import ContentRefused
from skills.json_form import LONGEST_INSTRUCTIONS, Given
from skills.package import Skill

SEED = {
    "name": "document-review",
    "description": "帮助角色审阅项目文档",
    "instructions": "先引用原文，再指出风险和缺失信息。",
    "prompt_hint": "文档审阅",
    "tool_names": ["search_persona_knowledge"],
    "enabled": True,
}
REVIEW = Skill(
    "document-review",
    "帮助角色审阅项目文档",
    "先引用原文，再指出风险和缺失信息。",
    "文档审阅",
    ("search_persona_knowledge",),
    format="json",
)


def refused(**changes: object) -> list[tuple[str, str]]:
    with pytest.raises(ContentRefused) as refusal:
        json_form.read(SEED | changes)
    return [(fault.rule, fault.message.split()[0]) for fault in refusal.value.faults]


def test_the_form_of_the_api_is_read_and_given_back() -> None:
    assert json_form.read(SEED) == Given(REVIEW, enabled=True)
    assert json_form.write(REVIEW) | {"enabled": True} == SEED


def test_whether_it_is_enabled_is_told_beside_the_skill() -> None:
    assert json_form.read(SEED | {"enabled": False}).enabled is False
    assert json_form.read({key: value for key, value in SEED.items() if key != "enabled"}).enabled is None


@pytest.mark.parametrize(
    ("key", "value", "rule"),
    [
        ("name", "Document Review", "name"),
        ("name", None, "name_missing"),
        ("name", 3, "wrong_type"),
        ("name", "../x", "name"),
        ("description", "", "description_missing"),
        ("description", ["a"], "wrong_type"),
        ("description", "d" * 1025, "too_long"),
        ("instructions", 3, "wrong_type"),
        ("instructions", "x" * (LONGEST_INSTRUCTIONS + 1), "too_long"),
        ("instructions", "\udc00", "hidden_text"),
        ("prompt_hint", {"a": 1}, "wrong_type"),
        ("tool_names", {"a": 1}, "tools"),
        ("tool_names", ["a", 1], "tools"),
        ("tool_names", ["*"], "tools"),
        ("enabled", "yes", "wrong_type"),
        ("enabled", 1, "wrong_type"),
        ("Instructions", "x", "unknown_key"),
        ("format", "skillmd", "unknown_key"),
        ("trusted", True, "unknown_key"),
        ("tool-names", ["b"], "duplicate_key"),
    ],
)
def test_a_wrong_value_is_refused_by_its_key(key: str, value: object, rule: str) -> None:
    found = refused(**{key: value})
    assert rule in [each for each, _first in found]
    assert {first for _rule, first in found} <= {key, "The"}


def test_a_null_name_is_told_once() -> None:
    assert refused(name=None) == [("name_missing", "name")]


@pytest.mark.parametrize("given", [None, [], "x", 3, [SEED]])
def test_what_is_no_object_is_refused(given: object) -> None:
    with pytest.raises(ContentRefused, match="object"):
        json_form.read(given)


def test_values_of_other_kinds_become_texts_as_in_a_file() -> None:
    given: dict[str, Any] = {
        "mcp_servers": {"x": {"timeout": 300, "enabled": True, "args": ["a", 1.5], "cwd": None}},
        "metadata": {"a": "b"},
        "version": 2,
    }
    skill = json_form.read(SEED | given).skill
    assert skill.mcp_servers == {"x": {"timeout": "300", "enabled": "true", "args": ["a", "1.5"], "cwd": None}}
    assert skill.version == "2"
    assert skill_md.packed(skill).skill == skill


def test_a_change_keeps_what_it_does_not_name() -> None:
    path = Path(__file__).parent / "samples" / "foreign_keys.md"
    before = skill_md.read(path.read_bytes(), files=("scripts/a.py",))
    changed, enabled = (
        json_form.change(before, {"description": "New.", "enabled": False}).skill,
        json_form.change(before, {"enabled": False}).enabled,
    )
    assert replace(changed, warnings=()) == replace(before, description="New.", warnings=())
    assert enabled is False


def test_a_change_cannot_lose_a_limit_unsaid() -> None:
    """M164."""
    limited = replace(REVIEW, allowed_tools=("Read",))
    assert json_form.change(limited, {"description": "New."}).skill.allowed_tools == ("Read",)
    assert json_form.change(limited, {"allowed_tools": None}).skill.allowed_tools == ()
    with pytest.raises(ContentRefused):
        json_form.change(limited, {"allowed_tools": {"Read": True}})


def test_a_change_does_not_rename() -> None:
    """M172: a name is what grants are for."""
    with pytest.raises(ContentRefused) as refusal:
        json_form.change(REVIEW, {"name": "other"})
    assert refusal.value.faults[0].rule == "name_fixed"
    assert json_form.change(REVIEW, {"name": REVIEW.name}).skill == REVIEW


def test_a_change_is_as_strict_as_the_form() -> None:
    wrong: tuple[object, ...] = ([], {"trusted": True}, {"description": ""}, {"tool_names": "a("})
    for changes in wrong:
        with pytest.raises(ContentRefused):
            json_form.change(REVIEW, changes)
