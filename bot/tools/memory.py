"""Memories: what a persona keeps in mind about a person, or about a group."""

from gettext import gettext as _

from pydantic import Field

from bot.store import memories
from bot.store.database import Tx
from bot.store.memories import Owner
from bot.tools.answers import counted, listing, quoted
from bot.tools.arguments import Id, MemoryText, Query
from bot.tools.spec import ToolContext, ToolFailure, ToolInput, ToolSpec

SPECIALIST = "memory_worker"

BEFORE_UPDATE = 300
"""Most characters of the old text that a change shows; the new one counts more."""


class ReadMemories(ToolInput):
    query: Query | None = Field(
        default=None, description="Words that must all occur in a memory. Leave it out to read all memories."
    )


class SaveMemory(ToolInput):
    text: MemoryText = Field(description="What to remember: one fact in a full sentence.")


class UpdateMemory(ToolInput):
    memory_id: Id = Field(description="The number of the memory, as read_persona_memories shows it.")
    text: MemoryText = Field(description="What the memory should say from now on, in full.")


class DeleteMemory(ToolInput):
    memory_id: Id = Field(description="The number of the memory, as read_persona_memories shows it.")


def _owner(context: ToolContext) -> Owner:
    return Owner(context.persona_id, context.scope)


async def _read(context: ToolContext, arguments: ReadMemories) -> str:
    found = await context.store.tx(memories.read, _owner(context), arguments.query or "")
    if not found and arguments.query is None:
        return "Nothing is remembered here yet."
    if not found:
        return (
            f"No memory holds all the words of {quoted(arguments.query or '')}. Use fewer words, or read all memories."
        )
    items = [f"{memory.id}. {memory.text}" for memory in found]
    head = f"{counted(len(found), 'memory', 'memories')}, the latest first:"
    return listing(head, items, len(found), "Read them with a query.")


async def _save(context: ToolContext, arguments: SaveMemory) -> str:
    memory_id = await context.store.tx(memories.add, _owner(context), arguments.text, context.now)
    return f"Memory {memory_id} was saved."


def _confirm_save(_tx: Tx, _context: ToolContext, arguments: SaveMemory) -> str:
    return _("Remember: {text}").format(text=quoted(arguments.text))


async def _update(context: ToolContext, arguments: UpdateMemory) -> str:
    owner = _owner(context)
    if not await context.store.tx(memories.update, owner, arguments.memory_id, arguments.text, context.now):
        raise _missing(arguments.memory_id)
    return f"Memory {arguments.memory_id} was changed."


def _confirm_update(tx: Tx, context: ToolContext, arguments: UpdateMemory) -> str:
    memory = _existing(tx, context, arguments.memory_id)
    return _("Change the memory {id} from {old} to {new}").format(
        id=memory.id, old=quoted(memory.text, BEFORE_UPDATE), new=quoted(arguments.text)
    )


async def _delete(context: ToolContext, arguments: DeleteMemory) -> str:
    if not await context.store.tx(memories.delete, _owner(context), arguments.memory_id):
        raise _missing(arguments.memory_id)
    return f"Memory {arguments.memory_id} was deleted."


def _confirm_delete(tx: Tx, context: ToolContext, arguments: DeleteMemory) -> str:
    memory = _existing(tx, context, arguments.memory_id)
    return _("Forget the memory {id}: {text}").format(id=memory.id, text=quoted(memory.text))


def _existing(tx: Tx, context: ToolContext, memory_id: int) -> memories.Memory:
    memory = memories.get(tx, _owner(context), memory_id)
    if memory is None:
        raise _missing(memory_id)
    return memory


def _missing(memory_id: int) -> ToolFailure:
    return ToolFailure(
        "not_found",
        _("There is no memory {id} here, so nothing was changed. Read the memories first.").format(id=memory_id),
    )


read_persona_memories = ToolSpec(
    name="read_persona_memories",
    specialist=SPECIALIST,
    description="Reads what is remembered about this person, or in a group about this group, each with its number.",
    input=ReadMemories,
    handler=_read,
    idempotent=True,
)
save_persona_memory = ToolSpec(
    name="save_persona_memory",
    specialist=SPECIALIST,
    description="Remembers a lasting fact about this person or group for later conversations.",
    input=SaveMemory,
    handler=_save,
    confirmation=_confirm_save,
    mutates_data=True,
)
update_persona_memory = ToolSpec(
    name="update_persona_memory",
    specialist=SPECIALIST,
    description="Replaces the text of a memory that is no longer right.",
    input=UpdateMemory,
    handler=_update,
    confirmation=_confirm_update,
    mutates_data=True,
    idempotent=True,
)
delete_persona_memory = ToolSpec(
    name="delete_persona_memory",
    specialist=SPECIALIST,
    description="Forgets one memory for good, by its number.",
    input=DeleteMemory,
    handler=_delete,
    confirmation=_confirm_delete,
    mutates_data=True,
    destructive=True,
)
