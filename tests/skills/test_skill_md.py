"""SKILL.md → skill. Each sample is a file as somebody may have written it; what it means stands here."""

from dataclasses import replace
from pathlib import Path

import pytest

from skills import skill_md
from skills.errors import ContentRefused
from skills.package import Skill

SAMPLES = Path(__file__).parent / "samples"

FORMS = Skill(
    "pdf-forms", "Fills forms.", "Fill it.", allowed_tools=("Bash(git:*)", "Read", "search_persona_knowledge")
)
LETTERS = Skill("letters", "Writes letters: to friends", "Write.", allowed_tools=("Read",))
UNQUOTED = "The quotes around {} are missing; it was read as one text."
READ = {
    "plain": Skill("plain", "Reads a letter. Use it when somebody brings one.", "# Letters\n\nRead it twice."),
    "spec_full": replace(
        FORMS,
        description="Fills forms in PDF files. Use it when a form is to be filled.",
        license="Apache-2.0",
        compatibility="Needs poppler and network access",
        metadata={"author": "example-org", "version": "1.0"},
    ),
    "tools_in_a_list": FORMS,
    "tools_with_commas": FORMS,
    "tools_with_inner_commas": replace(FORMS, allowed_tools=("Bash(git add:*, git commit:*)", "mcp__files__read")),
    "tools_of_nobody": replace(FORMS, allowed_tools=()),
    "tools_wildcard": replace(
        FORMS, allowed_tools=("*",), warnings=("allowed-tools holds a pattern (*); it matches nothing here.",)
    ),
    "tools_other_spelling": replace(FORMS, allowed_tools=("Read",), tool_names=("list_notes", "add_note")),
    "seed_keys": Skill(
        "seed-keys",
        "演示能力的示例：列出与创建项目",
        "# 示例能力",
        display_name="示例能力",
        version="1.0.0",
        author="Example Team",
        tags=("example", "demo"),
        bind_shells=("Chat", "ClaudeCode"),
        mcp_servers={
            "example": {
                "type": "streamable-http",
                "url": "${{backend_url}}/mcp/example/sse",
                "headers": {"Authorization": "Bearer ${{task_token}}"},
                "timeout": "300",
            }
        },
        warnings=(
            "It says no name; it is called seed-keys as its folder is.",
            "It proposes MCP servers (example); none is connected by installing it.",
        ),
    ),
    "bom": Skill("with-bom", "A file as Windows editors save it.", "Text.", allowed_tools=("Read",)),
    "crlf": Skill("with-crlf", "Two lines of one text.", "One.\n\nTwo.", allowed_tools=("Read",)),
    "blank_lines_first": Skill("late", "Blank lines before, spaces behind the fence.", "Text."),
    "colon_unquoted": replace(
        LETTERS,
        description="Writes letters: to friends, to offices. Use it for: all work",
        warnings=(UNQUOTED.format("description"),),
    ),
    "colon_in_folds": replace(
        LETTERS,
        description="Writes letters to friends and offices: all kinds of work",
        compatibility="It's for: agents",
        warnings=(UNQUOTED.format("description, compatibility"),),
    ),
    "colon_folded_style": replace(LETTERS, description="Writes letters: to friends, to offices: all work"),
    "colon_literal_style": replace(LETTERS, description="Writes letters: to friends,\nto offices: all work"),
    "colon_quoted": LETTERS,
    "star_unquoted": replace(
        LETTERS, description="*Always* use it for letters", warnings=(UNQUOTED.format("description"),)
    ),
    "fences_inside": Skill(
        "fences",
        "A --- in the middle, and --- at the start of a line that is indented",
        "First.\n\n---\nname: not-a-header\n---\nSecond.",
    ),
    "no_surprises": Skill(
        "no-surprises",
        "yes",
        "Text.",
        version="1.10",
        license="2026-01-01",
        tags=("on", "012", "12:30"),
        metadata={"level": "1e3"},
    ),
    "foreign_keys": Skill(
        "foreign",
        "Has keys of other services.",
        "Text.",
        author='{"name": "Somebody"}',
        metadata={"bots": '{"emoji": "🦀", "needs": ["git"]}'},
        other={"when_to_use": "Always", "disable-model-invocation": "true", "enabled": "true", "trusted": "true"},
        warnings=(
            "author is not a text; it is kept as JSON.",
            "metadata holds more than texts in bots; they are kept as JSON.",
            "It says enabled, trusted, which has no effect: only an admin switches a skill on.",
            "Keys that mean nothing here: when_to_use, disable-model-invocation.",
        ),
    ),
    "empty_body": Skill("empty", "Says nothing.", "", warnings=("It has no instructions.",)),
    "emoji_and_joiners": Skill("joiners", "👩\u200d💻 می\u200cخواهم 🏴󠁧󠁢󠁥󠁮󠁧󠁿 葛󠄀", "می\u200cخواهم ❤\ufe0f"),
    "unseen": Skill(
        "unseen",
        "Turns \u202eround.",
        "zero\u200bwidth",
        warnings=(
            "The text holds characters that are not seen: U+200B.",
            "description holds characters that are not seen: U+202E.",
        ),
    ),
}

