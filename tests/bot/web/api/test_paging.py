"""Lists a page at a time: whatever the size of a page, each item is told once, in one order."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.store import audit, personas
from bot.store.database import Tx
from bot.store.entries import Entry
from bot.store.entries import add as add_entry
from bot.web.api.paging import MOST
from channels.events import Conversation
from tests.bot.parts import GUIDE, NOW, begin, queue
from tests.bot.web.api.house import House

LISTS = (
    "/api/personas",
    "/api/skills/tools",
    "/api/workers/manifests",
    "/api/channels",
    "/api/sessions",
    "/api/runs",
    "/api/runs?state=queued",
    "/api/approvals",
    "/api/approvals?state=pending",
    "/api/audit",
    "/api/runs/{run}/events",
)


def _fill(tx: Tx, house: House) -> str:
    """A run with a long log, and several of everything; many have the same time."""
    run = begin(tx)
    for number in range(7):
        body: dict[str, Any] = {
            "turn": number,
            "text": "x" if number % 2 else "",
            "calls": [],
            "usage": {},
            "model": "m",
            "cost": None,
        }
        add_entry(tx, Entry(run.id, "model_called", None, NOW, body))
        personas.put(tx, replace(GUIDE, id=f"p{number}"))
        queue(tx, Conversation("tg", f"{100 + number}"), now=NOW + number // 3)
        house.parts.ask(tx, run, f"note {number}", now=NOW + number // 3, place=number)
        audit.record(tx, NOW, "tg:1", "granted", f"builtin/{number}", {})
    return run.id


@pytest.fixture
async def filled(each_house: House) -> tuple[House, str]:
    return each_house, await each_house.store.tx(_fill, each_house)


def _key(item: dict[str, Any]) -> str:
    return str(item.get("id") or item.get("name") or item.get("worker"))


async def walk(house: House, path: str, limit: int, cursor: str | None = None) -> list[dict[str, Any]]:
    """Every item, page by page, from a cursor on."""
    found: list[dict[str, Any]] = []
    mark = "&" if "?" in path else "?"
    address = f"{path}{mark}limit={limit}"
    while True:
        page = await house.get(address if cursor is None else f"{address}&cursor={cursor}")
        assert 0 < len(page["items"]) <= limit
        found += page["items"]
        assert len({_key(item) for item in found}) == len(found)
        cursor = page["next_cursor"]
        if cursor is None:
            return found
        assert len(page["items"]) == limit


@pytest.mark.parametrize("path", LISTS)
async def test_pages_of_every_size_make_the_same_list(filled: tuple[House, str], path: str) -> None:
    house, run = filled
    path = path.format(run=run)
    whole = await walk(house, path, MOST)
    assert len(whole) >= 2
    assert len({_key(item) for item in whole}) == len(whole)
    for limit in (1, 2, 3, len(whole) - 1 or 1, len(whole)):
        assert await walk(house, path, limit) == whole


async def test_what_comes_meanwhile_neither_doubles_nor_hides_anything(each_house: House) -> None:
    await each_house.store.tx(_fill, each_house)
    before = await walk(each_house, "/api/audit", MOST)
    first = await each_house.get("/api/audit?limit=3")
    await each_house.store.tx(audit.record, NOW, "tg:1", "granted", "builtin/new", {})
    rest = await walk(each_house, "/api/audit", 2, first["next_cursor"])
    assert first["items"] + rest == before


@pytest.fixture
async def long_list(house: House) -> House:
    await house.store.tx(_fill, house)
    return house


@given(limits=st.lists(st.integers(1, MOST), min_size=1))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_the_size_may_change_from_page_to_page(long_list: House, limits: list[int]) -> None:
    whole = await walk(long_list, "/api/approvals", MOST)
    found: list[dict[str, Any]] = []
    cursor = ""
    for number in range(len(whole) + 1):
        page = await long_list.get(f"/api/approvals?limit={limits[number % len(limits)]}{cursor}")
        found += page["items"]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert found == whole
