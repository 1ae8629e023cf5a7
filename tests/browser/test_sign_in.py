import re

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.conftest import ELSEWHERE
from tests.browser.desk import messages, ready, shown, write
from tests.browser.service import Service
from tests.browser.shots import shoot

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_someone_elsewhere_signs_in_by_a_link_and_out_again(
    browser: Browser, service: Service, link: str
) -> None:
    context = await browser.new_context(viewport={"width": 390, "height": 700})
    page = await context.new_page()
    chat = f"http://{ELSEWHERE}:{service.port}/channels/web/"
    await page.goto(chat)
    await expect(page.get_by_role("heading", name="You are not signed in")).to_be_visible()
    await shoot(page, "stranger-light")
    await page.goto(f"{chat}sign-in?link={link}")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page).to_have_url(chat)
    await ready(page)
    await write(page, "from elsewhere")
    await shown(page, "You said: from elsewhere")
    await page.reload()
    await expect(messages(page)).to_have_count(2)
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_role("heading", name="You are not signed in")).to_be_visible()
    await page.goto(f"{chat}sign-in?link={link}")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("heading", name="This link cannot be used")).to_be_visible()
    await context.close()


async def test_on_this_machine_one_is_the_admin_without_signing_in(browser: Browser, service: Service) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(service.url)
    await expect(page).to_have_url(re.compile("/channels/web/$"))
    await expect(page.locator(".who")).to_have_text("admin")
    await context.close()


async def test_a_page_that_was_signed_out_in_another_window_says_so(page: Page, service: Service) -> None:
    await page.context.clear_cookies()
    await page.set_extra_http_headers({"X-Forwarded-For": "192.0.2.1"})  # else one is the admin of this machine
    await write(page, "still there?")
    await expect(page.locator(".note")).to_contain_text("Not sent. You are not signed in.")
