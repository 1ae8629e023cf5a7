"""Rules for blocks that no schema holds: lengths, counts, unique ids.

Sources: docs.slack.dev block reference, `spec/limits.json` of slackblocks, slackapi/bolt-js#2509 for the sum.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block

from tests.fakes.slack.errors import Json
from tests.fakes.slack.schema import Check, block_types, unchecked

MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
ALL_CHARACTERS = 13_200
"""Over all blocks of one message; not documented, seen between 13,200 and 13,300."""

_TEXT = 3000
_SDK_KNOWS = ("section", "header", "actions", "context", "input", "image", "divider")
_LONGEST = {
    "button": {"value": 2000, "url": 3000},
    "plain_text_input": {"initial_value": 3000},
    "image": {"image_url": 3000, "alt_text": 2000},
}
_MOST_OPTIONS = {"overflow": 5, "checkboxes": 10, "radio_buttons": 10}


def mistakes(blocks: object, check: Check, *, most: int = MESSAGE_BLOCKS) -> list[str]:
    """What is wrong, each with `[json-pointer:…]` as Slack writes it; nothing: []."""
    if check is unchecked:
        return []
    if not isinstance(blocks, list):
        return ["must be an array [json-pointer:/blocks]"]
    if len(blocks) > most:
        return [f"no more than {most} items allowed [json-pointer:/blocks]"]
    found: list[str] = []
    for number, block in enumerate(blocks):
        found.extend(_block(block, f"/blocks/{number}", check))
    if found:
        return found
    return [*_twice(blocks), *_tables(blocks)]


def characters(blocks: Iterable[Json]) -> int:
    """Of all texts in all blocks."""
    return sum(len(text) for block in blocks for text in _strings(block))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "text" and isinstance(inner, str):
                yield inner
            else:
                yield from _strings(inner)
    if isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _block(block: object, where: str, check: Check) -> list[str]:
    if not isinstance(block, dict) or block.get("type") not in block_types():
        kind = block.get("type") if isinstance(block, dict) else block
        return [f"unsupported type: {kind} [json-pointer:{where}/type]"]
    if mistake := check(f"block:{block['type']}", block):
        return [f"failed to match all allowed schemas [json-pointer:{where}] ({mistake})"]
    found = [
        *_long(block.get("block_id"), 255, f"{where}/block_id"),
        *_RULES.get(block["type"], _nothing)(block, where),
    ]
    return found or _sdk(block, where)


def _sdk(block: Json, where: str) -> list[str]:
    """What Slack's own models refuse, for the kinds that they know well."""
    if block["type"] not in _SDK_KNOWS:
        return []
    try:
        parsed = Block.parse(block)
        if parsed is not None:
            parsed.validate_json()
    except SlackObjectFormationError as mistake:
        return [f"{mistake} [json-pointer:{where}]"]
    return []


def _twice(blocks: Sequence[Json]) -> list[str]:
    seen: set[str] = set()
    for number, block in enumerate(blocks):
        block_id = block.get("block_id")
        if block_id in seen:
            return [f"`block_id` {block_id!r} already used [json-pointer:/blocks/{number}/block_id]"]
        if block_id:
            seen.add(block_id)
    return []


def _tables(blocks: Sequence[Json]) -> list[str]:
    where = [number for number, block in enumerate(blocks) if block["type"] == "table"]
    return [f"only_one_table_allowed [json-pointer:/blocks/{where[1]}]"] if len(where) > 1 else []


def _long(text: object, most: int, where: str, *, least: int = 1) -> list[str]:
    if not isinstance(text, str):
        return []
    if len(text) > most:
        return [f"must be less than {most + 1} characters [json-pointer:{where}]"]
    return [f"must be more than {least - 1} characters [json-pointer:{where}]"] if len(text) < least else []


def _words(text: object, most: int, where: str) -> list[str]:
    """A text object, if it is there."""
    return _long(text.get("text"), most, f"{where}/text") if isinstance(text, dict) else []


def _many(items: Sequence[object], most: int, where: str, *, least: int = 1) -> list[str]:
    if len(items) > most:
        return [f"no more than {most} items allowed [json-pointer:{where}]"]
    return [f"no fewer than {least} items allowed [json-pointer:{where}]"] if len(items) < least else []


def _nothing(block: Json, where: str) -> list[str]:
    return []


def _section(block: Json, where: str) -> list[str]:
    fields = block.get("fields")
    if not block.get("text") and not fields:
        return [f"missing required field: text or fields [json-pointer:{where}]"]
    found = _words(block.get("text"), _TEXT, f"{where}/text")
    if fields is not None:
        found += _many(fields, 10, f"{where}/fields")
        for number, field in enumerate(fields):
            found += _words(field, 2000, f"{where}/fields/{number}")
    if "accessory" in block:
        found += _element(block["accessory"], f"{where}/accessory")
    return found


