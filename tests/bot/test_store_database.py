"""Transactions are whole or nothing, each on its own, and trouble of the database is told in a sentence."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.errors import StoreUnavailable
from bot.store import notes, settings
from bot.store.database import GROUP, Signal, SqliteStore, Store, Tx, beat, ping
from bot.store.schema import migrate
from tests.databases import sqlite_url


class Broken(Exception):
    """A mistake in a transaction."""


def add(tx: Tx, text: str, *, breaks: bool = False) -> str:
    notes.add(tx, "here", text, "tg:1", 1.0)
    tx.tell("wake", text)
    if breaks:
        raise Broken(text)
    return text


async def kept(store: Store) -> list[str]:
    return sorted(note.text for note in await store.tx(notes.listed, "here", 1000))


async def test_of_many_transactions_at_once_only_the_broken_ones_are_undone(store: Store) -> None:
    """They may share a commit; an error is that of its own transaction."""
    told: list[Signal] = []
    store.listen(told.append)
    numbers = range(3 * GROUP)
    outcomes = await asyncio.gather(
        *(store.tx(add, f"{n:03}", breaks=n % 5 == 0) for n in numbers), return_exceptions=True
    )
    good = [f"{n:03}" for n in numbers if n % 5]
    assert [outcome for outcome in outcomes if isinstance(outcome, str)] == good
    assert sum(isinstance(outcome, Broken) for outcome in outcomes) == len(numbers) - len(good)
    assert await kept(store) == good
    assert sorted(signal.subject for signal in told) == good


async def test_nothing_is_told_of_a_transaction_that_failed(store: Store) -> None:
    told: list[Signal] = []
    store.listen(told.append)
    with pytest.raises(Broken):
        await store.tx(add, "no", breaks=True)
    await store.tx(add, "yes")
    assert told == [Signal("wake", "yes")]


async def test_a_caller_that_goes_away_leaves_a_whole_transaction(store: Store) -> None:
    task = asyncio.create_task(store.tx(add, "whole"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for _ in range(100):
        if await kept(store) == ["whole"]:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the transaction was given up")


async def test_a_bug_stays_the_error_that_it_is(store: Store) -> None:
    def twice(tx: Tx) -> None:
        for _ in range(2):
            tx.execute(sa.text("INSERT INTO settings (name, value) VALUES ('a', 'b')"))

    with pytest.raises(sa.exc.IntegrityError):
        await store.tx(twice)
    assert await store.tx(settings.get_or_put, "a", "fresh") == "fresh"


async def test_a_transaction_that_runs_out_of_something_does_not_hang_its_caller(store: Store) -> None:
    def out(_tx: Tx) -> str:
        return next(iter(()))

    async with asyncio.timeout(5):
        for _ in range(2):
            with pytest.raises(RuntimeError):
                await store.tx(out)
    assert await store.tx(settings.get_or_put, "a", "fresh") == "fresh"


async def test_the_first_of_two_values_stays(store: Store) -> None:
    assert await store.tx(settings.get_or_put, "key", "one") == "one"
    assert await store.tx(settings.get_or_put, "key", "two") == "one"


# SQLite


@pytest.fixture
async def lite(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    path = tmp_path / "askfirst.db"
    migrate(sqlite_url(path))
    opened = SqliteStore(path)
    yield opened
    await opened.close()


async def test_work_after_the_end_is_refused_and_work_before_it_is_done(tmp_path: Path) -> None:
    path = tmp_path / "askfirst.db"
    migrate(sqlite_url(path))
    store = SqliteStore(path)
    waiting = [asyncio.create_task(store.tx(add, str(n))) for n in range(5)]
    await asyncio.sleep(0)
    await store.close()
    assert await asyncio.gather(*waiting) == [str(n) for n in range(5)]
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.tx(beat)
    assert not any(thread.name == "store" and thread.is_alive() for thread in threading.enumerate())


async def test_a_full_disk_is_told_and_what_was_there_stays(lite: SqliteStore) -> None:
    await lite.tx(add, "before")
    await lite.tx(lambda tx: tx.execute(sa.text("PRAGMA max_page_count = 1")))
    with pytest.raises(StoreUnavailable, match="The disk is full, so nothing was stored"):
        await lite.tx(add, "x" * 1_000_000)
    await lite.tx(lambda tx: tx.execute(sa.text("PRAGMA max_page_count = 1000000")))
    await lite.tx(add, "after")
    assert await kept(lite) == ["after", "before"]


async def test_a_full_disk_spares_the_neighbours_in_the_same_commit(lite: SqliteStore) -> None:
    await lite.tx(lambda tx: tx.execute(sa.text("PRAGMA max_page_count = 1")))
    outcomes = await asyncio.gather(
        *(lite.tx(add, "x" * 1_000_000 if n == 2 else str(n)) for n in range(4)), return_exceptions=True
    )
    assert isinstance(outcomes[2], StoreUnavailable)
    stored = [outcome for outcome in outcomes if isinstance(outcome, str)]
    assert await kept(lite) == sorted(stored), "what was reported as stored is stored, and nothing else"


async def test_another_program_that_holds_the_file_is_named(tmp_path: Path, lite: SqliteStore) -> None:
    await lite.tx(lambda tx: tx.execute(sa.text("PRAGMA busy_timeout = 50")))
    with closing(sqlite3.connect(tmp_path / "askfirst.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="Another program holds the database"):
            await lite.tx(add, "no")
        other.execute("ROLLBACK")
    await lite.tx(add, "yes")
    assert await kept(lite) == ["yes"]


async def test_a_file_that_cannot_be_opened_for_a_while_is_used_again_when_it_can(tmp_path: Path) -> None:
    """The writer outlives it: whoever asks meanwhile is told, and nothing hangs."""
    path, elsewhere = tmp_path / "askfirst.db", tmp_path / "moved.db"
    migrate(sqlite_url(path))
    path.rename(elsewhere)
    path.mkdir()
    store = SqliteStore(path)
    try:
        async with asyncio.timeout(30):
            for _ in range(2):
                with pytest.raises(StoreUnavailable, match="cannot be written"):
                    await store.tx(add, "no")
            path.rmdir()
            elsewhere.rename(path)
            await store.tx(add, "yes")
            assert await kept(store) == ["yes"]
    finally:
        await store.close()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"this is no database\n" * 500, "The database file is damaged, so nothing was started."),
        (b"SQLite format 3\x00" + b"\xff" * 8000, "The database file is damaged, so nothing was started."),
    ],
    ids=["another file", "a torn file"],
)
def test_a_damaged_file_is_told_and_left_alone(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "askfirst.db"
    path.write_bytes(content)
    with pytest.raises(StoreUnavailable) as caught:
        migrate(sqlite_url(path))
    assert str(caught.value).startswith(sentence)
    assert path.read_bytes() == content


async def test_a_file_that_is_damaged_while_it_is_open_is_told(tmp_path: Path) -> None:
    path = tmp_path / "askfirst.db"
    migrate(sqlite_url(path))
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * (path.stat().st_size - 100))
    store = SqliteStore(path)
    try:
        with pytest.raises(StoreUnavailable, match="damaged"):
            await store.tx(add, "no")
    finally:
        await store.close()


def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="The database file cannot be written"):
        migrate(sqlite_url(tmp_path))


def test_asking_whether_it_answers_makes_nothing(tmp_path: Path) -> None:
    ping(sqlite_url(tmp_path / "none.db"))
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_is_not_there_is_told_without_its_password() -> None:
    with pytest.raises(StoreUnavailable) as caught:
        ping("postgresql://postgres:hunter2hunter2@127.0.0.1:9/askfirst")
    assert str(caught.value).startswith("The database cannot be used just now")
    assert "hunter2" not in str(caught.value)
