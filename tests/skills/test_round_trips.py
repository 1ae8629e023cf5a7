"""What is written down is read the same again, whatever it says."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from skills import json_form, skill_md
from skills.errors import ContentRefused
from tests.skills.texts import documents, fuzz, texts, values

names = st.from_regex(r"[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,3}", fullmatch=True).filter(
    lambda name: name not in ("con", "nul")
)
tools = st.lists(st.from_regex(r"[A-Za-z0-9_.:/-]{1,20}", fullmatch=True), max_size=4)
foreign = st.lists(st.from_regex(r"[A-Za-z_*-]{1,10}(\([a-z :,*]{0,10}\))?", fullmatch=True), max_size=4)

forms = st.fixed_dictionaries(
    {
        "name": names,
        "description": texts.filter(str.strip),
        "instructions": texts,
        "tool_names": tools,
        "prompt_hint": texts,
    },
    optional={
        "allowed_tools": foreign,
        "display_name": texts.map(lambda text: text[:80]),
        "version": texts.map(lambda text: text[:80]),
        "author": texts,
        "license": texts,
        "compatibility": texts,
        "tags": st.lists(texts.map(lambda text: text[:80]), max_size=3),
        "bind_shells": st.lists(texts.map(lambda text: text[:80]), max_size=3),
        "metadata": st.dictionaries(texts, texts, max_size=3),
        "mcp_servers": st.dictionaries(texts, st.dictionaries(texts, values, max_size=3), max_size=2),
    },
)


@fuzz
@given(forms)
def test_a_skill_of_the_api_is_the_same_after_it_was_a_file(form: dict[str, Any]) -> None:
    skill = json_form.read(form).skill
    again = skill_md.read(skill_md.write(skill).encode())
    assert replace(again, warnings=()) == replace(skill, warnings=())
    assert skill_md.packed(skill).skill == skill


@fuzz
@given(forms)
def test_a_skill_is_the_same_after_it_was_given_by_the_api(form: dict[str, Any]) -> None:
    skill = json_form.read(form).skill
    again = (json_form.read(json_form.write(skill)).skill, json_form.change(skill, {}).skill)
    assert {replace(each, warnings=()) == replace(skill, warnings=()) for each in again} == {True}


@fuzz
@given(documents)
def test_any_file_is_refused_or_the_same_after_it_was_written_again(data: bytes) -> None:
    try:
        skill = skill_md.read(data, folder="folder")
    except ContentRefused:
        return
    again = skill_md.read(skill_md.write(skill).encode())
    assert replace(again, warnings=()) == replace(skill, warnings=())


@fuzz
@given(documents, foreign)
def test_no_file_loses_the_limit_that_stands_in_its_last_line(data: bytes, limit: list[str]) -> None:
    """M164: whatever stands before it, the limit is read, or the whole file is refused."""
    header = data.replace(b"---", b"").replace(b"\r", b"\n")
    file = b"---\n" + header + b"\nallowed-tools: '" + ", ".join(limit).encode() + b"'\n---\nText."
    try:
        skill = skill_md.read(file, folder="folder")
    except ContentRefused:
        return
    assert skill.allowed_tools == tuple(dict.fromkeys(limit))
