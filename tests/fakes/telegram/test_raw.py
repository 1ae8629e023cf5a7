"""The fake as a plain HTTP client sees it."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.fakes.telegram.client import Telegram, running_telegram


class Api:
    """Calls methods and gives status and body."""

    def __init__(self, telegram: Telegram, http: aiohttp.ClientSession) -> None:
        self._base = f"{telegram.api_url}/bot{telegram.token}"
        self._http = http

    async def __call__(self, method: str, arguments: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        async with self._http.post(f"{self._base}/{method}", json=arguments or {}) as response:
            return response.status, await response.json()


@pytest.fixture
async def telegram() -> AsyncIterator[Telegram]:
    async with running_telegram() as started:
        yield started


@pytest.fixture
async def api(telegram: Telegram) -> AsyncIterator[Api]:
    async with aiohttp.ClientSession() as http:
        yield Api(telegram, http)


async def test_a_text_is_fetched_answered_and_shown(telegram: Telegram, api: Api) -> None:
    ada = await telegram.user("Ada", username="ada")
    chat = await telegram.private_chat(ada)
    sent = await telegram.write(chat, ada, "/help@askfirst_test_bot me")
    _, body = await api("getUpdates", {"timeout": 5})
    [update] = body["result"]
    assert update["update_id"] == sent.update_id
    assert update["message"]["entities"] == [{"type": "bot_command", "offset": 0, "length": 23}]
    status, body = await api("sendMessage", {"chat_id": chat.id, "text": "hello"})
    assert (status, body["result"]["text"]) == (200, "hello")
    shown = await telegram.wait_message(chat, containing="hell")
    assert shown.by_bot
    [call] = await telegram.wait_calls("sendMessage")
    assert call.verdict == "ok"
