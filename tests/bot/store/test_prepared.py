import sqlite3

import pytest
import sqlalchemy as sa

from bot.store.database import Store, Tx
from bot.store.prepared import Prepared
from bot.store.tables import grants, runs, settings

ADD = Prepared(sa.insert(settings))
SHOW = Prepared(sa.select(settings.c.value).where(settings.c.name == sa.bindparam("name")).limit(1))
CHANGE = Prepared(sa.update(settings).where(settings.c.name == sa.bindparam("which")).values(value=sa.bindparam("new")))


async def test_a_prepared_statement_gives_what_sqlalchemy_would(store: Store) -> None:
    def work(tx: Tx) -> None:
        tx.run(ADD, {"name": "a", "value": "1"})
        tx.run(ADD, {"name": "b", "value": "2"})
        assert tx.run(SHOW, {"name": "a"}).scalar() == "1"
        assert tx.run(SHOW, {"name": "b"}).first() == ("2",)
        assert tx.run(SHOW, {"name": "c"}).first() is None
        assert tx.run(SHOW, {"name": "c"}).scalar() is None
        assert tx.run(CHANGE, {"which": "a", "new": "3"}).rowcount == 1
        assert tx.run(CHANGE, {"which": "c", "new": "3"}).rowcount == 0
        assert tx.run(SHOW, {"name": "a"}).scalars() == ["3"]

    await store.tx(work)


async def test_truth_comes_back_as_truth(store: Store) -> None:
    shown = Prepared(sa.select(sa.literal(True), sa.literal(False), sa.literal(1)).where(sa.bindparam("any") == "x"))
    assert await store.tx(lambda tx: tx.run(shown, {"any": "x"}).first()) == (True, False, 1)
    first = await store.tx(lambda tx: tx.run(shown, {"any": "x"}).first())
    assert first is not None
    assert first[0] is True


async def test_an_insert_of_other_columns_is_refused(store: Store) -> None:
    def work(tx: Tx) -> None:
        tx.run(ADD, {"name": "a", "value": "1"})
        with pytest.raises((AssertionError, sa.exc.SQLAlchemyError, sqlite3.Error)):
            tx.run(ADD, {"name": "b"})

    if not await store.tx(lambda tx: tx.postgres):
        await store.tx(work)


def test_tables_that_hold_truths_are_read_with_them() -> None:
    """So that a truth in a new column is thought of."""
    truths = {column.name for column in (*runs.c, *grants.c) if isinstance(column.type, sa.Boolean)}
    assert truths == {"private", "tainted", "silent"}
