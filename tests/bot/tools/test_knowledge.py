from bot.store.database import Store
from tests.bot.tools.calls import Caller, caller


async def add(here: Caller, title: str, text: str) -> int:
    return int((await here.call("add_persona_knowledge", title=title, text=text)).split()[1].rstrip(","))


async def test_document_is_added_found_listed_and_deleted(store: Store) -> None:
    here = caller(store)
    assert await here.call("list_persona_documents") == "There are no documents."
    number = await add(here, "Opening\nhours", "We open at 9. 营业时间")
    assert await here.call("search_persona_knowledge", query="时间 OPEN") == (
        f"1 document for “时间 OPEN”, the best first:\n\nDocument {number}: Opening hours\nWe open at 9. 营业时间"
    )
    assert await here.call("list_persona_documents") == (
        f"1 document, the newest first:\n{number}. Opening hours (18 characters)"
    )
    assert await here.confirm("delete_persona_document", document_id=number) == (
        f"Delete the document {number}, “Opening hours” (18 characters), from what guide knows"
    )
    assert await here.call("delete_persona_document", document_id=number) == f"Document {number} was deleted."
    assert await here.failure("delete_persona_document", document_id=number)
    assert (await here.call("search_persona_knowledge", query="open")).startswith("No document holds all the words")


async def test_confirmation_names_title_length_persona_and_beginning(store: Store) -> None:
    here = caller(store)
    assert await here.confirm("add_persona_knowledge", title="Opening hours", text="a " * 620) == (
        "Add the document “Opening hours” (1,240 characters) to what guide knows."
        f" It begins: “{('a ' * 150).rstrip()}…” (1,240 characters)"
    )
    assert await here.confirm("add_persona_knowledge", title="T", text="x") == (
        "Add the document “T” (1 character) to what guide knows. It begins: “x”"
    )


async def test_what_another_persona_knows_does_not_exist(store: Store) -> None:
    number = await add(caller(store), "Opening hours", "We open at 9.")
    other = caller(store).by("other")
    assert await other.call("list_persona_documents") == "There are no documents."
    assert (await other.call("search_persona_knowledge", query="open")).startswith("No document")
    assert f"no document {number}" in await other.failure("delete_persona_document", document_id=number)
    assert "Opening hours" in await caller(store).elsewhere("chat:tg:-7").call("list_persona_documents")


async def test_most_results_fit_into_one_answer(store: Store) -> None:
    here = caller(store)
    for number in range(10):
        await add(here, f"{number}" + "t" * 199, "needle " + "hay " * 3_000)
    shown = await here.call("search_persona_knowledge", query="needle " + "hay " * 100, limit=10)
    assert len(shown) <= 8_000
    assert shown.count("\nDocument ") == 10


async def test_long_list_is_cut_and_says_how_much(store: Store) -> None:
    here = caller(store)
    for _ in range(50):
        await add(here, "t" * 200, "x")
    shown = await here.call("list_persona_documents")
    assert len(shown) <= 8_000
    assert "more left out. Search for them by their words.)" in shown
