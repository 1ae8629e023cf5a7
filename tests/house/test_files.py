import re
from collections.abc import Iterator

import pytest
import yaml

from tests.house.files import ROOT, project_files, texts

# In pieces, so that this file does not hold what it looks for.
HOSTS = re.compile(
    r"python" r"hosted\.org|pypi" r"\.org/simple|--(?:extra-)?index" r"-url|registry\.npm" r"js\.org|--find" r"-links"
)
SECRETS = {
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE" r" KEY-----"),
    "a Telegram token": re.compile(r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b"),
    "a model key": re.compile(r"\bsk-(?:ant-|proj-)?[A-Za-z0-9]{32,}"),
    "a Slack token": re.compile(r"\bxox[abprs]-\d{6,}-"),
    "a GitHub token": re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36}"),
    "a cloud key": re.compile(r"\bAKIA[A-Z0-9]{16}\b"),
}


def test_no_file_names_where_packages_were_fetched_from() -> None:
    assert [name for name, text in texts().items() if HOSTS.search(text)] == []


@pytest.mark.parametrize("pattern", SECRETS.values(), ids=SECRETS.keys())
def test_no_file_holds_something_that_looks_like_a_secret(pattern: re.Pattern[str]) -> None:
    assert [name for name, text in texts().items() if pattern.search(text)] == []


def test_every_directory_of_tests_is_a_package() -> None:
    directories = {
        path.parent for path in project_files() if path.match("tests/**/*.py") or path.parent == ROOT / "tests"
    }
    assert [str(directory) for directory in directories if not (directory / "__init__.py").exists()] == []


def test_no_file_has_a_name_that_says_nothing() -> None:
    empty = {"utils", "helpers", "common", "manager", "base", "util", "helper", "misc"}
    sources = [path for path in project_files() if path.suffix == ".py"]
    assert [str(path) for path in sources if path.stem in empty or path.parent.name in empty] == []


def test_every_link_within_the_documents_leads_somewhere() -> None:
    broken = [
        f"{name}: {target}"
        for name, text in texts(".md").items()
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", text)
        if not ((ROOT / name).parent / target).exists()
    ]
    assert broken == []


def yaml_blocks() -> Iterator[tuple[str, str]]:
    for name, text in texts(".md").items():
        for block in re.findall(r"^```ya?ml\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            yield name, block


def test_settings_shown_in_the_documents_are_known_to_the_example() -> None:
    known = set(yaml.safe_load((ROOT / "config.example.yaml").read_text("utf-8")))
    unknown = []
    for name, block in yaml_blocks():
        shown = yaml.safe_load(block)
        if isinstance(shown, dict) and known & set(shown):
            unknown += [f"{name}: {key}" for key in set(shown) - known]
    assert unknown == []
