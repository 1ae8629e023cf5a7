"""Light and dark, small and large, and what axe finds."""

from typing import Literal

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, expect

from tests.browser.desk import card, shown, write
from tests.browser.service import Service
from tests.browser.shots import shoot

pytestmark = pytest.mark.asyncio(loop_scope="session")

Scheme = Literal["light", "dark"]


async def no_faults(page: Page) -> None:
    results = await Axe().run(page)
    assert results.response["violations"] == [], results.generate_report()


async def no_sideways_scroll(page: Page) -> None:
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing(page: Page, scheme: Scheme) -> None:
    await page.emulate_media(color_scheme=scheme)
    await no_faults(page)
    await shoot(page, f"axe-empty-{scheme}")
    await write(page, "rich")
    await shown(page, "Here is what I found")
    await card(page)
    await page.keyboard.type("/p")
    await no_faults(page)
    await shoot(page, f"axe-full-{scheme}")
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Approve").click()
    await shown(page, "Done: the note")
    await no_faults(page)
    await shoot(page, f"axe-settled-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_sign_in_pages_are_clean_too(browser: Browser, service: Service, scheme: Scheme) -> None:
    context = await browser.new_context(color_scheme=scheme)
    page = await context.new_page()
    await page.goto(f"{service.chat}sign-in?link=unknown")
    await no_faults(page)
    await shoot(page, f"sign-in-{scheme}")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("heading", name="This link cannot be used")).to_be_visible()
    await no_faults(page)
    await context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_nothing_scrolls_sideways_on_the_smallest_phone(page: Page, scheme: Scheme) -> None:
    await page.emulate_media(color_scheme=scheme)
    await page.set_viewport_size({"width": 320, "height": 568})
    await no_sideways_scroll(page)
    await shoot(page, f"phone-empty-{scheme}")
    await write(page, "wide")
    await expect(page.locator("#log table")).to_have_count(1)
    await write(page, "rich")
    await shown(page, "Here is what I found")
    await no_sideways_scroll(page)
    await shoot(page, f"phone-rich-{scheme}")
    await card(page)
    await no_sideways_scroll(page)
    await expect(page.get_by_role("button", name="Approve")).to_be_in_viewport()
    await shoot(page, f"phone-card-{scheme}")
    await no_faults(page)


async def test_every_target_is_large_enough_for_a_finger(page: Page) -> None:
    await page.set_viewport_size({"width": 390, "height": 844})
    await card(page)
    for target in await page.get_by_role("button").all():
        box = await target.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44, await target.inner_text()
    await shoot(page, "phone-tall-light")


async def test_a_page_at_twice_the_zoom_still_fits(page: Page) -> None:
    await page.set_viewport_size({"width": 320, "height": 256})  # what a page of 640 × 512 has at twice the zoom
    await card(page)
    await write(page, "rich")
    await shown(page, "Here is what I found")
    await no_sideways_scroll(page)
    await expect(page.get_by_label("Message", exact=True)).to_be_in_viewport()
    await shoot(page, "large-light")


async def test_nothing_moves_for_those_who_asked_for_that(page: Page) -> None:
    await page.emulate_media(reduced_motion="reduce")
    await write(page, "hold")
    await expect(page.locator("#activity")).to_have_text("Thinking …")
    motion = "getComputedStyle(document.getElementById('activity'), '::before').animationName"
    assert await page.evaluate(motion) == "none"
    await write(page, "go on")


async def test_forced_colours_keep_what_matters_visible(page: Page) -> None:
    await page.emulate_media(forced_colors="active")
    await card(page)
    await page.keyboard.type("/p")
    await no_faults(page)
    await shoot(page, "forced")
