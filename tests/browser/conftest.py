import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from scripts.services import chromium_path
from tests.browser.desk import ready
from tests.browser.service import Service, running

ELSEWHERE = "chat.example.org"
"""A name that is not loopback; Chromium is told that it is this machine."""

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules=MAP {ELSEWHERE} 127.0.0.1",
)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Chromium as `scripts.services` finds it."""
    expect.set_options(timeout=20_000)  # a busy machine is not a broken page
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=chromium_path(), args=list(FLAGS))
        yield chromium
        await chromium.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    """One service for all tests; each has a visitor, and so a conversation, of its own."""
    database = tmp_path_factory.mktemp("browser") / "chat.db"
    names = [f"visitor{number}" for number in range(80)]
    async with running(database, f"--allow={ELSEWHERE}", *(f"--link={name}" for name in names)) as service:
        yield service


@pytest.fixture
def link(service: Service) -> str:
    """A sign-in link that no other test uses."""
    return service.links.pop(next(iter(service.links)))


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, service: Service, link: str) -> AsyncIterator[Page]:
    """The chat page on a desk, of a visitor who is signed in. What a script throws or the browser forbids fails the test."""
    context = await browser.new_context(viewport={"width": 1100, "height": 800}, color_scheme="light")
    await context.request.post(f"{service.chat}sign-in", form={"link": link})
    page = await context.new_page()
    page.set_default_timeout(15_000)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if "Content Security Policy" in said.text else None)
    await page.goto(service.chat)
    await ready(page)
    yield page
    await context.close()
    assert faults == []


@pytest_asyncio.fixture(loop_scope="session")
async def address(tmp_path: Path) -> AsyncIterator[str]:
    """`askfirst demo` in a process of its own; its one address."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot", "demo", "--port", "0", "--data", str(tmp_path)),
        stdout=asyncio.subprocess.PIPE,
        env={key: value for key, value in os.environ.items() if not key.startswith("ASKFIRST_")},
    )
    assert process.stdout is not None
    line = (await asyncio.wait_for(process.stdout.readline(), 30)).decode()
    yield line.split()[-1]
    process.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(process.wait(), 10) == 0
