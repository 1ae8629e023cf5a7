"""Starts and stops the scripted service as a process."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Service:
    """`links` holds the secret of a sign-in link for each name given at the start."""

    port: int
    links: dict[str, str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def chat(self) -> str:
        return f"{self.url}/channels/web/"


@asynccontextmanager
async def running(database: Path, *options: str) -> AsyncIterator[Service]:
    """The service on `database`, asked to end by SIGTERM afterwards. It has to exit with 0."""
    command = (sys.executable, "-m", "tests.browser", "--database", str(database), *options)
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, cwd=ROOT)
    try:
        assert process.stdout is not None
        async with asyncio.timeout(30):
            told = json.loads(await process.stdout.readline())
        yield Service(told["port"], told["links"])
    finally:
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(20):
            code = await process.wait()
    assert code == 0
