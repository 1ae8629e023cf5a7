"""The page that says why: by keyboard, on a phone and a desk, in light and dark, and what axe finds."""

import pytest
from playwright.async_api import Browser, expect

from tests.browser.desk import ready, write
from tests.browser.shots import shoot
from tests.browser.test_looks import no_faults, no_sideways_scroll
from tests.skills.zips import named, packed

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_an_admin_finds_out_why_by_keyboard_and_copies_the_remedy(browser: Browser, address: str) -> None:
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light")
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = await context.new_page()
    await page.goto(address)
    await page.get_by_role("link", name="Console").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Why may it, or why not?")
    await page.get_by_label("Persona").focus()
    await page.keyboard.press("Tab")
    await page.keyboard.type("run_skill")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=2)).to_have_text("guide may use builtin/run_skill_script.")
    await expect(page.get_by_role("listitem").first).to_contain_text("ok")
    await no_faults(page)
    await shoot(page, "console-desk-light")
    await page.goto(f"{address}console/why?persona=guide&capability=gone")
    await expect(page.get_by_role("listitem").first).to_contain_text("not ok")
    await page.get_by_role("button", name="Copy").press("Enter")
    await expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert await page.evaluate("navigator.clipboard.readText()") == "/tools"
    await page.emulate_media(color_scheme="dark")
    await page.set_viewport_size({"width": 375, "height": 740})
    await no_sideways_scroll(page)
    await no_faults(page)
    await shoot(page, "console-phone-dark")
    await context.close()


async def test_who_is_no_admin_is_told_how_to_come_in(browser: Browser, address: str) -> None:
    context = await browser.new_context(viewport={"width": 375, "height": 740}, color_scheme="light")
    page = await context.new_page()
    await page.set_extra_http_headers({"X-Forwarded-For": "192.0.2.1"})  # else one is the admin of this machine
    await page.goto(f"{address}console/why")
    await expect(page.get_by_role("heading", level=1)).to_have_text("This is for admins")
    await no_faults(page)
    await page.get_by_label("Admin token").fill("a guess")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_have_text("This is not the admin token. Nobody was signed in.")
    await no_faults(page)
    await no_sideways_scroll(page)
    await shoot(page, "console-closed-light")
    await context.close()


async def test_an_admin_brings_a_skill_and_grants_something_from_the_page(browser: Browser, address: str) -> None:
    page = await browser.new_page(viewport={"width": 375, "height": 740})
    await page.goto(address)
    await ready(page)
    chooser = page.get_by_label("Send an archive of skills")
    await chooser.focus()
    archive = packed({"tea-making/SKILL.md": named("tea-making")})
    await chooser.set_input_files({"name": "tea.zip", "mimeType": "application/zip", "buffer": archive})
    await expect(page.get_by_role("log")).to_contain_text("File: tea.zip")
    await expect(page.get_by_role("log")).to_contain_text("Installed: tea-making.")
    await write(page, "/grant guide add_note auto for 1h")
    await expect(page.get_by_role("log")).to_contain_text("guide may then write with builtin/add_note, without asking")
    await page.get_by_role("button", name="Confirm").click()
    await expect(page.get_by_role("log")).to_contain_text("Granted: guide builtin/add_note auto")
    await no_faults(page)
    await no_sideways_scroll(page)
    await shoot(page, "chat-file-phone")
    await page.close()
