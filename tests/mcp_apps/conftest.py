from collections.abc import AsyncIterator
from pathlib import Path
from shutil import copyfile

import pytest

from bot.store.database import SqliteStore, Store
from tests.databases import sqlite_template, store
from tests.mcp_apps.stall import Stall, open_stall

__all__ = ["sqlite_template", "store"]


@pytest.fixture
async def stall(store: Store) -> AsyncIterator[Stall]:
    """Our apps on a real server, with a persona and an open run; on either database."""
    async with open_stall(store) as opened:
        yield opened


@pytest.fixture
async def sqlite_stall(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[Stall]:
    """For what is not about the database."""
    store = SqliteStore(copyfile(sqlite_template, tmp_path / "askfirst.db"))
    async with open_stall(store) as opened:
        yield opened
    await store.close()
