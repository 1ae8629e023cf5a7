from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.channels.web.house import House, open_house


@pytest.fixture
async def house(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(sqlite_template, tmp_path) as house:
        yield house


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
async def test_what_watches_us_finds_its_addresses(house: House, path: str) -> None:
    async with house.browser.get(f"{house.url}{path}") as answer:
        assert (answer.status, await answer.json()) == (200, {"fine": True})


async def test_the_front_leads_to_the_chat(house: House) -> None:
    async with house.browser.get(f"{house.url}/") as answer:
        assert (answer.status, answer.url.path) == (200, "/channels/web/")


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        pytest.param("/channels/web/", {}, id="a page"),
        pytest.param("/channels/web/static/chat.js", {}, id="a file"),
        pytest.param("/healthz", {}, id="an answer"),
        pytest.param("/nothing", {}, id="an error"),
        pytest.param("/", {"Host": "evil.example"}, id="a refusal"),
    ],
)
async def test_every_answer_bears_the_headers_that_protect_it(house: House, path: str, headers: dict[str, str]) -> None:
    async with house.browser.get(f"{house.url}{path}", headers=headers) as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
async def test_a_name_that_is_not_ours_is_refused_with_the_remedy(house: House, host: str) -> None:
    async with house.browser.get(f"{house.url}/healthz", headers={"Host": host}) as answer:
        assert answer.status == 421
        told = (await answer.json())["error"]
        assert told["code"] == "unknown_host"
        assert "http.allowed_hosts" in told["message"]


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "not_found"),
        ("POST", "/healthz", 405, "method_not_allowed"),
        ("GET", "/channels/web/presses", 405, "method_not_allowed"),
    ],
)
async def test_errors_have_one_form(house: House, method: str, path: str, status: int, code: str) -> None:
    async with house.browser.request(method, f"{house.url}{path}") as answer:
        assert answer.status == status
        assert (await answer.json())["error"]["code"] == code
    async with house.browser.request(method, f"{house.url}{path}", headers={"Accept": "text/html"}) as answer:
        assert answer.content_type == "text/plain"
        assert "{" not in await answer.text()