def _header(block: Json, where: str) -> list[str]:
    return _words(block["text"], 150, f"{where}/text")


def _context(block: Json, where: str) -> list[str]:
    found = _many(block["elements"], 10, f"{where}/elements")
    for number, element in enumerate(block["elements"]):
        place = f"{where}/elements/{number}"
        found += _element(element, place) if element["type"] == "image" else _words({**element}, _TEXT, place)
    return found


def _actions(block: Json, where: str) -> list[str]:
    found = _many(block["elements"], 25, f"{where}/elements")
    seen: set[str] = set()
    for number, element in enumerate(block["elements"]):
        place = f"{where}/elements/{number}"
        found += _element(element, place)
        action = element.get("action_id")
        if action in seen:
            found.append(f"`action_id` {action!r} already used in this block [json-pointer:{place}/action_id]")
        if action:
            seen.add(action)
    return found


def _input(block: Json, where: str) -> list[str]:
    return [
        *_words(block["label"], 2000, f"{where}/label"),
        *_words(block.get("hint"), 2000, f"{where}/hint"),
        *_element(block["element"], f"{where}/element"),
    ]


def _image(block: Json, where: str) -> list[str]:
    return [
        *_long(block.get("image_url"), 3000, f"{where}/image_url"),
        *_long(block.get("alt_text"), 2000, f"{where}/alt_text"),
        *_words(block.get("title"), 2000, f"{where}/title"),
    ]


def _markdown(block: Json, where: str) -> list[str]:
    return _long(block["text"], 12_000, f"{where}/text")


def _table(block: Json, where: str) -> list[str]:
    rows = block["rows"]
    found = _many(rows, 100, f"{where}/rows")
    for number, row in enumerate(rows):
        place = f"{where}/rows/{number}"
        found += _many(row, 20, place)
        for column, cell in enumerate(row):
            inside = f"{place}/{column}"
            found += _rich(cell, inside) if cell["type"] == "rich_text" else _long(cell.get("text"), _TEXT, inside)
    settings = block.get("column_settings", ())
    return found + (_many(settings, 20, f"{where}/column_settings", least=0) if settings else [])


def _rich(block: Json, where: str) -> list[str]:
    """No text element is empty."""
    found: list[str] = []
    for number, element in enumerate(block["elements"]):
        place = f"{where}/elements/{number}"
        items = element["elements"] if element["type"] == "rich_text_list" else [element]
        for item in items:
            for leaf in item["elements"]:
                found += _long(leaf.get("text"), 40_000, place) if leaf["type"] == "text" else []
    return found


def _element(element: Json, where: str) -> list[str]:
    kind = element["type"]
    found = _long(element.get("action_id"), 255, f"{where}/action_id")
    for name, most in _LONGEST.get(kind, {}).items():
        found += _long(element.get(name), most, f"{where}/{name}", least=0 if name == "initial_value" else 1)
    if kind == "button":
        found += _words(element["text"], 75, f"{where}/text")
    found += _words(element.get("placeholder"), 150, f"{where}/placeholder")
    if options := element.get("options"):
        found += _options(options, _MOST_OPTIONS.get(kind, 100), f"{where}/options")
    if "confirm" in element:
        found += _confirm(element["confirm"], f"{where}/confirm")
    return found


def _options(options: Sequence[Json], most: int, where: str) -> list[str]:
    found = _many(options, most, where)
    for number, option in enumerate(options):
        place = f"{where}/{number}"
        found += [*_words(option["text"], 75, f"{place}/text"), *_long(option.get("value"), 150, f"{place}/value")]
        found += _words(option.get("description"), 75, f"{place}/description")
    values = [option.get("value") for option in options]
    return (
        found if len(set(values)) == len(values) else [*found, f"option values are not unique [json-pointer:{where}]"]
    )


def _confirm(confirm: Json, where: str) -> list[str]:
    return [
        *_words(confirm.get("title"), 100, f"{where}/title"),
        *_words(confirm["text"], 300, f"{where}/text"),
        *_words(confirm.get("confirm"), 30, f"{where}/confirm"),
        *_words(confirm.get("deny"), 30, f"{where}/deny"),
    ]


_RULES: dict[str, Callable[[Json, str], list[str]]] = {
    "section": _section,
    "header": _header,
    "context": _context,
    "actions": _actions,
    "input": _input,
    "image": _image,
    "markdown": _markdown,
    "table": _table,
    "rich_text": _rich,
}
