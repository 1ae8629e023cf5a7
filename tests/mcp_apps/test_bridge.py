"""What comes in over HTTP: only POST, only with a token, from no foreign page, of bounded size; and a clean end."""

import asyncio
import json
from io import BytesIO
from typing import Any

import pytest
from aiohttp import ClientResponse

from bot.mcp_apps.bridge import BODY
from bot.store import approvals
from tests.mcp_apps.stall import Stall

HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


async def post(stall: Stall, token: str | None, body: Any = LIST, path: str = "/mcp/notes", **headers: str) -> int:
    async with await _post(stall, token, body, path, **headers) as answer:
        await answer.read()
        return answer.status


async def _post(
    stall: Stall, token: str | None, body: Any = LIST, path: str = "/mcp/notes", **headers: str
) -> ClientResponse:
    sent = {**HEADERS, **{name.replace("_", "-"): value for name, value in headers.items()}}
    if token is not None:
        sent["Authorization"] = f"Bearer {token}"
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return await stall.program.post(f"{stall.url}{path}", data=BytesIO(data), headers=sent)


@pytest.mark.parametrize("path", ["/mcp/notes", "/mcp/notes/sse"])
async def test_an_app_is_at_its_name_and_at_the_alias(stall: Stall, path: str) -> None:
    async with await _post(stall, await stall.token(), path=path) as answer:
        text = await answer.text()
    assert answer.status == 200
    assert "list_notes" in text
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("token", [None, "askfirst_task_made-up", "x" * 2000], ids=["none", "unknown", "too long"])
async def test_without_a_valid_token_nothing_is_told(stall: Stall, token: str | None) -> None:
    async with await _post(stall, token) as answer:
        said = await answer.json()
    assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert said["error"]["code"] == "unauthorized"


async def test_the_tokens_of_the_api_open_no_app(stall: Stall) -> None:
    assert await post(stall, "askfirst_" + "x" * 43) == 401


async def test_a_token_in_the_address_is_not_looked_at(stall: Stall) -> None:
    assert await post(stall, None, path=f"/mcp/notes?token={await stall.token()}") == 401


async def test_who_guesses_is_made_to_wait(stall: Stall) -> None:
    statuses = [await post(stall, f"guess {number}") for number in range(65)]
    assert statuses[0] == 401
    assert statuses[-1] == 429


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
async def test_there_are_no_sessions_and_so_no_other_methods(stall: Stall, method: str) -> None:
    headers = {**HEADERS, "Authorization": f"Bearer {await stall.token()}"}
    async with stall.program.request(method, f"{stall.url}/mcp/notes", headers=headers) as answer:
        assert (answer.status, answer.headers["Allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
    ],
    ids=["another name of ours", "a foreign page", "a page of nowhere", "across sites"],
)
async def test_pages_of_other_sites_are_told_no(stall: Stall, headers: dict[str, str], status: int) -> None:
    assert await post(stall, await stall.token(), **headers) == status


async def test_our_own_origin_is_let_in(stall: Stall) -> None:
    assert await post(stall, await stall.token(), Origin=stall.url) == 200


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"{", {}, 400),
        (LIST, {"Accept": "text/html"}, 406),
        (LIST, {"Content_Type": "text/plain"}, 400),
        (LIST, {"MCP_Protocol_Version": "1999-01-01"}, 400),
        (b" " * (BODY + 1), {}, 413),
    ],
    ids=["no JSON", "nothing that we answer in", "no JSON by its own word", "an unknown version", "too large"],
)
async def test_what_is_no_request_is_refused(stall: Stall, body: Any, headers: dict[str, str], status: int) -> None:
    assert await post(stall, await stall.token(), body, **headers) == status


async def test_a_body_that_comes_in_pieces_is_bounded_as_well(stall: Stall) -> None:
    async def pieces() -> Any:
        for _ in range(6):
            yield b" " * (1 << 20)

    headers = {**HEADERS, "Authorization": f"Bearer {await stall.token()}"}
    async with stall.program.post(f"{stall.url}/mcp/notes", data=pieces(), headers=headers) as answer:
        assert answer.status == 413


