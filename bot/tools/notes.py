"""Notes: a list that a person, or a group together, keeps through the persona."""

from gettext import gettext as _

from pydantic import Field

from bot.store import notes
from bot.store.database import Tx
from bot.tools.answers import counted, listing, quoted
from bot.tools.arguments import Id, NoteText, Nothing
from bot.tools.spec import ToolContext, ToolFailure, ToolInput, ToolSpec

SPECIALIST = "notes_worker"

LISTED = 200
"""Most notes that are looked at for one answer; fewer fit in it unless they are short."""


class AddNote(ToolInput):
    text: NoteText = Field(description="The note, as it should be kept.")


class DeleteNote(ToolInput):
    note_id: Id = Field(description="The number of the note, as list_notes shows it.")


async def _list(context: ToolContext, _arguments: Nothing) -> str:
    found, total = await context.store.tx(_listed, context.scope)
    if not total:
        return "There are no notes."
    items = [f"{note.id}. {note.text}" for note in found]
    return listing(f"{counted(total, 'note', 'notes')}, the newest first:", items, total, "Only older ones.")


def _listed(tx: Tx, scope: str) -> tuple[tuple[notes.Note, ...], int]:
    return notes.listed(tx, scope, LISTED), notes.count(tx, scope)


async def _add(context: ToolContext, arguments: AddNote) -> str:
    note_id = await context.store.tx(notes.add, context.scope, arguments.text, context.user, context.now)
    return f"Note {note_id} was added."


def _confirm_add(_tx: Tx, _context: ToolContext, arguments: AddNote) -> str:
    return _("Add the note: {text}").format(text=quoted(arguments.text))


async def _delete(context: ToolContext, arguments: DeleteNote) -> str:
    if not await context.store.tx(notes.delete, context.scope, arguments.note_id):
        raise _missing(arguments.note_id)
    return f"Note {arguments.note_id} was deleted."


def _confirm_delete(tx: Tx, context: ToolContext, arguments: DeleteNote) -> str:
    note = notes.get(tx, context.scope, arguments.note_id)
    if note is None:
        raise _missing(arguments.note_id)
    return _("Delete the note {id}: {text}").format(id=note.id, text=quoted(note.text))


def _missing(note_id: int) -> ToolFailure:
    return ToolFailure(
        "not_found",
        _("There is no note {id} here, so nothing was deleted. Look at the list of notes.").format(id=note_id),
    )


list_notes = ToolSpec(
    name="list_notes",
    specialist=SPECIALIST,
    description="Shows the notes that were kept here, each with its number, the newest first.",
    input=Nothing,
    handler=_list,
    idempotent=True,
)
add_note = ToolSpec(
    name="add_note",
    specialist=SPECIALIST,
    description="Keeps a note: something to do, to buy or to look up again.",
    input=AddNote,
    handler=_add,
    confirmation=_confirm_add,
    mutates_data=True,
)
delete_note = ToolSpec(
    name="delete_note",
    specialist=SPECIALIST,
    description="Deletes one note for good, by its number.",
    input=DeleteNote,
    handler=_delete,
    confirmation=_confirm_delete,
    mutates_data=True,
    destructive=True,
)
