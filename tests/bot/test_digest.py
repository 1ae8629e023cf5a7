"""What was shown is what runs: anything else has another digest."""

import pytest

from bot.domain.digest import call_digest, canonical, fingerprint


def test_the_order_of_arguments_does_not_matter_and_nothing_else_is_lost() -> None:
    assert canonical({"b": 1, "a": [2, {"d": "ä", "c": None}]}) == '{"a":[2,{"c":null,"d":"ä"}],"b":1}'
    assert canonical({"a": [1, 2]}) != canonical({"a": [2, 1]})
    assert canonical({"a": 1}) != canonical({"a": "1"})
    assert canonical({"a": "\u00e9"}) != canonical({"a": "e\u0301"})


def test_numbers_that_json_does_not_know_are_refused() -> None:
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not JSON compliant"):
            canonical({"a": number})


def test_capability_definition_and_arguments_all_count() -> None:
    same = call_digest("builtin/a", "def", "{}")
    assert same == call_digest("builtin/a", "def", "{}")
    others = [
        call_digest("builtin/b", "def", "{}"),
        call_digest("builtin/a", "deg", "{}"),
        call_digest("builtin/a", "def", "[]"),
    ]
    assert len({same, *others}) == 4
    assert call_digest("builtin/ade", "f", "{}") != call_digest("builtin/a", "def", "{}")


def test_a_tool_that_says_something_else_is_another_tool() -> None:
    same = fingerprint("a", "Reads.", {"type": "object"}, (False, True))
    assert same == fingerprint("a", "Reads.", {"type": "object"}, (False, True))
    changed = [
        fingerprint("b", "Reads.", {"type": "object"}, (False, True)),
        fingerprint("a", "Reads!", {"type": "object"}, (False, True)),
        fingerprint("a", "Reads.", {"type": "object", "x": 1}, (False, True)),
        fingerprint("a", "Reads.", {"type": "object"}, (True, True)),
    ]
    assert len({same, *changed}) == 5


def test_half_a_character_does_not_stop_the_reckoning() -> None:
    assert len(call_digest("builtin/a", "def", canonical({"a": "\ud83d"}))) == 64
