"""A fleet for each test, and servers of the kit."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from bot.config.mcp import McpServerConfig
from bot.mcp_client.fleet import Fleet
from tests.fakes.mcp.kit import Kit


class Watched(Fleet):
    """A fleet whose changes can be waited for."""

    def __init__(self, data_dir: Path, environ: dict[str, str]) -> None:
        self.news = asyncio.Event()
        super().__init__(environ, data_dir, time.time, lambda _name: self.news.set(), grace_s=0.3)

    def with_(self, name: str, **spec: Any) -> None:
        self.keep(name, McpServerConfig.model_validate(spec))

    async def connected(self, name: str, **spec: Any) -> None:
        self.with_(name, **spec)
        await self.settled(name)
        status = self.status(name)
        assert status is not None
        assert status.state == "connected", status

    async def until(self, holds: Callable[[], bool], limit_s: float = 20) -> None:
        """Looked at after each change."""
        async with asyncio.timeout(limit_s):
            while not holds():
                self.news.clear()
                if not holds():
                    await self.news.wait()

    def state(self, name: str) -> str:
        status = self.status(name)
        return "" if status is None else status.state

    def names(self) -> list[str]:
        return [one.name for one in self.definitions()]


@pytest.fixture
def environ() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}


@pytest.fixture
async def fleet(tmp_path: Path, environ: dict[str, str]) -> AsyncIterator[Watched]:
    made = Watched(tmp_path / "data", environ)
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Kit]:
    """A server of the kit, by name and plan."""

    def made(name: str = "kit", **plan: Any) -> Kit:
        return Kit.make(tmp_path / name, **plan)

    return made
