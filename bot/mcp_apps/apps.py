"""The MCP servers that we offer, written out."""

from collections.abc import Iterable
from typing import Any

from bot.mcp_apps.spec import McpAppSpec
from bot.tools.form import ask_form
from bot.tools.knowledge import (
    add_persona_knowledge,
    delete_persona_document,
    list_persona_documents,
    search_persona_knowledge,
)
from bot.tools.memory import (
    delete_persona_memory,
    read_persona_memories,
    save_persona_memory,
    update_persona_memory,
)
from bot.tools.notes import add_note, delete_note, list_notes
from bot.tools.silent_exit import silent_exit
from bot.tools.spec import ToolSpec

_ASKS = "What changes something asks a person in the chat first: the call answers when they have decided."

APPS: tuple[McpAppSpec, ...] = (
    McpAppSpec("system", "Askfirst: the run", "How the run that the token belongs to ends.", (silent_exit,)),
    McpAppSpec(
        "knowledge",
        "Askfirst: knowledge",
        f"Documents that the persona knows, the same in every conversation. {_ASKS}",
        (search_persona_knowledge, list_persona_documents, add_persona_knowledge, delete_persona_document),
    ),
    McpAppSpec(
        "interactive-form",
        "Askfirst: forms",
        "Asks the person whom the token stands for, in their chat: the call answers when they have.",
        (ask_form,),
    ),
    McpAppSpec(
        "notes",
        "Askfirst: notes",
        f"Notes that a person, or a group together, keeps. {_ASKS}",
        (list_notes, add_note, delete_note),
    ),
    McpAppSpec(
        "memory",
        "Askfirst: memory",
        f"What the persona remembers of a person, or of a group. {_ASKS}",
        (read_persona_memories, save_persona_memory, update_persona_memory, delete_persona_memory),
    ),
)


def functions(apps: Iterable[McpAppSpec]) -> tuple[ToolSpec[Any], ...]:
    """The tools that come with the apps themselves, which the toolbox must know."""
    return tuple(tool.spec for app in apps for tool in app.functions)
