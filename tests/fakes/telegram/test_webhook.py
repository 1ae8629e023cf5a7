"""Delivery to a webhook: secret, order, retries, and calls in the answer."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from tests.fakes.telegram.client import Telegram
from tests.fakes.telegram.raw import Api


@dataclass
class Hook:
    """The bot's end: answers by `answer` and keeps what came."""

    url: str = ""
    got: list[dict[str, Any]] = field(default_factory=list)
    secrets: list[str | None] = field(default_factory=list)
    answer: Callable[[int], web.Response] = lambda number: web.Response()

    async def handle(self, request: web.BaseRequest) -> web.Response:
        self.secrets.append(request.headers.get("X-Telegram-Bot-Api-Secret-Token"))
        self.got.append(await request.json())
        return self.answer(len(self.got))


@pytest.fixture
async def hook() -> AsyncIterator[Hook]:
    made = Hook()
    runner = web.ServerRunner(web.Server(made.handle))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    yield made
    await runner.cleanup()


async def test_updates_come_with_the_secret_and_in_order(telegram: Telegram, api: Api, hook: Hook) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    await telegram.write(chat, ada, "before")
    status, body = await api("setWebhook", {"url": hook.url, "secret_token": "s3cret"})
    assert (status, body["description"]) == (200, "Webhook was set")
    for text in ("b", "c"):
        await telegram.write(chat, ada, text)
    await telegram.wait_confirmed()
    assert [update["message"]["text"] for update in hook.got] == ["before", "b", "c"]
    assert set(hook.secrets) == {"s3cret"}
    assert await api.refused("getUpdates") == (
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
    )
    assert (await api("deleteWebhook"))[1]["description"] == "Webhook was deleted"
    assert (await api("deleteWebhook"))[1]["description"] == "Webhook is already deleted"


async def test_refused_update_comes_again_and_holds_back_its_chat_only(
    telegram: Telegram, api: Api, hook: Hook
) -> None:
    ada, bo = await telegram.user("Ada"), await telegram.user("Bo")
    first, second = await telegram.private_chat(ada), await telegram.private_chat(bo)
    hook.answer = lambda number: web.Response(status=500 if number in (1, 2) else 200)
    await api.ok("setWebhook", {"url": hook.url})
    await telegram.write(first, ada, "a1")
    await telegram.write(first, ada, "a2")
    while len(hook.got) < 2:  # the second try comes at once, the third two seconds later
        await round_trip(api)
    await telegram.write(second, bo, "b1")
    while len(hook.got) < 3:
        await round_trip(api)
    info = await api.ok("getWebhookInfo")
    assert info["last_error_message"] == "Wrong response from the webhook: 500 Internal Server Error"
    await telegram.advance(2)
    await telegram.wait_confirmed()
    assert [update["message"]["text"] for update in hook.got] == ["a1", "a1", "b1", "a1", "a2"]


async def round_trip(api: Api) -> None:
    """One round trip: the other process had its turn."""
    await api.ok("getMe")


async def test_answer_may_call_a_method(telegram: Telegram, api: Api, hook: Hook) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    hook.answer = lambda number: web.json_response(
        {"method": "sendMessage", "chat_id": chat.id, "text": "in the answer"}
    )
    await api.ok("setWebhook", {"url": hook.url})
    await telegram.write(chat, ada, "hi")
    await telegram.wait_message(chat, text="in the answer")


async def test_wrong_secret_can_be_sent_once(telegram: Telegram, api: Api, hook: Hook) -> None:
    ada = await telegram.user("Ada")
    chat = await telegram.private_chat(ada)
    await api.ok("setWebhook", {"url": hook.url, "secret_token": "right"})
    await telegram.settings(wrong_secret_once=True)
    await telegram.write(chat, ada, "a")
    await telegram.write(chat, ada, "b")
    await telegram.wait_confirmed()
    assert hook.secrets == ["wrong", "right"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"url": "ftp://x"}, "invalid webhook URL specified"),
        ({"url": "http://example.org"}, "bad webhook: An HTTPS URL must be provided for webhook"),
        ({"url": "https://example.org:1234"}, "bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443"),
        ({"url": "https://example.org", "secret_token": "a b"}, "secret token contains unallowed characters"),
        ({"url": "https://example.org", "secret_token": "a" * 257}, "secret token is too long"),
    ],
)
async def test_bad_webhooks_are_refused(telegram: Telegram, api: Api, arguments: dict[str, str], expected: str) -> None:
    assert await api.refused("setWebhook", arguments) == f"Bad Request: {expected}"
    await telegram.violations(forget=True)


async def test_webhook_is_set_at_most_once_a_second(telegram: Telegram, api: Api, hook: Hook) -> None:
    await api.ok("setWebhook", {"url": hook.url})
    assert (await api("setWebhook", {"url": hook.url}))[0] == 429
    await telegram.advance(1)
    assert (await api("setWebhook", {"url": hook.url}))[1]["description"] == "Webhook is already set"
