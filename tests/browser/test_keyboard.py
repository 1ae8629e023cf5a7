import pytest
from playwright.async_api import Page, Request, expect

from tests.browser.desk import card, messages, shown, write
from tests.browser.shots import shoot

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_everything_can_be_done_by_keyboard(page: Page) -> None:
    field = page.get_by_label("Message", exact=True)
    await expect(field).to_be_focused()
    await page.keyboard.type("card")
    await page.keyboard.press("Enter")
    waiting = page.locator("#log > article.waiting")
    await expect(waiting).to_have_count(1)
    await page.keyboard.press("Shift+Tab")
    await expect(waiting.get_by_role("button", name="Reject")).to_be_focused()
    await page.keyboard.press("Shift+Tab")
    await expect(waiting.get_by_role("button", name="Approve")).to_be_focused()
    await page.keyboard.press("Space")
    settled = await shown(page, "Approved by visitor")
    await expect(settled).to_be_focused()


async def test_shift_and_enter_begin_a_new_line(page: Page) -> None:
    await page.keyboard.type("one")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("two")
    field = page.get_by_label("Message", exact=True)
    await expect(field).to_have_value("one\ntwo")
    await expect(messages(page)).to_have_count(0)
    lower, higher = await field.bounding_box(), None
    await page.keyboard.press("Shift+Enter")
    higher = await field.bounding_box()
    assert lower is not None
    assert higher is not None
    assert higher["height"] > lower["height"]
    await page.keyboard.press("Enter")
    await expect(messages(page).first.locator(".text")).to_have_text("one\ntwo")


async def test_enter_that_chooses_a_word_does_not_send(page: Page) -> None:
    session = await page.context.new_cdp_session(page)
    await session.send("Input.imeSetComposition", {"text": "にほん", "selectionStart": 3, "selectionEnd": 3})
    await page.evaluate(
        """() => document.getElementById("text").dispatchEvent(
            new KeyboardEvent("keydown", {key: "Enter", isComposing: true, bubbles: true, cancelable: true}))"""
    )
    await session.send("Input.insertText", {"text": "日本"})
    await expect(page.get_by_label("Message", exact=True)).to_have_value("日本")
    await expect(messages(page)).to_have_count(0)
    await page.keyboard.press("Enter")
    await shown(page, "You said: 日本")


async def test_commands_complete_while_they_are_typed(page: Page) -> None:
    field, hints = page.get_by_label("Message", exact=True), page.get_by_role("listbox", name="Commands")
    await page.keyboard.type("/")
    await expect(hints.get_by_role("option")).to_have_count(8)
    await shoot(page, "completion-light")
    await page.keyboard.type("p")
    options = hints.get_by_role("option")
    await expect(options).to_have_count(2)
    await expect(options.nth(0)).to_have_attribute("aria-selected", "true")
    first = await field.get_attribute("aria-activedescendant")
    await page.keyboard.press("ArrowDown")
    await expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    assert await field.get_attribute("aria-activedescendant") != first
    await page.keyboard.press("Tab")
    await expect(field).to_have_value("/persona ")
    await expect(hints).to_be_hidden()
    await expect(field).to_be_focused()
    await page.keyboard.type("scout")
    await page.keyboard.press("Enter")
    await shown(page, "The command persona with scout.")


async def test_a_command_that_is_typed_out_is_sent_by_enter(page: Page) -> None:
    await page.keyboard.type("/help")
    await page.keyboard.press("Enter")
    await shown(page, "The command help with")


async def test_enter_takes_a_command_that_is_half_typed(page: Page) -> None:
    await page.keyboard.type("/he")
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Message", exact=True)).to_have_value("/help ")
    await expect(messages(page)).to_have_count(0)


async def test_escape_closes_the_list_and_keeps_the_text(page: Page) -> None:
    await page.keyboard.type("/p")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("listbox", name="Commands")).to_be_hidden()
    await expect(page.get_by_label("Message", exact=True)).to_have_value("/p")


async def test_a_doubled_slash_is_text(page: Page) -> None:
    await write(page, "//help")
    await shown(page, "You said: /help")


async def test_a_text_that_is_too_long_stays_in_the_field(page: Page) -> None:
    posted: list[Request] = []
    page.on("request", lambda request: posted.append(request) if request.method == "POST" else None)
    field = page.get_by_label("Message", exact=True)
    await field.fill("x" * 16_001)
    await field.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("At most 16000 characters")
    await expect(field).to_have_value("x" * 16_001)
    assert posted == []


async def test_a_refusal_is_announced_and_can_be_closed(page: Page) -> None:
    waiting = await card(page)
    await page.route("**/presses", lambda route: route.abort())
    await waiting.get_by_role("button", name="Reject").click()
    await page.get_by_role("alert").get_by_role("button", name="Close").click()
    await expect(page.get_by_role("alert")).to_have_count(0)
