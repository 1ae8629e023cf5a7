"""What Slack takes of blocks and modals: the shapes by its schema, lengths and counts by the limits it documents."""

import json
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import jsonschema

_FILE = Path(__file__).parents[2] / "fakes" / "schemas" / "slack.schema.json"
_LONGEST = {"header": 150, "section": 3000}


@cache
def _validator(kind: str) -> jsonschema.Draft7Validator:
    document = json.loads(_FILE.read_text(encoding="utf-8"))
    return jsonschema.Draft7Validator({"definitions": document["definitions"], **document[kind]})


def assert_takes(blocks: list[dict[str, Any]]) -> None:
    """That a message may have these blocks."""
    _validator("blocks").validate(blocks)
    assert 0 < len(blocks) <= 50
    assert sum(len(text) for text in strings(blocks)) <= 13_200
    assert len([block for block in blocks if block["type"] == "table"]) <= 1
    ids = [button["action_id"] for button in _of_type(blocks, "button")]
    assert len(ids) == len(set(ids))
    for piece in pieces(blocks):
        _assert_piece(piece)


def assert_takes_modal(view: dict[str, Any]) -> None:
    _validator("modal").validate(view)
    assert 0 < len(view["blocks"]) <= 100
    assert len(view["private_metadata"]) <= 3000
    assert all(0 < len(view[name]["text"]) <= 24 for name in ("title", "submit", "close"))
    ids = [block["block_id"] for block in view["blocks"] if "block_id" in block]
    assert len(ids) == len(set(ids))
    for piece in pieces(view["blocks"]):
        _assert_piece(piece)
    for option in _options(view):
        assert 0 < len(option["text"]["text"]) <= 75
        assert 0 < len(option["value"]) <= 150


def pieces(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in it that says what it is."""
    if isinstance(value, dict):
        if "type" in value:
            yield value
        for inner in value.values():
            yield from pieces(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from pieces(inner)


def strings(value: Any) -> Iterator[str]:
    """Every text and address in it, in order."""
    for piece in pieces(value):
        for key in ("text", "url"):
            if isinstance(piece.get(key), str):
                yield piece[key]


def read(blocks: Any) -> str:
    """What is to be read in it, without the labels of buttons."""
    shown = (block for block in blocks if block["type"] != "actions")
    return "\n".join(_read(piece) for block in shown for piece in pieces(block) if isinstance(piece.get("text"), str))


def _read(piece: dict[str, Any]) -> str:
    text: str = piece["text"]
    return unescape(text) if piece["type"] == "plain_text" else text


def _assert_piece(piece: dict[str, Any]) -> None:
    kind = piece["type"]
    assert kind not in (
        "user",
        "usergroup",
        "broadcast",
        "channel",
        "emoji",
        "team",
        "date",
        "color",
        "mrkdwn",
        "markdown",
    )
    for key in ("text", "elements", "rows", "url", "options"):
        assert piece.get(key) != "", piece
        assert piece.get(key) != [], piece
    if kind in _LONGEST:
        assert len(piece["text"]["text"]) <= _LONGEST[kind]
    if kind == "plain_text":
        assert not set("<>") & set(piece["text"])
        assert len(piece["text"]) <= 3000
    if kind == "actions":
        assert len(piece["elements"]) <= 25
    if kind == "button":
        _assert_button(piece)
    if kind == "rich_text_list":
        assert 0 <= piece["indent"] <= 8
    if kind == "table":
        _assert_table(piece)
    if kind == "link":
        assert piece["url"].lower().startswith(("https://", "http://", "mailto:"))


def _assert_button(button: dict[str, Any]) -> None:
    assert len(button["text"]["text"]) <= 75
    assert 0 < len(button["value"]) <= 2000
    assert len(button["action_id"]) <= 255
    if confirm := button.get("confirm"):
        for name, most in (("title", 100), ("text", 300), ("confirm", 30), ("deny", 30)):
            assert 0 < len(confirm[name]["text"]) <= most


def _assert_table(table: dict[str, Any]) -> None:
    assert len(table["rows"]) <= 100
    assert all(0 < len(row) <= 20 for row in table["rows"])
    assert len({len(row) for row in table["rows"]}) == 1
    assert sum(len(text) for text in strings(table["rows"])) <= 10_000


def _of_type(value: Any, kind: str) -> list[dict[str, Any]]:
    return [piece for piece in pieces(value) if piece["type"] == kind]


def _options(view: dict[str, Any]) -> list[dict[str, Any]]:
    return [option for select in _of_type(view, "static_select") for option in select["options"]]
