import re
import tomllib

import pytest

from tests.house.files import ROOT

LOCKS = ("requirements.lock", "requirements-dev.lock")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def pins(name: str) -> dict[str, str]:
    """Package (and marker, where it has one) → version."""
    text = (ROOT / name).read_text("utf-8")
    found = re.findall(r"^([a-z0-9.-]+)(?:\[[a-z,-]+\])?==([^\s\\]+)(?: ;([^\\]+))? \\$", text, re.MULTILINE)
    return {f"{package};{marker.strip()}": version for package, version, marker in found}


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\s\[<>=~!]", requirement, maxsplit=1)[0].lower() for requirement in requirements}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_is_held_against_a_hash(lock: str) -> None:
    lines = (ROOT / lock).read_text("utf-8").splitlines()
    heads = [line for line in lines if not line.startswith(" ")]
    assert heads
    assert [line for line in heads if not line.endswith(" \\")] == []
    assert [
        line for line in lines if line.startswith(" ") and not re.match(r"    --hash=sha256:[0-9a-f]{64}( \\)?$", line)
    ] == []
    assert len(pins(lock)) == len(heads)


def test_what_the_demo_runs_on_is_what_was_tested() -> None:
    demo, dev = map(pins, LOCKS)
    assert [package for package, version in demo.items() if dev.get(package) != version] == []


def test_the_locks_hold_what_the_project_asks_for() -> None:
    project = PROJECT["project"]
    demo, dev = ({package.partition(";")[0] for package in pins(lock)} for lock in LOCKS)
    build = names([line for line in (ROOT / "scripts/build.in").read_text("utf-8").splitlines() if line[0] != "#"])
    assert names(project["dependencies"]) | build <= demo
    extras = [requirement for extra in project["optional-dependencies"].values() for requirement in extra]
    assert names(extras) | names(PROJECT["dependency-groups"]["dev"]) | demo <= dev


def test_the_build_needs_nothing_that_is_not_locked() -> None:
    assert names(PROJECT["build-system"]["requires"]) <= {package.partition(";")[0] for package in pins(LOCKS[0])}
