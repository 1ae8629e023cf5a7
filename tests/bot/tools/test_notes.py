from bot.store.database import Store
from tests.bot.tools.calls import caller


async def test_note_is_added_listed_and_deleted(store: Store) -> None:
    here = caller(store)
    assert await here.call("list_notes") == "There are no notes."
    added = await here.call("add_note", text="buy milk")
    number = int(added.split()[1])
    assert added == f"Note {number} was added."
    assert await here.call("list_notes") == f"1 note, the newest first:\n{number}. buy milk"
    assert await here.confirm("delete_note", note_id=number) == f"Delete the note {number}: “buy milk”"
    assert await here.call("delete_note", note_id=number) == f"Note {number} was deleted."
    assert f"no note {number}" in await here.failure("delete_note", note_id=number)


async def test_note_of_another_scope_does_not_exist(store: Store) -> None:
    here = caller(store)
    number = int((await here.call("add_note", text="buy milk")).split()[1])
    group = here.elsewhere("chat:tg:-7")
    assert await group.call("list_notes") == "There are no notes."
    assert await group.failure("delete_note", note_id=number)
    assert "buy milk" in await here.by("another persona").call("list_notes")


async def test_confirmation_shows_the_note_on_one_line_and_cuts_a_long_one(store: Store) -> None:
    here = caller(store)
    assert await here.confirm("add_note", text="buy\n\n  milk {id}") == "Add the note: “buy milk {id}”"
    assert await here.confirm("add_note", text="x" * 1_240) == f"Add the note: “{'x' * 600}…” (1,240 characters)"
    assert await here.confirm("add_note", text="pay \u202e001 \x07") == "Add the note: “pay �001 �”"
    assert await here.call("list_notes") == "There are no notes."


async def test_long_list_is_cut_and_says_how_much(store: Store) -> None:
    here = caller(store)
    for _ in range(9):
        await here.call("add_note", text="long " * 399)
    shown = await here.call("list_notes")
    assert len(shown) <= 8_000
    assert shown.startswith("9 notes, the newest first:\n")
    assert shown.endswith("\n(6 more left out. Only older ones.)")


async def test_many_short_notes_are_cut_and_counted_too(store: Store) -> None:
    here = caller(store)
    for _ in range(203):
        await here.call("add_note", text="x")
    shown = await here.call("list_notes")
    assert shown.startswith("203 notes")
    assert shown.endswith("(3 more left out. Only older ones.)")
