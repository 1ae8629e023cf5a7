from collections.abc import AsyncIterator
from pathlib import Path
from shutil import copyfile

import pytest

from bot.store.database import SqliteStore, Store
from tests.bot.web.api.house import House, open_house


@pytest.fixture
async def house(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[House]:
    """On SQLite; for what is not about SQL."""
    store = SqliteStore(copyfile(sqlite_template, tmp_path / "askfirst.db"))
    async with open_house(store) as house:
        yield house
    await store.close()


@pytest.fixture
async def each_house(store: Store) -> AsyncIterator[House]:
    """On either database."""
    async with open_house(store) as house:
        yield house
