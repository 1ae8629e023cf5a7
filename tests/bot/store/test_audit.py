"""What was done stands in a chain: whatever is changed, taken out, added or moved by hand is seen."""

import asyncio
from collections.abc import Callable

import pytest
import sqlalchemy as sa

from bot.domain.chain import broken
from bot.errors import StoreUnavailable
from bot.store import audit
from bot.store.database import Store, Tx
from bot.store.tables import audit as entries
from bot.store.tables import audit_head

NOW = 1_800_000_000.25


def record(tx: Tx, number: int) -> None:
    audit.record(tx, NOW + number, "tg:1", "granted", f"builtin/tool_{number}", {"reason": "ä “x”", "until": None})


async def written(store: Store, count: int = 5) -> None:
    for number in range(count):
        await store.tx(record, number)


async def faults(store: Store) -> list[str]:
    return await store.tx(lambda tx: list(broken(audit.everything(tx), audit.head(tx))))


async def test_a_chain_that_nobody_touched_is_whole(store: Store) -> None:
    assert await faults(store) == []
    await written(store)
    assert await faults(store) == []
    latest = await store.tx(audit.latest, 2)
    assert [link.subject for link in latest] == ["builtin/tool_4", "builtin/tool_3"]


async def test_many_at_once_make_one_chain(store: Store) -> None:
    await asyncio.gather(*(store.tx(record, number) for number in range(40)))
    assert len(await store.tx(lambda tx: list(audit.everything(tx)))) == 40
    assert await faults(store) == []


async def test_what_is_rolled_back_leaves_no_entry(store: Store) -> None:
    def failing(tx: Tx) -> None:
        record(tx, 9)
        raise StoreUnavailable("no")

    await written(store, 2)
    with pytest.raises(StoreUnavailable):
        await store.tx(failing)
    await written(store, 1)
    assert await faults(store) == []
    assert len(await store.tx(audit.latest, 10)) == 3


def _change(tx: Tx, **values: object) -> None:
    third = tx.execute(sa.select(entries.c.id).order_by(entries.c.id).offset(2).limit(1)).scalar_one()
    tx.execute(sa.update(entries).where(entries.c.id == third).values(**values))


def _swap(tx: Tx) -> None:
    ids = list(tx.execute(sa.select(entries.c.id).order_by(entries.c.id)).scalars())
    for was, becomes in ((ids[1], -1), (ids[2], ids[1]), (-1, ids[2])):
        tx.execute(sa.update(entries).where(entries.c.id == was).values(id=becomes))


def _drop(tx: Tx, place: int) -> None:
    ids = list(tx.execute(sa.select(entries.c.id).order_by(entries.c.id)).scalars())
    tx.execute(sa.delete(entries).where(entries.c.id == ids[place]))


def _forge_last(tx: Tx) -> None:
    """A tail that fits in itself, without its head."""
    head = tx.execute(sa.select(audit_head.c.hash)).scalar_one()
    record(tx, 9)
    tx.finish()
    tx.execute(sa.update(audit_head).values(hash=head))


@pytest.mark.parametrize(
    "deed",
    [
        lambda tx: _change(tx, who="tg:2"),
        lambda tx: _change(tx, at=NOW),
        lambda tx: _change(tx, detail="{}"),
        lambda tx: _change(tx, action="revoked"),
        lambda tx: _change(tx, hash="0" * 64),
        lambda tx: _drop(tx, 0),
        lambda tx: _drop(tx, 2),
        lambda tx: _drop(tx, -1),
        _swap,
        _forge_last,
        lambda tx: tx.execute(sa.delete(entries)),
        lambda tx: tx.execute(sa.delete(audit_head)),
    ],
    ids=["who", "when", "detail", "action", "hash", "first", "middle", "last", "swapped", "added", "all", "head"],
)
async def test_what_was_done_by_hand_is_found(store: Store, deed: Callable[[Tx], None]) -> None:
    await written(store)
    await store.tx(deed)
    assert await faults(store)
