from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Request, Route, expect

from tests.browser.desk import messages, shown, write
from tests.browser.service import running
from tests.browser.shots import shoot

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_page_comes_back_after_a_restart_and_shows_what_it_missed(browser: Browser, tmp_path: Path) -> None:
    database = tmp_path / "chat.db"
    context = await browser.new_context()
    page, other = await context.new_page(), await context.new_page()
    async with running(database) as service:
        await page.goto(service.chat)
        await write(page, "before")
        await shown(page, "You said: before")
        await page.evaluate("window.kept = true")
    await expect(page.locator("#offline")).to_contain_text("cannot be reached. Trying again")
    await shoot(page, "offline-light")
    async with running(database, "--port", str(service.port)):
        await other.goto(service.chat)
        await write(other, "meanwhile")
        await shown(page, "You said: meanwhile")
        await expect(page.locator("#offline")).to_have_text("")
        await expect(messages(page)).to_have_count(4)
        assert await page.evaluate("window.kept"), "the page was not loaded again"
        await context.close()


async def test_a_message_that_was_not_stored_is_kept_and_sent_again_under_its_id(page: Page) -> None:
    ids: list[str] = []
    page.on("request", lambda request: ids.append(_id(request)) if request.method == "POST" else None)
    await write(page, "fail once")
    own = messages(page).first
    await expect(own.locator(".note")).to_contain_text("Not sent. The database cannot be used just now.")
    await shoot(page, "failed-light")
    await own.get_by_role("button", name="Send again").click()
    await shown(page, "You said: fail once")
    await expect(own.locator(".note")).to_have_count(0)
    await expect(messages(page)).to_have_count(2)
    assert len(ids) == 2
    assert len(set(ids)) == 1


async def test_a_message_whose_answer_was_lost_is_not_doubled(page: Page) -> None:
    lost = 0

    async def lose(route: Route) -> None:
        nonlocal lost
        lost += 1
        await route.fetch()
        await route.abort()

    await page.route("**/messages", lose)
    await write(page, "once only")
    await expect(page.locator(".note")).to_contain_text("Not sent.")
    await page.unroute("**/messages")
    await page.get_by_role("button", name="Send again").click()
    await expect(page.locator(".note")).to_have_count(0)
    await shown(page, "You said: once only")
    await expect(messages(page)).to_have_count(2)
    assert lost == 1


def _id(request: Request) -> str:
    posted = request.post_data_json
    assert isinstance(posted, dict)
    return str(posted["id"])
