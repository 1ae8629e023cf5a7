import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills import tool_lists
from skills.package import Skill
from skills.tool_lists import LONGEST_TOOL, MOST_TOOLS

SAME = {
    "spaces": "Bash(git add:*) Read  add_note",
    "commas": "Bash(git add:*),Read, add_note,",
    "lines": "Bash(git add:*)\nRead\n\tadd_note",
    "list": ["Bash(git add:*)", "Read", "add_note"],
    "list with commas": ["Bash(git add:*), Read", "add_note"],
    "repeated": "Bash(git add:*) Read Read add_note Read",
}
BROKEN: dict[str, object] = {
    "mapping": {"Read": True},
    "truth": True,
    "number": 3,
    "nested list": ["Read", ["Write"]],
    "nothing in a list": ["Read", None],
    "open bracket": "Bash(git Read",
    "closing bracket": "Bash) Read",
    "brackets the wrong way": "a)(b",
    "too many": [f"t{number}" for number in range(MOST_TOOLS + 1)],
    "too long": "t" * (LONGEST_TOOL + 1),
}


@pytest.mark.parametrize("value", SAME.values(), ids=SAME)
def test_every_form_is_the_same_set(value: object) -> None:
    assert tool_lists.read(value) == ("Bash(git add:*)", "Read", "add_note")


@pytest.mark.parametrize("value", BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_read_is_refused_and_never_shortened(value: object) -> None:
    """M164: an unreadable limit is no absent limit."""
    with pytest.raises(tool_lists.Unreadable, match=r"^\{key\} "):
        tool_lists.read(value)


def test_as_many_and_as_long_as_allowed_are_read() -> None:
    assert len(tool_lists.read([f"t{number}" for number in range(MOST_TOOLS)])) == MOST_TOOLS
    assert tool_lists.read("t" * LONGEST_TOOL) == ("t" * LONGEST_TOOL,)


@given(st.lists(st.from_regex(r"[A-Za-z_*:-]{1,12}(\([^()]{0,8}\))?", fullmatch=True), max_size=8))
def test_writing_a_list_in_any_way_loses_no_name(names: list[str]) -> None:
    once = tuple(dict.fromkeys(names))
    assert tool_lists.read(names) == tool_lists.read(" ".join(names)) == tool_lists.read(",".join(names)) == once


def test_a_filter_holds_exact_names_only() -> None:
    """M123, M193: a pattern of an uploaded skill matches nothing, and what is foreign opens nothing."""
    skill = Skill("x", "d", "i", tool_names=("add_note",), allowed_tools=("*", "mcp__files__*", "Read", "list_notes"))
    assert skill.tool_filter == frozenset(("add_note", "*", "mcp__files__*", "Read", "list_notes"))
    known = {"add_note", "list_notes", "mcp__files__read"}
    assert skill.tool_filter & known == {"add_note", "list_notes"}
    assert skill.foreign_tools(known) == ("*", "mcp__files__*", "Read")


def test_naming_no_tools_is_a_limit_and_saying_nothing_is_none() -> None:
    assert Skill("x", "d", "i").tool_filter is None
    assert Skill("x", "d", "i", allowed_tools=()).tool_filter == frozenset()


def test_unknown_wishes_are_named() -> None:
    """M191."""
    skill = Skill("x", "d", "i", tool_names=("add_note", "fly"), allowed_tools=("Read",))
    assert skill.unknown_tools({"add_note"}) == ("fly",)
