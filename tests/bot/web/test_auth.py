"""Who is let in, over HTTP."""

import asyncio
from collections.abc import AsyncIterator, Callable
from http.cookies import SimpleCookie
from pathlib import Path

import pytest

from bot.web.auth import LINK_S, make_link
from channels.events import Message
from tests.channels.web.house import House, Visitor, open_house

PUBLIC = "https://chat.example.org"
OUTSIDE = {"Host": "chat.example.org"}


@pytest.fixture
async def house(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[House]:
    """As seen by a browser elsewhere when `OUTSIDE` goes with the request."""
    async with open_house(sqlite_template, tmp_path, public_url=PUBLIC) as house:
        yield house


async def link_for(house: House, name: str) -> str:
    return await house.store.tx(make_link, name, house.now[0])


async def sign_in(house: House, link: str, headers: dict[str, str]) -> SimpleCookie | None:
    """The cookie that the browser gets, None if the link was refused."""
    url = f"{house.chat}/sign-in"
    async with house.browser.post(url, data={"link": link}, headers=headers, allow_redirects=False) as answer:
        if answer.status == 303:
            return answer.cookies
        assert answer.status == 403
        return None


async def page(house: House, headers: dict[str, str]) -> tuple[int, str]:
    async with house.browser.get(f"{house.chat}/", headers=headers) as answer:
        return answer.status, await answer.text()


@pytest.fixture
async def alone(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[House]:
    """Reached by nobody from elsewhere."""
    async with open_house(sqlite_template, tmp_path) as house:
        yield house


async def test_where_others_can_come_in_nobody_is_the_admin_for_being_here(house: House) -> None:
    """A proxy on this machine that passes requests on without a word looks just like a browser here."""
    assert (await page(house, {}))[0] == 401


async def test_the_visitor_on_this_machine_is_the_admin(alone: House) -> None:
    status, text = await page(alone, {})
    assert status == 200
    assert '<p class="who">admin</p>' in text
    assert "Sign out" not in text


@pytest.mark.parametrize(
    "headers",
    [
        OUTSIDE,
        {"Forwarded": "for=192.0.2.1"},
        {"X-Forwarded-For": "127.0.0.1"},
        {"X-Real-IP": "127.0.0.1"},
        {"Via": "1.1 proxy"},
        {"Origin": "https://chat.example.org"},
    ],
)
async def test_everybody_else_has_to_sign_in(house: House, headers: dict[str, str]) -> None:
    status, text = await page(house, headers)
    assert status == 401
    assert "You are not signed in" in text
    async with house.browser.get(f"{house.chat}/events", headers=headers) as answer:
        assert answer.status == 401


async def test_a_proxy_that_says_nothing_of_itself_does_not_make_strangers_admins(house: House) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
    writer.write(f"GET /channels/web/ HTTP/1.0\r\nHost: 127.0.0.1:{house.port}\r\n\r\n".encode())
    assert b" 401 " in await reader.readline()
    writer.close()
    await writer.wait_closed()


async def test_a_link_signs_a_browser_in_once(house: House) -> None:
    link = await link_for(house, "ada")
    cookies = await sign_in(house, link, OUTSIDE)
    assert cookies is not None
    [cookie] = cookies.values()
    assert (cookie.key, cookie["path"], cookie["samesite"]) == ("__Host-askfirst", "/", "Lax")
    assert cookie["httponly"]
    assert cookie["secure"]
    status, text = await page(house, {**OUTSIDE, "Cookie": f"{cookie.key}={cookie.value}"})
    assert status == 200
    assert '<p class="who">ada</p>' in text
    assert await sign_in(house, link, OUTSIDE) is None


async def test_looking_at_a_link_does_not_use_it_up(house: House) -> None:
    link = await link_for(house, "ada")
    for _ in range(3):
        async with house.browser.get(f"{house.chat}/sign-in", params={"link": link}, headers=OUTSIDE) as answer:
            assert answer.status == 200
            assert answer.cookies == {}
    assert await sign_in(house, link, OUTSIDE) is not None


async def test_a_link_that_is_too_old_signs_nobody_in(house: House) -> None:
    link = await link_for(house, "ada")
    house.now[0] += LINK_S
    assert await sign_in(house, link, OUTSIDE) is None


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
async def test_another_site_cannot_sign_a_browser_in_or_out(house: House, headers: dict[str, str]) -> None:
    link = await link_for(house, "ada")
    assert await sign_in(house, link, {**OUTSIDE, **headers}) is None
    async with house.browser.post(f"{house.chat}/sign-out", headers={**OUTSIDE, **headers}) as answer:
        assert answer.status == 403
        assert answer.cookies == {}
    assert await sign_in(house, link, OUTSIDE) is not None


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda value: "x" + value[1:], id="another name"),
        pytest.param(lambda value: value.rpartition(".")[0] + ".AAAAAAAAAAAAAAAAAAAAAAAAAAA", id="another signature"),
        pytest.param(lambda value: "admin", id="a bare name"),
        pytest.param(lambda value: "", id="empty"),
    ],
)
async def test_a_cookie_that_is_not_ours_is_nobody(house: House, change: Callable[[str], str]) -> None:
    cookies = await sign_in(house, await link_for(house, "ada"), OUTSIDE)
    assert cookies is not None
    forged = change(cookies["__Host-askfirst"].value)
    assert (await page(house, {**OUTSIDE, "Cookie": f"__Host-askfirst={forged}"}))[0] == 401


async def test_what_a_visitor_writes_bears_his_name_and_stays_with_him(house: House) -> None:
    cookies = await sign_in(house, await link_for(house, "ada"), {})
    assert cookies is not None
    ada = Visitor(house, "ada", f"__Host-askfirst={cookies['__Host-askfirst'].value}")
    await ada.say("mine")
    message = await house.inlet.next(Message, ada.where)
    assert message.sender.id == "web:ada"
    assert [message["html"] for message in await ada.messages()] == ["mine"]
    others = await sign_in(house, await link_for(house, "bob"), {})
    assert others is not None
    assert await Visitor(house, "bob", f"__Host-askfirst={others['__Host-askfirst'].value}").messages() == []


async def test_signing_out_takes_the_cookie_away(house: House) -> None:
    async with house.browser.post(f"{house.chat}/sign-out", headers=OUTSIDE, allow_redirects=False) as answer:
        assert answer.status == 303
        assert answer.cookies["__Host-askfirst"]["max-age"] == "0"


async def test_without_https_the_cookie_has_no_mark_that_needs_it(sqlite_template: Path, tmp_path: Path) -> None:
    async with open_house(sqlite_template, tmp_path) as house:
        cookies = await sign_in(house, await link_for(house, "ada"), {})
        assert cookies is not None
        assert list(cookies) == ["askfirst"]
        assert not cookies["askfirst"]["secure"]