async def test_health_asks_the_app_itself(stall: Stall) -> None:
    async with stall.program.get(f"{stall.url}/mcp/knowledge/health") as answer:
        said = await answer.json()
    assert answer.status == 200
    assert (said["name"], said["ok"], said["tools"]) == ("knowledge", True, 4)


async def test_an_app_that_does_not_run_is_not_well(stall: Stall) -> None:
    async with stall.program.get(f"{stall.url}/mcp/knowledge/health") as answer:
        assert answer.status == 200
    await stall.mounts.stop()
    async with stall.program.get(f"{stall.url}/mcp/knowledge/health") as answer:
        assert answer.status == 503
        assert not (await answer.json())["ok"]
    async with stall.program.get(f"{stall.url}/mcp/notes/health") as answer:
        assert (await answer.json())["error"]["code"] == "stopping"


async def test_the_root_lists_every_app_with_its_address(stall: Stall) -> None:
    async with stall.program.get(f"{stall.url}/mcp") as answer:
        listed = {each["name"]: each for each in (await answer.json())["servers"]}
    assert {"system", "knowledge", "notes", "memory"} <= set(listed)
    assert listed["notes"]["url"] == "http://127.0.0.1:8080/mcp/notes"
    assert listed["notes"]["health"] == "http://127.0.0.1:8080/mcp/notes/health"
    assert all(each["ok"] for each in listed.values())


async def test_a_stop_with_an_open_stream_is_quick_and_closes_it(stall: Stall) -> None:
    call = {"name": "add_note", "arguments": {"text": "milk"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    async with await _post(stall, await stall.token(), body) as answer:
        await stall.card()
        async with asyncio.timeout(3):
            await stall.mounts.stop()
            text = await answer.text()
    assert "the service stopped" in text
    assert await stall.store.tx(approvals.pending, 1) == []


async def test_an_aborted_upload_leaves_the_service_as_it_was(stall: Stall) -> None:
    async def stops() -> Any:
        yield b'{"jsonrpc"'
        raise ConnectionError

    headers = {**HEADERS, "Authorization": f"Bearer {await stall.token()}"}
    with pytest.raises(OSError, match="write request body"):
        await stall.program.post(f"{stall.url}/mcp/notes", data=stops(), headers=headers)
    assert await post(stall, await stall.token()) == 200


async def test_identity_comes_from_the_token_of_each_request_and_from_no_session(stall: Stall) -> None:
    wide, narrow = await stall.token(), await stall.token("builtin/list_notes")
    for token, shown in ((wide, True), (narrow, False), (wide, True)):
        async with await _post(stall, token, Mcp_Session_Id="one-for-all") as answer:
            assert ("add_note" in await answer.text()) is shown
            assert "Mcp-Session-Id" not in answer.headers


async def test_many_calls_at_once_each_see_their_own(stall: Stall) -> None:
    tokens = [await stall.token(), await stall.token("builtin/list_notes")]

    async def shows(token: str) -> bool:
        async with await _post(stall, token) as answer:
            return "add_note" in await answer.text()

    found = await asyncio.gather(*(shows(tokens[number % 2]) for number in range(20)))
    assert found == [True, False] * 10


async def test_a_stop_does_not_wait_for_a_request_that_never_ends(sqlite_stall: Stall) -> None:
    stall = sqlite_stall
    begun, never = asyncio.Event(), asyncio.Event()

    async def endless() -> Any:
        yield b"{"
        begun.set()
        await never.wait()

    headers = {**HEADERS, "Authorization": f"Bearer {await stall.token()}"}
    asked = asyncio.create_task(stall.program.post(f"{stall.url}/mcp/notes", data=endless(), headers=headers))
    await asyncio.wait_for(begun.wait(), 5)
    assert await post(stall, await stall.token()) == 200  # by now the one before it is being served
    async with asyncio.timeout(5):
        await stall.mounts.stop()
        [ended] = await asyncio.gather(asked, return_exceptions=True)
    assert isinstance(ended, Exception)
    never.set()
