"""Who may see the page that says why, and what it says, over HTTP."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from shutil import copyfile

import pytest
from aiohttp import web

from bot.domain.access import House as People
from bot.domain.capability import Grant
from bot.store import grants, personas
from bot.store.database import SqliteStore
from bot.web.api.gate import Gate
from bot.web.api.guesses import AT_ONCE
from bot.web.auth import Door, make_link
from bot.web.console.entrance import Entrance
from bot.web.console.pages import Pages
from bot.web.console.routes import Console
from bot.web.hosts import Hosts
from bot.web.server import Parts, build
from tests.bot.parts import GUIDE, NOW
from tests.bot.web.api.house import ADMIN, SECRET, House, open_house

KEY = b"a key for tests alone"
WHY = "/console/why?persona=guide&capability=builtin/add_note"
AWAY = {"X-Forwarded-For": "192.0.2.1"}
"""Without it one is the admin of this machine, where there is a browser chat."""


@dataclass
class Desk:
    """The console in front of a house, and a browser."""

    house: House
    url: str
    door: Door

    async def get(self, path: str = WHY, headers: Mapping[str, str] | None = None) -> tuple[int, str]:
        async with self.house.program.get(self.url + path, headers=headers or {}) as answer:
            return answer.status, unescape(await answer.text())

    async def post(
        self, path: str, data: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Status, text, and the cookie that the browser keeps."""
        url = self.url + path
        async with self.house.program.post(url, data=data, headers=headers, allow_redirects=False) as answer:
            kept = "; ".join(f"{name}={morsel.value}" for name, morsel in answer.cookies.items())
            return answer.status, unescape(await answer.text()), kept

    async def bring(self, token: str = ADMIN) -> dict[str, str]:
        """The headers of a browser that brought the token."""
        status, _text, cookie = await self.post("/console/sign-in", {"token": token})
        assert status == 303
        return {"Cookie": cookie, **AWAY}

    async def visitor(self, name: str) -> dict[str, str]:
        """The headers of a browser that is signed in to the chat."""
        link = await self.house.store.tx(make_link, name, self.house.now[0])
        response = web.Response()
        assert await self.door.sign_in(link, response)
        return {"Cookie": "; ".join(f"{key}={morsel.value}" for key, morsel in response.cookies.items())}


@asynccontextmanager
async def console(house: House, *, chats: tuple[str, ...] = ("web",), token: str | None = ADMIN) -> AsyncIterator[Desk]:
    hosts, clock, people = Hosts(""), lambda: house.now[0], People(frozenset({"web:admin", "web:boss"}))
    door = Door(house.store, hosts, KEY, clock)
    entrance = Entrance(door, chats, people, Gate(house.store, token), token, hosts, KEY, clock)
    pages = Console(house.desk, entrance, Pages("/channels/web/" if chats else ""), clock)

    async def fine(_request: web.Request) -> web.StreamResponse:
        return web.Response()

    runner = web.AppRunner(build(Parts(hosts, fine, fine, fine, pages.routes())))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield Desk(house, f"http://127.0.0.1:{runner.addresses[0][1]}", door)
    finally:
        await runner.cleanup()


