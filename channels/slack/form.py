"""A form → a modal; a filled-in modal → what was written into it. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from channels.errors import Refused
from channels.events import Conversation
from channels.fields import Fields, Unreadable
from channels.outgoing import Field, Form
from channels.slack.limits import INPUT_HINT, INPUT_LABEL, LIMITS, MODAL_TITLE, OPTION, SECTION
from channels.slack.plain import Built, escaped, plain_text
from channels.text.characters import clean

CALLBACK = "form"
_ACTION = "value"
_BLOCK_ID = 255
_OPTIONS, _OPTION_VALUE = 100, 150


@dataclass(frozen=True, slots=True)
class Opened:
    """What a modal keeps for its answer: whose button opened it, and where that stood."""

    token: str
    where: Conversation
    private: bool


def view(form: Form, token: str, where: str, private: bool) -> Built:
    """`where` is the key of the conversation that it was opened from. Raises Refused for what Slack would refuse, and for
    values that would lose a part."""
    if not 0 < len(form.fields) <= LIMITS.forms:
        raise Refused(f"A form has at least one field and at most {LIMITS.forms}.")
    if len({field.name for field in form.fields}) < len(form.fields):
        raise Refused("Two fields of a form have the same name.")
    lead = escaped(clean(form.lead).strip(), SECTION)
    section = {"type": "section", "text": {"type": "plain_text", "text": lead, "emoji": True}}
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "private_metadata": json.dumps({"token": token, "where": where, "private": private}),
        "title": _named(form.title, MODAL_TITLE),
        "submit": _named(form.submit, MODAL_TITLE),
        "close": plain_text("Cancel", MODAL_TITLE),
        "blocks": [*([section] if lead else []), *(_input(field) for field in form.fields)],
    }


def errors(mistakes: Mapping[str, str]) -> dict[str, str]:
    """By field, for a modal that stays open."""
    return {name: clean(mistake).strip()[:INPUT_HINT] or "This cannot be taken." for name, mistake in mistakes.items()}


def opened(event_id: str, view: Fields, channel: str) -> Opened:
    """Raises Unreadable for what `view` did not write."""
    try:
        kept = json.loads(view.text("private_metadata"))
    except ValueError:
        raise Unreadable(event_id, "private_metadata", "JSON") from None
    fields = Fields(event_id, "private_metadata", kept)
    try:
        where = Conversation.parse(fields.text("where"))
    except ValueError:
        raise Unreadable(event_id, "private_metadata.where", "a conversation") from None
    if where.channel != channel:
        raise Unreadable(event_id, "private_metadata.where", "a conversation of this channel")
    return Opened(fields.text("token"), where, fields.flag("private"))


def filled(view: Fields) -> dict[str, str]:
    """By the names of the fields, in their order."""
    values = view.inside("state").inside("values")
    names = [block.text("block_id") for block in view.each("blocks") if block.text("type") == "input"]
    return {name: _written(values.inside(name).inside(_ACTION)) for name in names}


def _written(value: Fields) -> str:
    if value.has("selected_options"):
        return "\n".join(each.text("value") for each in value.each("selected_options"))
    chosen = value.maybe("selected_option")
    return chosen.text("value") if chosen else value.maybe_text("value")


def _input(field: Field) -> Built:
    if not 0 < len(field.name) <= _BLOCK_ID:
        raise Refused(f"The name of a field has 1 to {_BLOCK_ID} characters.")
    block: Built = {
        "type": "input",
        "block_id": field.name,
        "label": _named(field.label, INPUT_LABEL),
        "element": _select(field) if field.choices else _text(field),
        "optional": field.optional,
    }
    hint = plain_text(field.hint, INPUT_HINT)
    if hint["text"]:
        block["hint"] = hint
    return block


def _text(field: Field) -> Built:
    value = clean(field.value)
    if len(value) > LIMITS.field:
        raise Refused(f"A field holds at most {LIMITS.field} characters.")
    element: Built = {
        "type": "plain_text_input",
        "action_id": _ACTION,
        "multiline": field.long or "\n" in value,
        "max_length": LIMITS.field,
    }
    if value:
        element["initial_value"] = value
    return element


def _select(field: Field) -> Built:
    if len(field.choices) > _OPTIONS:
        raise Refused(f"A field has at most {_OPTIONS} choices.")
    options = {choice: _option(choice) for choice in field.choices}
    every = list(options.values())
    if field.several:
        chosen = [options[line] for line in field.value.splitlines() if line in options]
        element: Built = {"type": "multi_static_select", "action_id": _ACTION, "options": every}
        return {**element, "initial_options": chosen} if chosen else element
    element = {"type": "static_select", "action_id": _ACTION, "options": every}
    if field.value in options:
        element["initial_option"] = options[field.value]
    return element


def _option(choice: str) -> Built:
    if len(choice) > _OPTION_VALUE:
        raise Refused(f"A choice has at most {_OPTION_VALUE} characters.")
    return {"text": _named(choice, OPTION), "value": choice}


def _named(text: str, room: int) -> Built:
    made = plain_text(text, room)
    if not made["text"]:
        raise Refused("A form, its button, its fields and their choices each need a name.")
    return made
