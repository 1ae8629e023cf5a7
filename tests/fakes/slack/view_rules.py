"""Rules for modals and the home tab."""

import json

from tests.fakes.slack import block_rules
from tests.fakes.slack.errors import ApiError, Json, misshapen, wrong
from tests.fakes.slack.schema import Check

_LARGEST = 250_000
_LONGEST = {"callback_id": 255, "private_metadata": 3000, "external_id": 255}
_NOT_IN_VIEWS = ("table", "markdown", "task_card", "plan", "context_actions")


def checked(view: object, check: Check, *kinds: str) -> Json:
    """The view, if it is one of `kinds` (modal, home). Raises ApiError."""
    if not isinstance(view, dict):
        raise wrong("invalid_arguments", "view is no object")
    if view.get("type") not in kinds:
        raise wrong("invalid_arguments", f"a view of type {view.get('type')!r} does not go here")
    if mistake := check(view["type"], view):
        raise wrong("invalid_arguments", f"view: {mistake}")
    if len(json.dumps(view, ensure_ascii=False).encode()) > _LARGEST:
        raise _too_large()
    found = [*_lengths(view), *block_rules.mistakes(view["blocks"], check, most=block_rules.VIEW_BLOCKS)]
    found = [mistake.replace("[json-pointer:/", "[json-pointer:/view/") for mistake in found]
    for number, block in enumerate(view["blocks"]):
        if isinstance(block, dict) and block.get("type") in _NOT_IN_VIEWS:
            found.append(f"unsupported type: {block['type']} [json-pointer:/view/blocks/{number}/type]")
    if view["type"] == "modal" and "submit" not in view and any(b.get("type") == "input" for b in view["blocks"]):
        found.append("missing required field: submit [json-pointer:/view]")
    if found:
        raise misshapen("invalid_arguments", found)
    return view


def _too_large() -> ApiError:
    return wrong("view_too_large", f"a view has at most {_LARGEST} bytes")


def _lengths(view: Json) -> list[str]:
    found: list[str] = []
    for name in ("title", "submit", "close"):
        text = view.get(name, {}).get("text", "x")
        if not 0 < len(text) <= 24:
            found.append(f"must be less than 25 characters [json-pointer:/{name}/text]")
    for name, most in _LONGEST.items():
        if len(view.get(name, "")) > most:
            found.append(f"must be less than {most + 1} characters [json-pointer:/{name}]")
    return found
