from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.channels.web.house import House, open_house
from tests.databases import sqlite_template

__all__ = ["sqlite_template"]


@pytest.fixture
async def house(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(sqlite_template, tmp_path) as house:
        yield house
