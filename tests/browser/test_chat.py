import re

import pytest
from playwright.async_api import Locator, Page, Request, Route, expect

from tests.browser.desk import card, messages, saying, shown, write
from tests.browser.service import Service
from tests.browser.shots import shoot

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_an_empty_chat_says_what_it_is_and_offers_examples(page: Page) -> None:
    await expect(page.get_by_role("heading", name="Guide asks")).to_be_visible()
    await shoot(page, "empty-light")
    await page.get_by_role("button", name="What can you do?").click()
    await shown(page, "You said: What can you do?")
    await expect(page.locator("#welcome")).to_be_hidden()


async def test_what_is_sent_appears_once_and_is_answered(page: Page) -> None:
    await write(page, "hello there")
    await shown(page, "You said: hello there")
    await expect(messages(page)).to_have_count(2)
    own = messages(page).first
    await expect(own.locator(".text")).to_have_text("hello there")
    await expect(own.locator(".author")).to_have_text("You")
    await expect(own.locator(".note")).to_have_count(0)
    await expect(page.get_by_label("Message", exact=True)).to_have_value("")


async def test_an_answer_is_seen_while_it_is_written_and_then_stands_once(page: Page) -> None:
    await write(page, "hold")
    partial = page.locator("#partial")
    await expect(partial).to_have_text("The answer is **being")
    await expect(page.locator("#activity")).to_have_text("Thinking …")
    await write(page, "go on")
    await expect(partial).to_be_hidden()
    answer = await shown(page, "The answer is written.")
    await expect(answer.locator("strong")).to_have_text("written")
    await expect(page.locator("#activity")).to_have_text("")


async def test_an_answer_that_is_being_written_is_there_after_a_reload(page: Page) -> None:
    await write(page, "hold")
    await expect(page.locator("#partial")).to_be_visible()
    await page.reload()
    await expect(page.locator("#partial")).to_have_text("The answer is **being")
    await write(page, "go on")


async def test_a_card_waits_for_a_press_and_changes_only_when_the_service_says_so(page: Page) -> None:
    waiting = await card(page)
    await expect(page.locator("#activity")).to_have_text("Waiting for a decision")
    await shoot(page, "card-light")
    await waiting.get_by_role("button", name="Approve").click()
    await expect(page.locator(".toast")).to_contain_text("Your decision counts: approved.")
    settled = await shown(page, "Approved by visitor")
    await expect(settled).to_have_class(re.compile("settled"))
    await expect(settled.get_by_role("button")).to_have_count(0)
    await shown(page, "Done: the note is on your list home.")
    await shoot(page, "settled-light")


async def test_a_second_press_in_another_window_is_told_who_was_first(page: Page, service: Service) -> None:
    waiting = await card(page)
    token = await waiting.get_by_role("button", name="Approve").get_attribute("data-token")
    message = await waiting.get_attribute("data-id")
    await waiting.get_by_role("button", name="Reject").click()
    await shown(page, "Rejected by visitor")
    late = await page.evaluate(
        """async ([message, token]) => (await fetch("presses", {
            method: "POST", headers: {"Content-Type": "application/json", "X-Askfirst-Page": "1"},
            body: JSON.stringify({id: crypto.randomUUID(), token, message})})).json()""",
        [message, token],
    )
    assert late == {"notice": "This was decided already: rejected.", "alert": True}


async def test_a_double_click_is_one_press(page: Page) -> None:
    waiting = await card(page)
    posted: list[Request] = []
    page.on("request", lambda request: posted.append(request) if request.url.endswith("/presses") else None)
    await waiting.get_by_role("button", name="Approve").dblclick()
    await shown(page, "Approved by visitor")
    assert len(posted) == 1
    await expect(page.locator(".toast")).to_have_count(1)


async def test_buttons_rest_until_the_receipt_comes(page: Page) -> None:
    waiting = await card(page)
    held: list[Route] = []

    async def hold(route: Route) -> None:
        held.append(route)

    await page.route("**/presses", hold)
    approve, reject = waiting.get_by_role("button", name="Approve"), waiting.get_by_role("button", name="Reject")
    await approve.click()
    await expect(approve).to_be_disabled()
    await expect(reject).to_be_disabled()
    await expect(approve).to_be_focused()
    await page.unroute_all(behavior="ignoreErrors")


async def taken(page: Page) -> Locator:
    """The button of a press that the service took, while the card that says so is on its way for ever."""
    approve = (await card(page)).get_by_role("button", name="Approve")
    await page.clock.install()
    await page.route("**/presses", lambda route: route.fulfill(json={"notice": "Approved.", "alert": False}))
    await approve.click()
    await expect(page.locator(".toast")).to_contain_text("Approved.")
    return approve


