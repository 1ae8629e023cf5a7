from bot.store.database import Store
from tests.bot.tools.calls import Caller, caller


async def save(here: Caller, text: str) -> int:
    return int((await here.call("save_persona_memory", text=text)).split()[1])


async def test_memory_is_saved_changed_read_and_forgotten(store: Store) -> None:
    here = caller(store)
    assert await here.call("read_persona_memories") == "Nothing is remembered here yet."
    assert await here.confirm("save_persona_memory", text="Likes tea") == "Remember: “Likes tea”"
    number = await save(here, "Likes tea")
    assert (
        await here.confirm("update_persona_memory", memory_id=number, text="Likes coffee")
        == f"Change the memory {number} from “Likes tea” to “Likes coffee”"
    )
    for _ in range(2):
        assert (
            await here.call("update_persona_memory", memory_id=number, text="Likes coffee")
            == f"Memory {number} was changed."
        )
    assert await here.call("read_persona_memories") == f"1 memory, the latest first:\n{number}. Likes coffee"
    assert (
        await here.confirm("delete_persona_memory", memory_id=number) == f"Forget the memory {number}: “Likes coffee”"
    )
    assert await here.call("delete_persona_memory", memory_id=number) == f"Memory {number} was deleted."
    assert await here.failure("delete_persona_memory", memory_id=number)


async def test_query_narrows_what_is_read(store: Store) -> None:
    here = caller(store)
    await save(here, "Likes tea")
    number = await save(here, "喜欢喝茶")
    assert await here.call("read_persona_memories", query="茶") == f"1 memory, the latest first:\n{number}. 喜欢喝茶"
    assert (await here.call("read_persona_memories", query="% OR tea")).startswith(
        "No memory holds all the words of “% OR"
    )


async def test_group_never_hears_what_was_said_in_private(store: Store) -> None:
    here = caller(store)
    number = await save(here, "Told in private")
    for other in (here.elsewhere("chat:tg:-7"), here.by("other")):
        assert await other.call("read_persona_memories") == "Nothing is remembered here yet."
        assert f"no memory {number}" in await other.failure("update_persona_memory", memory_id=number, text="x")
        assert f"no memory {number}" in await other.failure("delete_persona_memory", memory_id=number)
    assert "Told in private" in await here.call("read_persona_memories")


async def test_long_reading_is_cut_and_says_how_much(store: Store) -> None:
    here = caller(store)
    for _ in range(9):
        await save(here, "long " * 399)
    shown = await here.call("read_persona_memories")
    assert len(shown) <= 8_000
    assert shown.endswith("\n(6 more left out. Read them with a query.)")
