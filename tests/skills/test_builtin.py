"""The skills that come with the service: good examples, and true."""

import re
from pathlib import Path

import pytest

from bot.commands.table import COMMAND_NAMES
from bot.mcp_apps.apps import APPS
from bot.tools.registry import BUILT_IN
from skills.library import Library, builtin_directory
from skills.package import Skill
from skills.shelf import look

TOOLS = {spec.name for spec in BUILT_IN}
FOUND = look(builtin_directory(), builtin=True)
SKILLS = {found.skill.name: found.skill for found in FOUND.found}
LONGEST_LINES = 500
"""Of a SKILL.md, by the specification's advice."""


def test_seven_skills_come_with_the_service(tmp_path: Path) -> None:
    assert sorted(SKILLS) == [
        "askfirst-guide",
        "document-review",
        "form-asking",
        "knowledge-base",
        "memory-keeping",
        "note-keeping",
        "silent-exit",
    ]
    assert FOUND.faults == ()
    library = Library(tmp_path, builtin_directory())
    assert {skill.name for skill in library.listed().skills} == set(SKILLS)
    assert all(skill.builtin for skill in library.listed().skills)


@pytest.mark.parametrize("skill", SKILLS.values(), ids=SKILLS)
def test_each_is_read_without_a_warning_and_says_when_it_is_used(skill: Skill) -> None:
    assert skill.warnings == ()
    assert "Use it when" in skill.description
    assert skill.display_name
    assert skill.prompt_hint
    assert skill.license == "Apache-2.0"
    assert skill.scripts == ()
    assert skill.instructions.startswith("# ")
    assert skill.instructions.count("\n") < LONGEST_LINES


@pytest.mark.parametrize("skill", SKILLS.values(), ids=SKILLS)
def test_each_wishes_only_for_tools_that_there_are(skill: Skill) -> None:
    assert skill.unknown_tools(TOOLS) == ()
    assert skill.allowed_tools is None


SERVED = {
    "form-asking": "interactive-form",
    "knowledge-base": "knowledge",
    "memory-keeping": "memory",
    "note-keeping": "notes",
    "silent-exit": "system",
}
"""The app that each is for, for agents elsewhere."""


def test_each_app_has_a_skill_that_says_where_it_is() -> None:
    assert set(SERVED.values()) == {app.name for app in APPS}
    told = {name: skill.mcp_servers for name, skill in SKILLS.items() if skill.mcp_servers}
    assert told == {
        name: {
            app: {
                "type": "streamable-http",
                "url": f"${{{{backend_url}}}}/mcp/{app}",
                "headers": {"Authorization": "Bearer ${{task_token}}"},
                "timeout": "300",
            }
        }
        for name, app in SERVED.items()
    }


@pytest.mark.parametrize("name", SERVED)
def test_a_skill_with_a_server_says_whom_it_is_for(name: str) -> None:
    assert "## For an agent elsewhere" in SKILLS[name].instructions
    assert f"as `{SERVED[name]}`" in SKILLS[name].instructions


def test_the_guide_names_only_commands_that_there_are() -> None:
    rows = re.findall(r"^\| (`[^|]+) \|", SKILLS["askfirst-guide"].instructions, re.MULTILINE)
    named = {command.split()[0] for row in rows for command in re.findall(r"`([^`]+)`", row)}
    assert len(named) > 10
    assert named - COMMAND_NAMES == set()


def test_the_guide_shows_the_forms_of_a_grant_as_they_are_typed() -> None:
    text = SKILLS["askfirst-guide"].instructions
    assert "`grant PERSONA CAPABILITY`" in text
    assert "`builtin/add_note`" in text
    assert {spec.capability_id for spec in BUILT_IN} >= {"builtin/add_note"}
