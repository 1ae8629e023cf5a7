"""The faults that a test can plant, seen from the bot's side."""

import asyncio

import aiohttp
import pytest

from tests.fakes.telegram.client import Telegram
from tests.fakes.telegram.line import Waited
from tests.fakes.telegram.raw import Api


async def chat_of_someone(telegram: Telegram) -> int:
    ada = await telegram.user("Ada")
    return (await telegram.private_chat(ada)).id


async def test_429_concerns_one_chat_for_so_many_calls(telegram: Telegram, api: Api) -> None:
    one, other = await chat_of_someone(telegram), await chat_of_someone(telegram)
    await telegram.fail("sendMessage", status=429, retry_after=3, chat=one, skip=1, times=2)
    await api.ok("sendMessage", {"chat_id": one, "text": "a"})
    await api.ok("sendMessage", {"chat_id": other, "text": "a"})
    for _ in range(2):
        async with api.http.post(f"{api.base}/sendMessage", json={"chat_id": one, "text": "b"}) as response:
            assert response.headers["Retry-After"] == "3"
            assert await response.json() == {
                "ok": False,
                "error_code": 429,
                "description": "Too Many Requests: retry after 3",
                "parameters": {"retry_after": 3},
            }
    await api.ok("sendMessage", {"chat_id": one, "text": "c"})
    assert [message.text for message in await telegram.messages(one)] == ["a", "c"]


async def test_429_may_come_without_parameters(telegram: Telegram, api: Api) -> None:
    await telegram.fail(status=429)
    assert (await api("getMe"))[1] == {"ok": False, "error_code": 429, "description": "Too Many Requests"}


@pytest.mark.parametrize("status", [400, 403, 409, 500])
async def test_any_status_can_be_answered(telegram: Telegram, api: Api, status: int) -> None:
    await telegram.fail("getMe", status=status)
    assert (await api("getMe"))[0] == status
    assert (await api("getMe"))[0] == 200


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        pytest.param(502, "<html>Bad Gateway</html>", "text/html", id="HTML"),
        pytest.param(200, "", "application/json", id="nothing"),
        pytest.param(200, '{"ok":true,"resu', "application/json", id="cut"),
        pytest.param(200, '{"ok":false}', "application/json", id="not ok with 200"),
    ],
)
async def test_any_body_can_be_answered_though_the_call_is_applied(
    telegram: Telegram, api: Api, status: int, body: str, kind: str
) -> None:
    chat = await chat_of_someone(telegram)
    await telegram.answer_with("sendMessage", status=status, body=body, content_type=kind, when="after")
    async with api.http.post(f"{api.base}/sendMessage", json={"chat_id": chat, "text": "a"}) as response:
        assert (response.status, await response.text()) == (status, body)
    assert [message.text for message in await telegram.messages(chat)] == ["a"]


@pytest.mark.parametrize(("when", "count"), [("before", 0), ("after", 1)])
async def test_dropped_call_is_applied_or_not(telegram: Telegram, api: Api, when: str, count: int) -> None:
    chat = await chat_of_someone(telegram)
    await telegram.drop("sendMessage", when="after" if when == "after" else "before")
    with pytest.raises(aiohttp.ClientError):
        await api("sendMessage", {"chat_id": chat, "text": "a"})
    assert len(await telegram.messages(chat)) == count
    [call] = await telegram.wait_calls("sendMessage")
    assert call.verdict == ("ok" if count else "lost")


async def test_held_call_waits_for_its_release(telegram: Telegram, api: Api) -> None:
    chat = await chat_of_someone(telegram)
    await telegram.hold("sendMessage")
    sending = asyncio.create_task(api("sendMessage", {"chat_id": chat, "text": "a"}))
    held = await telegram.wait_held("sendMessage")
    assert held.held == "before"
    assert await telegram.messages(chat) == []
    assert await telegram.release("sendMessage") == 1
    assert (await sending)[0] == 200


async def test_call_held_after_it_was_applied_is_seen_by_people(telegram: Telegram, api: Api) -> None:
    chat = await chat_of_someone(telegram)
    await telegram.hold("sendMessage", when="after")
    sending = asyncio.create_task(api("sendMessage", {"chat_id": chat, "text": "a"}))
    held = await telegram.wait_held()
    await telegram.wait_message(chat, text="a")
    await telegram.release(call=held.number, discard=True)
    with pytest.raises(aiohttp.ClientError):
        await sending


async def test_held_call_of_a_client_that_died_can_be_discarded(telegram: Telegram, api: Api) -> None:
    chat = await chat_of_someone(telegram)
    await telegram.hold("sendMessage")
    sending = asyncio.create_task(api("sendMessage", {"chat_id": chat, "text": "a"}))
    await telegram.wait_held()
    sending.cancel()
    await telegram.release(discard=True)
    await telegram.wait_calls("sendMessage", verdict="lost")
    assert await telegram.messages(chat) == []


async def test_delay_holds_up_one_call_only(telegram: Telegram, api: Api) -> None:
    chat = await chat_of_someone(telegram)
    await telegram.delay("sendMessage", seconds=0.2, chat=chat)
    slow = asyncio.create_task(api("sendMessage", {"chat_id": chat, "text": "a"}))
    await api.ok("getMe")
    assert not slow.done()
    assert (await slow)[0] == 200


async def test_connections_are_refused_until_they_are_accepted(telegram: Telegram, api: Api) -> None:
    await api.ok("getMe")
    await telegram.refuse_connections()
    with pytest.raises(aiohttp.ClientError):
        await api("getMe")
    await telegram.accept_connections()
    await api.ok("getMe")


async def test_revoked_token_is_unauthorized(telegram: Telegram, api: Api) -> None:
    await telegram.settings(revoked=True)
    assert await api.refused("getMe") == "Unauthorized"


async def test_wait_that_fails_tells_what_there_was(telegram: Telegram, api: Api) -> None:
    chat = await chat_of_someone(telegram)
    await api.ok("sendMessage", {"chat_id": chat, "text": "something else"})
    with pytest.raises(Waited, match="something else"):
        await telegram.wait_message(chat, containing="hello", timeout=0.05)
