from bot.store import memories
from bot.store.database import Store
from bot.store.memories import Owner

ALICE = Owner("guide", "user:web:alice")
OTHERS = (Owner("guide", "user:web:bob"), Owner("guide", "chat:tg:-7"), Owner("other", "user:web:alice"))


async def test_latest_memory_comes_first(store: Store) -> None:
    first = await store.tx(memories.add, ALICE, "Likes tea", 1.0)
    second = await store.tx(memories.add, ALICE, "Lives in Ulm", 2.0)
    assert [memory.id for memory in await store.tx(memories.read, ALICE)] == [second, first]
    assert await store.tx(memories.update, ALICE, first, "Likes coffee", 3.0)
    assert [memory.text for memory in await store.tx(memories.read, ALICE)] == ["Likes coffee", "Lives in Ulm"]


async def test_memory_is_found_by_its_words(store: Store) -> None:
    for text in ("Likes ÉTÉ and tea", "喜欢喝茶", "Pays 100% in cash"):
        await store.tx(memories.add, ALICE, text, 1.0)
    for query, expected in {
        "TEA likes": ["Likes ÉTÉ and tea"],
        "été": ["Likes ÉTÉ and tea"],
        "茶": ["喜欢喝茶"],
        "0%": ["Pays 100% in cash"],
        "%": ["Pays 100% in cash"],
        "tea cash": [],
    }.items():
        assert [memory.text for memory in await store.tx(memories.read, ALICE, query)] == expected, query


async def test_other_scopes_and_personas_neither_see_nor_touch_it(store: Store) -> None:
    number = await store.tx(memories.add, ALICE, "Told in private", 1.0)
    for owner in OTHERS:
        assert await store.tx(memories.read, owner) == ()
        assert await store.tx(memories.get, owner, number) is None
        assert not await store.tx(memories.update, owner, number, "changed", 2.0)
        assert not await store.tx(memories.delete, owner, number)
    assert await store.tx(memories.get, ALICE, number) == memories.Memory(number, "Told in private", 1.0)


async def test_second_delete_finds_nothing(store: Store) -> None:
    number = await store.tx(memories.add, ALICE, "Likes tea", 1.0)
    assert await store.tx(memories.delete, ALICE, number)
    assert not await store.tx(memories.delete, ALICE, number)
