from collections.abc import AsyncIterator

import pytest

from bot.store.database import Store
from tests.databases import sqlite_template, store
from tests.mcp_apps.stall import Stall, open_stall

__all__ = ["sqlite_template", "store"]


@pytest.fixture
async def stall(store: Store) -> AsyncIterator[Stall]:
    """Our apps on a real server, with a persona and an open run."""
    async with open_stall(store) as opened:
        yield opened