async def test_buttons_rest_after_a_press_that_was_taken_until_the_card_is_drawn_anew(page: Page) -> None:
    approve = await taken(page)
    await page.clock.run_for(20_000)
    await expect(approve).to_be_disabled()
    await write(page, "remind")
    await shown(page, "It still waits.")
    await expect(approve).to_be_enabled()
    await page.unroute("**/presses")
    await page.get_by_role("button", name="Reject").click()
    await shown(page, "Rejected by visitor")


async def test_buttons_of_a_card_that_never_changes_come_back_after_half_a_minute(page: Page) -> None:
    approve = await taken(page)
    await expect(approve).to_be_disabled()
    await page.clock.run_for(30_000)
    await expect(approve).to_be_enabled()


async def test_buttons_come_back_at_once_after_a_press_that_was_refused(page: Page) -> None:
    waiting = await card(page)
    await page.route("**/presses", lambda route: route.fulfill(json={"notice": "You may not.", "alert": True}))
    approve = waiting.get_by_role("button", name="Approve")
    await approve.click()
    await expect(page.get_by_role("alert")).to_contain_text("You may not.")
    await expect(approve).to_be_enabled()


async def test_a_press_that_does_not_arrive_is_told_and_can_be_made_again(page: Page) -> None:
    waiting = await card(page)
    await page.route("**/presses", lambda route: route.abort())
    await waiting.get_by_role("button", name="Approve").click()
    await expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    await expect(waiting.get_by_role("button", name="Approve")).to_be_enabled()
    await page.unroute("**/presses")
    await waiting.get_by_role("button", name="Approve").click()
    await shown(page, "Approved by visitor")


async def test_a_reload_keeps_the_history_and_the_card(page: Page) -> None:
    await write(page, "hello")
    await shown(page, "You said: hello")
    await card(page)
    before = await messages(page).all_inner_texts()
    await page.reload()
    await expect(messages(page)).to_have_count(len(before))
    assert await messages(page).all_inner_texts() == before
    await page.get_by_role("button", name="Approve").click()
    await shown(page, "Approved by visitor")


async def test_two_windows_show_the_same(page: Page, service: Service) -> None:
    other = await page.context.new_page()
    await other.goto(service.chat)
    await write(page, "seen twice?")
    await shown(other, "You said: seen twice?")
    assert await messages(other).all_inner_texts() == await messages(page).all_inner_texts()


async def test_a_removed_message_goes(page: Page) -> None:
    await write(page, "passing")
    await shown(page, "It is gone")
    await expect(saying(page, "A passing line")).to_have_count(0)
    await page.reload()
    await shown(page, "It is gone")
    await expect(saying(page, "A passing line")).to_have_count(0)


async def test_a_long_conversation_opens_at_its_end_and_leads_back(page: Page) -> None:
    await write(page, "many 70")
    await shown(page, "Line 69")
    await page.reload()
    await expect(messages(page)).to_have_count(50)
    await expect(saying(page, "Line 69")).to_be_in_viewport()
    await page.get_by_role("button", name="Earlier messages").click()
    await expect(messages(page)).to_have_count(71)
    await expect(messages(page).first).to_contain_text("many 70")
    await expect(page.locator("#earlier")).to_be_hidden()


async def test_what_attacks_the_page_stays_text(page: Page) -> None:
    strangers: list[str] = []
    page.on("request", lambda request: strangers.append(request.url) if "evil" in request.url else None)
    await write(page, "<b>bold?</b><img src=x onerror=\"document.title='owned'\">")
    await shown(page, "You said: <b>bold?</b><img src=x onerror=\"document.title='owned'\">")
    await expect(messages(page).first.locator("b, img")).to_have_count(0)
    await write(page, "attack")
    await expect(saying(page, "<script>document.title='owned'</script>")).to_have_count(2)
    await expect(page.locator("#log script, #log img, #log a[href^=javascript]")).to_have_count(0)
    assert await page.title() == "Askfirst"
    assert strangers == []


async def test_words_wait_in_the_field_until_the_script_is_there(page: Page) -> None:
    held: list[Route] = []

    async def hold(route: Route) -> None:
        held.append(route)

    await page.route("**/chat.js", hold)
    await page.reload(wait_until="commit")
    field = page.get_by_label("Message", exact=True)
    await field.fill("in a hurry")
    await page.locator("#send").click(force=True)
    await held[0].continue_()
    await expect(field).to_have_value("in a hurry")
    await page.get_by_role("button", name="Send").click()
    await shown(page, "You said: in a hurry")
