"""What a visitor does and sees, in words."""

from playwright.async_api import Locator, Page, expect


async def ready(page: Page) -> None:
    """The script runs and the server has told all. A page that was opened by `goto` or `reload` runs its script already;
    one that was come to by a click may still be loading it, and an Enter is then no more than a new line."""
    await page.locator("#log[aria-busy=false]").wait_for(state="attached")


async def write(page: Page, text: str) -> None:
    field = page.get_by_label("Message", exact=True)
    await field.fill(text)
    await field.press("Enter")


def messages(page: Page) -> Locator:
    return page.locator("#log > article")


def saying(page: Page, text: str) -> Locator:
    return messages(page).filter(has=page.locator(".text", has_text=text))


async def shown(page: Page, text: str) -> Locator:
    """The one message that says `text`."""
    found = saying(page, text)
    await expect(found).to_have_count(1)
    return found


async def card(page: Page) -> Locator:
    await write(page, "card")
    found = page.locator("#log > article.waiting")
    await expect(found).to_have_count(1)
    return found
