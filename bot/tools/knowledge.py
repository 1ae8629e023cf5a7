"""Knowledge: documents that a persona answers from, the same in every conversation."""

from gettext import gettext as _
from typing import Annotated

from pydantic import Field

from bot.store import documents
from bot.store.database import Tx
from bot.tools.answers import characters, counted, listing, quoted
from bot.tools.arguments import DocumentText, Id, Nothing, Query, Title
from bot.tools.spec import ToolContext, ToolFailure, ToolInput, ToolSpec

SPECIALIST = "knowledge_worker"

LISTED = 200
"""Most documents that are looked at for one list."""

OPENING = 300
"""Most characters of a new document that its confirmation shows, beside the title and the length."""

QUERY_SHOWN = 100
"""Most characters of a query that its answer repeats: the room is for what was found."""


class SearchKnowledge(ToolInput):
    query: Query = Field(
        description="A few telling words; a document is found when it holds all of them, in any order."
    )
    limit: Annotated[int, Field(ge=1, le=10)] = Field(default=5, description="How many documents to show at most.")


class AddKnowledge(ToolInput):
    title: Title = Field(description="A short title by which people recognise the document.")
    text: DocumentText = Field(description="The whole text of the document.")


class DeleteDocument(ToolInput):
    document_id: Id = Field(description="The number of the document, as list_persona_documents shows it.")


async def _search(context: ToolContext, arguments: SearchKnowledge) -> str:
    found = await context.store.tx(documents.search, context.persona_id, arguments.query, arguments.limit)
    query = quoted(arguments.query, QUERY_SHOWN)
    if not found:
        return f"No document holds all the words of {query}. Use fewer or other words, or list the documents."
    items = [f"\nDocument {hit.id}: {hit.title}\n{hit.passage}" for hit in found]
    head = f"{counted(len(found), 'document', 'documents')} for {query}, the best first:"
    return listing(head, items, len(found), "Search with more words.")


async def _list(context: ToolContext, _arguments: Nothing) -> str:
    found, total = await context.store.tx(_listed, context.persona_id)
    if not total:
        return "There are no documents."
    items = [f"{document.id}. {document.title} ({characters(document.length)})" for document in found]
    head = f"{counted(total, 'document', 'documents')}, the newest first:"
    return listing(head, items, total, "Search for them by their words.")


def _listed(tx: Tx, persona_id: str) -> tuple[tuple[documents.Document, ...], int]:
    return documents.listed(tx, persona_id, LISTED), documents.count(tx, persona_id)


async def _add(context: ToolContext, arguments: AddKnowledge) -> str:
    title = " ".join(arguments.title.split())
    document_id = await context.store.tx(
        documents.add, context.persona_id, title, arguments.text, context.user, context.now
    )
    return f"Document {document_id}, {quoted(title)}, was added."


def _confirm_add(tx: Tx, context: ToolContext, arguments: AddKnowledge) -> str:
    return _("Add the document {title} ({length}) to what {persona} knows. It begins: {text}").format(
        title=quoted(arguments.title),
        length=characters(len(arguments.text)),
        persona=documents.knower(tx, context.persona_id),
        text=quoted(arguments.text, OPENING),
    )


async def _delete(context: ToolContext, arguments: DeleteDocument) -> str:
    if not await context.store.tx(documents.delete, context.persona_id, arguments.document_id):
        raise _missing(arguments.document_id)
    return f"Document {arguments.document_id} was deleted."


def _confirm_delete(tx: Tx, context: ToolContext, arguments: DeleteDocument) -> str:
    document = documents.get(tx, context.persona_id, arguments.document_id)
    if document is None:
        raise _missing(arguments.document_id)
    return _("Delete the document {id}, {title} ({length}), from what {persona} knows").format(
        id=document.id,
        title=quoted(document.title),
        length=characters(document.length),
        persona=documents.knower(tx, context.persona_id),
    )


def _missing(document_id: int) -> ToolFailure:
    return ToolFailure(
        "not_found",
        _("There is no document {id} here, so nothing was deleted. Look at the list of documents.").format(
            id=document_id
        ),
    )


search_persona_knowledge = ToolSpec(
    name="search_persona_knowledge",
    specialist=SPECIALIST,
    description="Searches the documents that this persona knows, and shows the passage where the words occur.",
    input=SearchKnowledge,
    handler=_search,
    idempotent=True,
    untrusted=True,
)
list_persona_documents = ToolSpec(
    name="list_persona_documents",
    specialist=SPECIALIST,
    description="Lists the documents that this persona knows, each with its number and length.",
    input=Nothing,
    handler=_list,
    idempotent=True,
    untrusted=True,
)
add_persona_knowledge = ToolSpec(
    name="add_persona_knowledge",
    specialist=SPECIALIST,
    description="Adds a document to what this persona knows in every conversation.",
    input=AddKnowledge,
    handler=_add,
    confirmation=_confirm_add,
    mutates_data=True,
)
delete_persona_document = ToolSpec(
    name="delete_persona_document",
    specialist=SPECIALIST,
    description="Deletes one document for good from what this persona knows, by its number.",
    input=DeleteDocument,
    handler=_delete,
    confirmation=_confirm_delete,
    mutates_data=True,
    destructive=True,
)
