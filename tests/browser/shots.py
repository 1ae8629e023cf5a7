"""For looking at the pages: `ASKFIRST_SHOTS=<folder>` keeps a picture of each."""

import os
from pathlib import Path

from playwright.async_api import Page


async def shoot(page: Page, name: str) -> None:
    """Nothing happens unless the folder is named."""
    if folder := os.environ.get("ASKFIRST_SHOTS"):
        await page.screenshot(path=Path(folder) / f"{name}.png")
