"""Grants in the configuration: for tools that exist, each once."""

from pathlib import Path

import pytest

from bot.config.load import load
from bot.config.mistakes import ConfigError, Mistake
from bot.tools.registry import BUILT_IN
from tests.bot.config_files import ENVIRON, GOOD, NOW

BUILT_IN_IDS = frozenset(spec.capability_id for spec in BUILT_IN)


def grants_mistaken(directory: Path, rows: str) -> Mistake:
    path = directory / "config.yaml"
    path.write_text(GOOD + "grants:\n" + rows, "utf-8")
    with pytest.raises(ConfigError) as caught:
        load(path, ENVIRON, NOW, BUILT_IN_IDS)
    [found] = caught.value.mistakes
    return found


@pytest.mark.parametrize(
    ("capability", "near"),
    [("builtin/ad_note", "builtin/add_note"), ("builtin/list_note", "builtin/list_notes")],
)
def test_a_grant_for_a_tool_that_does_not_exist_names_the_nearest(capability: str, near: str, tmp_path: Path) -> None:
    good = "- {persona: guide, capability: builtin/add_note}\n"
    found = grants_mistaken(tmp_path, good + f"- persona: '*'\n  capability: {capability}\n")
    line = GOOD.count("\n") + 4
    assert (found.key, found.line) == ("grants[1].capability", line)
    assert capability in found.what
    assert near in found.remedy


def test_two_grants_for_the_same_are_a_mistake(tmp_path: Path) -> None:
    row = "- {persona: guide, capability: builtin/add_note, effect: %s}\n"
    other = "- {persona: '*', capability: builtin/add_note}\n"
    found = grants_mistaken(tmp_path, row % "ask" + other + row % "deny")
    assert (found.key, found.line) == ("grants[2]", GOOD.count("\n") + 4)
    assert "the same persona and capability as grants[0]" in found.what
    assert found.remedy == "Keep the one that you mean."


def test_grants_for_tools_that_exist_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    rows = "".join(f"- {{persona: guide, capability: {capability}}}\n" for capability in sorted(BUILT_IN_IDS))
    path.write_text(GOOD + "grants:\n" + rows, "utf-8")
    assert len(load(path, ENVIRON, NOW, BUILT_IN_IDS).grants) == len(BUILT_IN_IDS)
