"""Which error codes a method may answer with, and which scopes a bot needs for it."""

import json
from functools import cache
from pathlib import Path

from tests.fakes.slack.added import CODES
from tests.fakes.slack.errors import Json

_FILE = Path(__file__).parent.parent / "schemas" / "slack_errors.json"

UNKNOWN_METHOD = "unknown_method"
"""The answer where there is no method whose codes could be looked up."""


@cache
def _document() -> Json:
    document: Json = json.loads(_FILE.read_text(encoding="utf-8"))
    document["methods"].update(CODES)
    return document


def _entry(method: str) -> Json:
    entry: Json = _document()["methods"].get(method, {})
    return entry


@cache
def allowed(method: str) -> frozenset[str]:
    """Every code that the method's page or the common list holds."""
    if method not in _document()["methods"]:
        return frozenset({UNKNOWN_METHOD, *_document()["common"]})
    return frozenset((*_document()["common"], *_entry(method)["errors"]))


def first_allowed(method: str, *wanted: str) -> str:
    """The most telling of some codes that this method knows. Raises KeyError when it knows none."""
    for code in wanted:
        if code in allowed(method):
            return code
    raise KeyError(f"{method} answers with none of {wanted}")


def every() -> frozenset[str]:
    """All codes of all methods."""
    methods: Json = _document()["methods"]
    return frozenset((*_document()["common"], *(code for entry in methods.values() for code in entry["errors"])))


@cache
def scopes(method: str) -> tuple[str, ...]:
    """Any one of them is enough; none are needed where there are none."""
    return tuple(_entry(method).get("bot_scopes", ()))


@cache
def all_scopes() -> frozenset[str]:
    """What a bot must have been granted to call everything."""
    return frozenset(scope for method in _document()["methods"] for scope in scopes(method))