REFUSED = {
    "no_header": [("no_header", "")],
    "open_header": [("open_header", "")],
    "text_before_header": [("no_header", "")],
    "empty_header": [("no_header", "")],
    "list_header": [("no_header", "")],
    "no_name": [("name_missing", "name is missing")],
    "no_description": [("description_missing", "description is missing")],
    "name_capitals": [("name", "Line 2: name is not one: write 1 to 64 small letters a-z, digits and single hyphens")],
    "name_double_hyphen": [("name", "such as document-review.")],
    "name_cyrillic": [("name", "Line 2: name is not one")],
    "name_reserved": [("name_reserved", "Line 2: name ")],
    "name_device": [("name_reserved", "Line 2: name ")],
    "name_long": [("name", "1 to 64")],
    "description_long": [("too_long", "Line 3: description is longer than 1024 characters.")],
    "tools_mapping": [("tools", "Line 4: allowed-tools ")],
    "tools_nested": [("tools", "Line 4: allowed-tools ")],
    "tools_bracket": [("tools", "Line 4: allowed-tools has a bracket without its other half.")],
    "tools_other_limit": [("limit", "Line 4: disallowed-tools may be a limit")],
    "tools_twice": [("duplicate_key", "allowedTools is allowed-tools, given twice in two spellings.")],
    "tools_tagged": [("tag", "Line 4: allowed-tools has a tag.")],
    "tools_alias": [("alias", "Line 5: ")],
    "tools_swallowed": [("yaml", "Line 4: ")],
    "key_swallowed": [("yaml", "Line 4: ")],
    "two_breaks": [("yaml", "Line 3: ")],
    "tools_on_one_line": [("yaml", "Line 3: ")],
    "tool_name": [("tools", "Line 4: tool-names holds mcp/files/*, ")],
    "yaml_colon_in_limit": [("yaml", "Line 4: ")],
    "yaml_tab": [("yaml", "Line 4: ")],
    "duplicate": [("duplicate_key", "Line 5: allowed-tools is given twice, first in line 4.")],
    "merge": [("alias", "Line 5: metadata.<< merges")],
    "key": [("key", "Line 4: a key in the header is not a text.")],
    "python_object": [("tag", "Line 3: description has a tag.")],
    "hidden_tags": [("hidden_text", "The text holds a character that nobody sees, U+E0068 in line 5.")],
    "hidden_false_flag": [("hidden_text", "Line 3: description holds a character that nobody sees, U+E0068.")],
    "hidden_selectors": [("hidden_text", "U+FE00 in line 7.")],
    "control": [("hidden_text", "U+001B in line 5.")],
    "everything": [
        ("name", "Line 2: name is not one"),
        ("description_missing", "description is missing"),
        ("tools", "Line 3: allowed-tools "),
        ("wrong_type", "Line 4: bindShells "),
        ("wrong_type", "Line 5: mcpServers "),
        ("wrong_type", "Line 6: metadata "),
    ],
}


