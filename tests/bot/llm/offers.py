"""The offers of the tests: the shapes that the built-in tools have, and workers that list them."""

from typing import Any

from bot.llm.port import Offer
from bot.tools.registry import BUILT_IN

TEXT: dict[str, Any] = {"type": "string"}
WHOLE: dict[str, Any] = {"type": "integer"}
PERHAPS: dict[str, Any] = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}


def offer(name: str, description: str, arguments: dict[str, Any]) -> Offer:
    """An offer whose arguments are required unless they have a default."""
    schema = {
        "type": "object",
        "properties": arguments,
        "required": [key for key, part in arguments.items() if "default" not in part],
        "additionalProperties": False,
    }
    return Offer(name, description, schema)


TOOLS = (
    offer("search_persona_knowledge", "Search what the persona's documents say.", {"query": TEXT}),
    offer("list_persona_documents", "List the documents that the persona knows.", {}),
    offer("add_persona_knowledge", "Add a document to the persona's knowledge.", {"title": TEXT, "text": TEXT}),
    offer("delete_persona_document", "Delete a document from the knowledge.", {"document_id": WHOLE}),
    offer("read_persona_memories", "Read what was remembered.", {}),
    offer("save_persona_memory", "Remember a fact.", {"text": TEXT}),
    offer("update_persona_memory", "Change a memory.", {"memory_id": WHOLE, "text": TEXT}),
    offer("delete_persona_memory", "Forget a memory.", {"memory_id": WHOLE}),
    offer("list_notes", "List the notes of this chat.", {}),
    offer("add_note", "Add a note to this chat.", {"text": TEXT}),
    offer("delete_note", "Delete a note of this chat.", {"note_id": WHOLE}),
    offer("current_time", "Tell the date and time.", {"timezone": PERHAPS}),
    offer("silent_exit", "End without a reply.", {"reason": PERHAPS}),
)

HOUSE = tuple(Offer(spec.name, spec.description, spec.schema()) for spec in BUILT_IN)
"""The built-in tools as they are really offered."""

WORKERS = (
    offer(
        "delegate_to_notes",
        "Hand a task to the notes worker. Tools: list_notes, add_note, delete_note.",
        {"task": TEXT},
    ),
    offer(
        "delegate_to_knowledge",
        "Hand over a task. Tools: search_persona_knowledge, list_persona_documents.",
        {"task": TEXT},
    ),
    offer("delegate_to_memory", "Reads, saves and changes memories.", {"task": TEXT}),
    offer("delegate_to_clock", "Tools: current_time (tell the date and time).", {"task": TEXT}),
)


def tool(name: str) -> Offer:
    """One of TOOLS."""
    return next(one for one in TOOLS if one.name == name)
