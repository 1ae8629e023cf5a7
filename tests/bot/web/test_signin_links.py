import asyncio

import pytest
import sqlalchemy as sa

from bot.store import signin_links
from bot.store.database import Store, Tx
from bot.store.tables import signin_links as table
from bot.web.auth import BadName, make_link

NOW = 1_800_000_000.0


async def test_a_link_signs_in_once(store: Store) -> None:
    link = await store.tx(make_link, "ada", NOW)
    assert await store.tx(signin_links.use, link, NOW + 1) == "ada"
    assert await store.tx(signin_links.use, link, NOW + 2) is None


async def test_of_two_at_the_same_moment_one_is_signed_in(store: Store) -> None:
    link = await store.tx(make_link, "ada", NOW)
    both = await asyncio.gather(*(store.tx(signin_links.use, link, NOW + 1) for _ in range(2)))
    assert set(both) == {"ada", None}


async def test_a_link_ends_after_its_time(store: Store) -> None:
    link = await store.tx(make_link, "ada", NOW, 60.0)
    assert await store.tx(signin_links.use, link, NOW + 60) is None


@pytest.mark.parametrize("link", ["", "unknown", "\ud800", "x" * 10_000])
async def test_what_is_no_link_signs_nobody_in(store: Store, link: str) -> None:
    assert await store.tx(signin_links.use, link, NOW) is None


async def test_the_link_itself_is_not_stored(store: Store) -> None:
    link = await store.tx(make_link, "ada", NOW)
    rows = await store.tx(lambda tx: tx.execute(sa.select(table)).all())
    assert link not in str(rows)


async def test_links_that_ended_long_ago_are_forgotten(store: Store) -> None:
    await store.tx(make_link, "ada", NOW)
    await store.tx(make_link, "bea", NOW + signin_links.KEEP_S + 1_000)
    assert await store.tx(_names) == ["bea"]


@pytest.mark.parametrize("name", ["", "Ada", "a:b", "-a", "a" * 41, "a b", "ada\n", "ä"])
async def test_a_name_that_cannot_be_one_gets_no_link(store: Store, name: str) -> None:
    with pytest.raises(BadName, match="no link was made"):
        await store.tx(make_link, name, NOW)
    assert await store.tx(_names) == []


def _names(tx: Tx) -> list[str]:
    return list(tx.execute(sa.select(table.c.name)).scalars())