@pytest.fixture
async def house(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[House]:
    store = SqliteStore(copyfile(sqlite_template, tmp_path / "askfirst.db"))
    async with open_house(store) as house:
        yield house
    await store.close()


@pytest.fixture
async def desk(house: House) -> AsyncIterator[Desk]:
    async with console(house) as desk:
        yield desk


async def test_whom_the_chat_knows_as_an_admin_sees_the_chain(desk: Desk) -> None:
    for headers in ({}, await desk.visitor("boss")):
        status, text = await desk.get(headers=headers)
        assert status == 200
        assert "guide may use builtin/add_note." in text
        assert "every call asks, because it writes; who asked or an admin decides" in text
    status, text = await desk.get("/console")
    assert (status, "Show why" in text, "may use" in text) == (200, True, False)
    assert 'value="skill/note-keeping"' in text


async def test_what_does_not_hold_is_said_in_words_with_a_command_to_copy(desk: Desk) -> None:
    row = Grant("guide", "builtin/add_note", "deny", None, f"{SECRET} <b>", "tg:1", NOW)
    await desk.house.store.tx(grants.put, row)
    status, text = await desk.get("/console/why?persona=guide&capability=add_note")
    assert status == 200
    assert "guide may not use builtin/add_note." in text
    assert "not ok" in text
    assert "if it were granted, guide could use it when asked each time" in text
    assert '<code id="remedy">/grant guide builtin/add_note</code>' in text
    assert SECRET not in text


async def test_what_others_named_is_only_letters_there(desk: Desk) -> None:
    evil = replace(GUIDE, id="evil", display_name="</option><script>alert(1)</script>")
    await desk.house.store.tx(personas.put, evil)
    async with desk.house.program.get(f"{desk.url}/console/why?persona=<b>&capability=<i>") as answer:
        assert answer.status == 404
        text = await answer.text()
    assert "There is no persona &lt;b&gt;." in text
    assert "<script>alert" not in text
    assert "<i>" not in text


@pytest.mark.parametrize("name", ["guest", None], ids=["no admin", "nobody"])
async def test_others_are_told_how_to_come_in_and_nothing_else(desk: Desk, name: str | None) -> None:
    headers = AWAY if name is None else await desk.visitor(name)
    status, text = await desk.get(headers=headers)
    assert status == (401 if name is None else 403)
    assert "This is for admins" in text
    assert ("You are signed in as guest, who is no admin here." in text) == (name is not None)
    assert "askfirst token web <name>" in text
    assert "add_note" not in text


async def test_the_admin_token_opens_it_for_a_while_where_there_is_no_chat(house: House) -> None:
    async with console(house, chats=()) as desk:
        assert (await desk.get())[0] == 401
        status, _text, cookie = await desk.post("/console/sign-in", {"token": "a guess"})
        assert (status, cookie) == (403, "")
        headers = await desk.bring()
        status, text = await desk.get(headers=headers)
        assert (status, "Sign out" in text) == (200, True)
        assert ("api:admin", "console_signed_in", "") in await house.audit()
        assert ADMIN not in text + headers["Cookie"]


async def test_a_cookie_ends_with_the_token_that_it_was_given_for(house: House) -> None:
    async with console(house, chats=()) as desk:
        headers = await desk.bring()
    async with console(house, chats=(), token="another one") as desk:
        assert (await desk.get(headers=headers))[0] == 401
    async with console(house, chats=(), token=None) as desk:
        status, text = await desk.get(headers=headers)
        assert (status, "Nobody can come in yet" in text, "<form" in text) == (401, True, False)
        assert (await desk.post("/console/sign-in", {"token": ""}))[0] == 403


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
async def test_no_other_site_signs_a_browser_in_or_out(desk: Desk, headers: dict[str, str]) -> None:
    for path in ("/console/sign-in", "/console/sign-out"):
        status, _text, cookie = await desk.post(path, {"token": ADMIN}, headers)
        assert (status, cookie) == (403, "")


async def test_guesses_are_slowed_down(desk: Desk) -> None:
    for _ in range(AT_ONCE):
        assert (await desk.post("/console/sign-in", {"token": "a guess"}))[0] == 403
    status, text, cookie = await desk.post("/console/sign-in", {"token": ADMIN})
    assert (status, cookie) == (429, "")
    assert "Too many wrong tokens" in text


async def test_who_signs_out_is_out(desk: Desk) -> None:
    headers = await desk.bring()
    status, _text, kept = await desk.post("/console/sign-out", headers=headers)
    assert status == 303
    assert (await desk.get(headers={"Cookie": kept, **AWAY}))[0] == 401


async def test_files_are_those_of_the_console_alone(desk: Desk) -> None:
    assert (await desk.get("/console/static/console.css"))[0] == 200
    for path in ("/console/static/pages.py", "/console/static/..%2Fpages.py", "/console/nothing"):
        assert (await desk.get(path))[0] == 404
