import asyncio
import shutil
from pathlib import Path

import pytest

from bot.store.database import SqliteStore, Store
from bot.web.transcript import StoredTranscript
from channels.errors import NotSent

CHAT = "web:ada"


async def said(transcript: StoredTranscript, *ids: str, chat: str = CHAT) -> None:
    for name in ids:
        await transcript.append(chat, name, "web:ada", f"body of {name}", 100.0)


async def test_messages_stand_in_the_order_in_which_they_came(store: Store) -> None:
    transcript = StoredTranscript(store)
    await said(transcript, "a", "b", "c")
    page = await transcript.page(CHAT, None, 10)
    assert [line.id for line in page.lines] == ["a", "b", "c"]
    assert [line.change for line in page.lines] == [1, 2, 3]
    assert (page.change, page.more) == (3, False)


async def test_a_repeat_changes_nothing(store: Store) -> None:
    transcript = StoredTranscript(store)
    await said(transcript, "a", "a")
    page = await transcript.page(CHAT, None, 10)
    assert [(line.id, line.change) for line in page.lines] == [("a", 1)]


async def test_a_replaced_message_keeps_its_place_and_counts_as_a_change(store: Store) -> None:
    transcript = StoredTranscript(store)
    await said(transcript, "a", "b")
    assert await transcript.replace(CHAT, "a", "other", 200.0)
    page = await transcript.page(CHAT, None, 10)
    assert [(line.id, line.body, line.edited_at) for line in page.lines] == [
        ("a", "other", 200.0),
        ("b", "body of b", None),
    ]
    assert [(line.id, line.change) for line in await transcript.since(CHAT, 2, 10)] == [("a", 3)]


async def test_what_is_not_there_is_not_replaced(store: Store) -> None:
    transcript = StoredTranscript(store)
    await said(transcript, "a")
    await transcript.remove(CHAT, "a", 200.0)
    assert not await transcript.replace(CHAT, "a", "other", 300.0)
    assert not await transcript.replace(CHAT, "b", "other", 300.0)


async def test_a_removed_message_is_told_as_a_change_without_its_words(store: Store) -> None:
    transcript = StoredTranscript(store)
    await said(transcript, "a", "b")
    await transcript.remove(CHAT, "a", 200.0)
    await transcript.remove(CHAT, "a", 300.0)
    assert [line.id for line in (await transcript.page(CHAT, None, 10)).lines] == ["b"]
    [gone] = await transcript.since(CHAT, 2, 10)
    assert (gone.id, gone.removed, gone.body, gone.change) == ("a", True, "", 3)


async def test_a_removed_message_that_is_sent_again_comes_back_in_its_place(store: Store) -> None:
    transcript = StoredTranscript(store)
    await said(transcript, "a", "b")
    await transcript.remove(CHAT, "a", 200.0)
    await said(transcript, "a")
    page = await transcript.page(CHAT, None, 10)
    assert [(line.id, line.body) for line in page.lines] == [("a", "body of a"), ("b", "body of b")]
    assert page.change == 4


async def test_a_page_is_the_newest_and_says_whether_there_is_more(store: Store) -> None:
    transcript = StoredTranscript(store)
    await said(transcript, *"abcde")
    newest = await transcript.page(CHAT, None, 2)
    assert ([line.id for line in newest.lines], newest.more) == (["d", "e"], True)
    before = await transcript.page(CHAT, newest.lines[0].order, 3)
    assert ([line.id for line in before.lines], before.more) == (["a", "b", "c"], False)


async def test_changes_are_read_in_portions(store: Store) -> None:
    transcript = StoredTranscript(store)
    await said(transcript, *"abcde")
    assert [line.id for line in await transcript.since(CHAT, 1, 2)] == ["b", "c"]


async def test_conversations_do_not_see_each_other(store: Store) -> None:
    transcript = StoredTranscript(store)
    await said(transcript, "a")
    await said(transcript, "a", "b", chat="web:bea")
    assert [line.id for line in (await transcript.page(CHAT, None, 10)).lines] == ["a"]
    assert (await transcript.page("web:bea", None, 10)).change == 2


async def test_changes_made_at_the_same_time_each_get_a_number_of_their_own(store: Store) -> None:
    transcript = StoredTranscript(store)
    await asyncio.gather(*(said(transcript, f"m{number}") for number in range(20)))
    changes = [line.change for line in await transcript.since(CHAT, 0, 100)]
    assert changes == list(range(1, 21))


async def test_trouble_with_the_store_is_told_in_the_words_of_channels(tmp_path: Path, sqlite_template: Path) -> None:
    store = SqliteStore(shutil.copy(sqlite_template, tmp_path / "askfirst.db"))
    await store.close()
    with pytest.raises(NotSent):
        await said(StoredTranscript(store), "a")
