"""Filling in a modal, with the checks that Slack's client makes before it submits."""

from typing import Any

from tests.fakes.slack.acting import option
from tests.fakes.slack.errors import Impossible, Json
from tests.fakes.slack.seen import unescaped
from tests.fakes.slack.views import View


def fill(view: View, values: dict[str, Any], *, forged: bool) -> None:
    """`values` by label, block_id or action_id; a list is filled with the label of an option. Raises Impossible."""
    left = dict(values)
    for block in view.body["blocks"]:
        if block["type"] != "input":
            continue
        element = block["element"]
        names = (block["block_id"], element.get("action_id", ""), unescaped(block["label"]["text"]))
        named = next((name for name in names if name in left), None)
        states = view.values.setdefault(block["block_id"], {})
        action = element.get("action_id", "")
        if named is not None:
            states[action] = _state(element, left.pop(named))
        elif action not in states:
            states[action] = _first_state(element)
        if not forged:
            _check(block, states[action])
    if left:
        raise Impossible(f"the view has no field {sorted(left)}")


def _state(element: Json, value: Any) -> Json:
    kind = element["type"]
    if kind in ("static_select", "radio_buttons"):
        return {"type": kind, "selected_option": None if value is None else option(element, value)}
    if kind == "checkboxes" or kind == "multi_static_select":
        return {"type": kind, "selected_options": [option(element, each) for each in value]}
    if kind == "users_select":
        return {"type": kind, "selected_user": value}
    return {"type": kind, "value": value}


def _first_state(element: Json) -> Json:
    kind = element["type"]
    if kind in ("static_select", "radio_buttons"):
        return {"type": kind, "selected_option": element.get("initial_option")}
    if kind == "checkboxes" or kind == "multi_static_select":
        return {"type": kind, "selected_options": element.get("initial_options", [])}
    if kind == "users_select":
        return {"type": kind, "selected_user": element.get("initial_user")}
    return {"type": kind, "value": element.get("initial_value")}


def _check(block: Json, state: Json) -> None:
    element, label = block["element"], block["label"]["text"]
    filled = next((value for name, value in state.items() if name != "type"), None)
    if not filled and not block.get("optional", False):
        raise Impossible(f"{label!r} must be filled in")
    if isinstance(filled, str):
        if len(filled) > element.get("max_length", 3000):
            raise Impossible(f"{label!r} takes no more than {element.get('max_length', 3000)} characters")
        if len(filled) < element.get("min_length", 0):
            raise Impossible(f"{label!r} takes no fewer than {element['min_length']} characters")
