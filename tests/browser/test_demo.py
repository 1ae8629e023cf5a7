"""What a newcomer does after `make demo`: open the one address, ask for a write, approve it, see it done."""

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.shots import shoot


async def say(page: Page, text: str) -> None:
    await page.get_by_role("textbox").fill(text)
    await page.keyboard.press("Enter")


@pytest.mark.asyncio(loop_scope="session")
async def test_a_newcomer_sees_a_write_held_back_approves_it_and_sees_it_done(browser: Browser, address: str) -> None:
    page = await browser.new_page(viewport={"width": 900, "height": 760})
    await page.goto(address)
    await say(page, 'Add a note "water the plants"')
    approve = page.get_by_role("button", name="Approve", exact=True)
    await expect(approve).to_be_visible()
    await expect(page.get_by_role("log")).not_to_contain_text("was added")
    await shoot(page, "demo-waiting")
    await approve.click()
    await expect(page.get_by_role("log")).to_contain_text("Approved by admin")
    await expect(page.get_by_role("log")).to_contain_text("Note 1 was added")
    await expect(page.get_by_role("button", name="Approve", exact=True)).to_have_count(0)
    await say(page, "what notes are there?")
    await expect(page.get_by_role("log")).to_contain_text("1 note")
    await shoot(page, "demo-done")
    await page.reload()
    await expect(page.get_by_role("log")).to_contain_text("Note 1 was added")
    await page.close()


@pytest.mark.asyncio(loop_scope="session")
async def test_a_rejected_write_is_not_done(browser: Browser, address: str) -> None:
    page = await browser.new_page(viewport={"width": 390, "height": 844})
    await page.goto(address)
    await say(page, 'Add a note "call the bank"; add a note "buy milk"')
    await expect(page.get_by_role("button", name="Approve all 2 shown")).to_be_visible()
    await expect(page.locator("#activity")).to_have_attribute("data-activity", "waiting")
    await shoot(page, "demo-phone")
    await page.get_by_role("button", name="Reject", exact=True).first.click()
    await expect(page.get_by_role("log")).to_contain_text("Rejected by admin")
    await page.get_by_role("button", name="Approve", exact=True).click()
    await expect(page.get_by_role("log")).to_contain_text("Note 1 was added")
    await say(page, "/status")
    await expect(page.get_by_role("log")).to_contain_text("Waiting approvals: none")
    await page.close()


@pytest.mark.asyncio(loop_scope="session")
async def test_a_stop_ends_the_wait_and_the_page_says_so(browser: Browser, address: str) -> None:
    page = await browser.new_page()
    await page.goto(address)
    await say(page, 'Add a note "call the bank"')
    await expect(page.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    await expect(page.locator("#activity")).to_have_attribute("data-activity", "waiting")
    await say(page, "/stop")
    await expect(page.get_by_role("log")).to_contain_text("Stopped.")
    await expect(page.get_by_role("button", name="Approve", exact=True)).to_have_count(0)
    await expect(page.locator("#activity")).to_have_attribute("data-activity", "idle")
    await page.close()
