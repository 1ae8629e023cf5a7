"""Blocks and views for the fake's own tests."""

from typing import Any

Json = dict[str, Any]


def section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def button(label: str, value: str, action_id: str, **more: Any) -> Json:
    return {"type": "button", "text": plain(label), "value": value, "action_id": action_id, **more}


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


CARD = [
    section("*Send it?*"),
    actions(button("Approve", "yes", "approve", style="primary"), button("Reject", "no", "reject", style="danger")),
]


def text_input(label: str, block_id: str, **more: Any) -> Json:
    element = {"type": "plain_text_input", "action_id": "value"}
    return {"type": "input", "block_id": block_id, "label": plain(label), "element": element, **more}


def modal(*blocks: Json, **more: Any) -> Json:
    return {
        "type": "modal",
        "callback_id": "settings",
        "title": plain("Settings"),
        "submit": plain("Save"),
        "blocks": list(blocks) or [text_input("Name", "name")],
        **more,
    }
