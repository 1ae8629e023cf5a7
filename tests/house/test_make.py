import re

import pytest

from tests.house.files import ROOT, texts

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


def test_every_target_is_phony_and_explained() -> None:
    [phony] = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    assert set(phony.split()) == TARGETS
    assert set(re.findall(r"^#   make ([a-z-]+) ", MAKEFILE, re.MULTILINE)) == TARGETS


def test_the_targets_that_users_rely_on_are_there() -> None:
    assert {"demo", "test", "check", "bench"} <= TARGETS


@pytest.mark.parametrize("name", sorted(texts(".md")))
def test_documents_name_only_targets_that_exist(name: str) -> None:
    text = texts(".md")[name]
    named = set(re.findall(r"`make ([a-z-]+)", text)) | set(re.findall(r"^(?:\$ )?make ([a-z-]+)", text, re.MULTILINE))
    assert named <= TARGETS


def test_the_gate_runs_the_same_targets_and_nothing_else() -> None:
    lines = (ROOT / ".ci/run").read_text("utf-8").splitlines()
    commands = [line for line in lines if line and not line.startswith(("#", "set ", "cd "))]
    assert commands == ["make check", "make test"]
    assert "set -euo pipefail" in lines
    assert (ROOT / ".ci/run").stat().st_mode & 0o111


def test_every_script_of_the_makefile_is_there() -> None:
    scripts = re.findall(r"scripts/[a-z_]+\.[a-z]+", MAKEFILE)
    modules = re.findall(r"\$\(RUN\) (scripts\.[a-z_]+)", MAKEFILE)
    paths = [*scripts, *(f"{module.replace('.', '/')}.py" for module in modules)]
    assert paths
    assert [path for path in paths if not (ROOT / path).is_file()] == []
