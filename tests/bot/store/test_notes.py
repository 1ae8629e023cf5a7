import pytest

from bot.store import documents, memories, notes
from bot.store.database import SqliteStore, Store, Tx
from bot.store.memories import Owner
from bot.store.tables import metadata

HERE = "chat:tg:-7"


async def test_newest_note_comes_first_and_the_rest_is_counted(store: Store) -> None:
    for text in ("one", "two", "three"):
        await store.tx(notes.add, HERE, text, "tg:1", 1.0)
    assert [note.text for note in await store.tx(notes.listed, HERE, 2)] == ["three", "two"]
    assert await store.tx(notes.count, HERE) == 3


async def test_other_scope_neither_sees_nor_touches_a_note(store: Store) -> None:
    number = await store.tx(notes.add, HERE, "buy milk", "tg:1", 1.0)
    assert await store.tx(notes.listed, "user:tg:1", 10) == ()
    assert await store.tx(notes.count, "user:tg:1") == 0
    assert await store.tx(notes.get, "user:tg:1", number) is None
    assert not await store.tx(notes.delete, "user:tg:1", number)
    assert await store.tx(notes.get, HERE, number) == notes.Note(number, "buy milk", "tg:1", 1.0)


async def test_second_delete_finds_nothing(store: Store) -> None:
    number = await store.tx(notes.add, HERE, "buy milk", "tg:1", 1.0)
    assert await store.tx(notes.delete, HERE, number)
    assert not await store.tx(notes.delete, HERE, number)


@pytest.mark.parametrize("shelf", ["notes", "memories", "documents"])
async def test_number_of_a_deleted_thing_never_means_another(store: Store, shelf: str) -> None:
    """A waiting approval names the number: given to a new thing, the wrong one would be deleted."""
    if isinstance(store, SqliteStore) and not metadata.tables[shelf].dialect_options["sqlite"]["autoincrement"]:
        pytest.xfail("SQLite gives the highest number again unless the table says sqlite_autoincrement")

    def twice(tx: Tx) -> tuple[int, int]:
        owner = Owner("guide", HERE)
        if shelf == "notes":
            old = notes.add(tx, HERE, "old", "tg:1", 1.0)
            notes.delete(tx, HERE, old)
            return old, notes.add(tx, HERE, "new", "tg:1", 1.0)
        if shelf == "memories":
            old = memories.add(tx, owner, "old", 1.0)
            memories.delete(tx, owner, old)
            return old, memories.add(tx, owner, "new", 1.0)
        old = documents.add(tx, "guide", "old", "old", "tg:1", 1.0)
        documents.delete(tx, "guide", old)
        return old, documents.add(tx, "guide", "new", "new", "tg:1", 1.0)

    old, new = await store.tx(twice)
    assert new > old
