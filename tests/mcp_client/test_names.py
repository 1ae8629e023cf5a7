"""What a model calls a tool, and what of a text can be seen."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.mcp_client.characters import cleaned
from bot.mcp_client.names import LONGEST, alias, aliases


@pytest.mark.parametrize(
    ("server", "tool", "name"),
    [
        ("files", "read_file", "mcp__files__read_file"),
        ("a-b", "c", "mcp__a-b__c"),
        ("x", "y" * 57, f"mcp__x__{'y' * 56}y"[:64]),
    ],
)
def test_an_ordinary_name_is_kept(server: str, tool: str, name: str) -> None:
    if len(f"mcp__{server}__{tool}") <= LONGEST:
        assert alias(server, tool) == name


ODD_NAMES = (
    "admin.tools/list",
    "a" * 58,
    "a" * 59,
    "a" * 65,
    "a" * 128,
    "a" * 200,
    "///",
    "名前",
    "-",
    "_x_",
    "a b",
    "x-12345678",
)


@pytest.mark.parametrize("tool", ODD_NAMES)
def test_any_name_becomes_legal(tool: str) -> None:
    made = alias("server", tool)
    assert len(made) <= LONGEST
    assert made.startswith("mcp__server")
    assert made.isascii()
    assert made.replace("_", "").replace("-", "").isalnum()


NEAR = [
    ("a", "b__c"),
    ("a__b", "c"),
    ("a_", "_b"),
    ("a", "__b"),
    ("a_", "b"),
    ("a", "_b"),
    ("s", "x.y"),
    ("s", "x/y"),
    ("s", "x_y"),
    ("s", "a" * 60 + "b" * 20),
    ("s", "a" * 60 + "c" * 20),
    ("git", "x"),
    ("github", "x"),
    ("s", "X"),
    ("s", "x"),
    ("S", "x"),
]


def test_names_that_are_near_each_other_stay_apart() -> None:
    made = aliases(NEAR)
    assert sorted(made.values()) == sorted(NEAR)
    assert aliases(reversed(NEAR)) == made


@given(
    st.lists(
        st.tuples(st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True), st.text(min_size=1, max_size=130)), max_size=20
    )
)
@settings(max_examples=100, deadline=None)
def test_aliases_are_legal_and_unique_whatever_the_names(pairs: list[tuple[str, str]]) -> None:
    made = aliases(pairs)
    assert len(made) == len(set(pairs))
    assert all(len(name) <= LONGEST and name.isascii() and set(name) - set("*/. ") == set(name) for name in made)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("a\u200bb\u200d\ufeffc", "abc"),
        ("\u202eevil\u2066", "evil"),
        ("x\U000e0068\U000e0069", "x"),
        (
            "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
            "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        ),
        ("\U0001f3f4\U000e0068\U000e0069\U000e007f", "\U0001f3f4"),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
        ("❤\ufe0f 👍🏽 🇩🇪", "❤\ufe0f 👍🏽 🇩🇪"),
        ("a\ufe0fb\U000e0100", "ab"),
        ("esc\x1b[31m\x00\x07", "esc[31m"),
        ("soft\u00adhyphen \u3164 \u2028", "softhyphen  "),
    ],
)
def test_what_cannot_be_seen_is_taken_out(text: str, shown: str) -> None:
    assert cleaned(text) == (shown, len(text) - len(shown))