@pytest.mark.parametrize(("name", "skill"), READ.items(), ids=READ)
def test_a_skill_that_others_wrote_is_read(name: str, skill: Skill) -> None:
    """M162, M164, M165, M167, M191: BOM, CRLF, folds, colons; limits are never lost on the way."""
    read = skill_md.read((SAMPLES / f"{name}.md").read_bytes(), folder="seed-keys" if name == "seed_keys" else "")
    assert read == skill


@pytest.mark.parametrize(("name", "told"), REFUSED.items(), ids=REFUSED)
def test_a_skill_that_cannot_be_read_whole_is_refused_with_key_line_and_rule(
    name: str, told: list[tuple[str, str]]
) -> None:
    """M162, M164, M098, M099: never loaded without what could not be read."""
    with pytest.raises(ContentRefused) as refusal:
        skill_md.read((SAMPLES / f"bad_{name}.md").read_bytes(), entry="x/SKILL.md")
    faults = refusal.value.faults
    assert [fault.rule for fault in faults] == [rule for rule, _words in told]
    for fault, (_rule, words) in zip(faults, told, strict=True):
        assert words in fault.message
        assert fault.message.endswith(".")
        assert str(fault) == f"x/SKILL.md: {fault.message}"


@pytest.mark.parametrize(
    ("encoding", "told"),
    [("latin-1", "Line 5: it is not UTF-8."), ("utf-16", "It is UTF-16; save it as UTF-8.")],
)
def test_a_file_in_another_encoding_is_refused_by_its_cause(encoding: str, told: str) -> None:
    """M165: the message names the real cause."""
    with pytest.raises(ContentRefused) as refusal:
        skill_md.read("---\nname: x\ndescription: Harmless.\n---\nCafé.\n".encode(encoding))
    assert [(fault.rule, fault.message) for fault in refusal.value.faults] == [("encoding", told)]


@pytest.mark.parametrize("key", ["allowed_tools", "Allowed-Tools", "allowedTools", "allowed tools", "tools", "TOOLS"])
def test_a_limit_is_a_limit_in_every_spelling(key: str) -> None:
    """M162."""
    skill = skill_md.read(f"---\nname: x\ndescription: d\n{key}: Read\n---\n".encode())
    assert skill.allowed_tools == ("Read",)


@pytest.mark.parametrize("key", ["disallowed-tools", "permittedTools", "denied_tool", "no-tools"])
def test_a_key_that_may_be_a_limit_and_is_not_known_refuses_the_skill(key: str) -> None:
    with pytest.raises(ContentRefused, match="may be a limit"):
        skill_md.read(f"---\nname: x\ndescription: d\n{key}: Bash\n---\n".encode())


def test_every_sample_is_read_here() -> None:
    assert {path.stem for path in SAMPLES.iterdir()} == {*READ, *(f"bad_{name}" for name in REFUSED)}


def test_a_folder_with_another_name_is_told_and_the_name_counts() -> None:
    """M177."""
    skill = skill_md.read((SAMPLES / "plain.md").read_bytes(), folder="Plain")
    assert skill.name == "plain"
    assert skill.warnings == ("Its folder is called Plain, and it calls itself plain: it is known as plain.",)
    assert skill_md.read((SAMPLES / "plain.md").read_bytes(), folder="plain").warnings == ()


def test_a_folder_whose_name_is_not_allowed_does_not_name_a_skill() -> None:
    with pytest.raises(ContentRefused, match="such as seed-keys"):
        skill_md.read((SAMPLES / "seed_keys.md").read_bytes(), folder="Seed Keys")
