"""The intake by webhook: only with the secret, 200 only when stored."""

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import unused_port

from channels.errors import ChannelError, Misconfigured
from channels.events import Message
from channels.telegram.limits import BODY
from channels.telegram.refusals import Conflict
from tests.channels.contract import IN_TIME, RecordingInlet
from tests.channels.telegram.house import Visitor, made
from tests.fakes.telegram.client import Telegram, running_telegram

SECRET = "a-secret-of-the-test-0123456789"  # not one of anybody's
HEADER = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
WEBHOOK = {"mode": "webhook", "webhook_secret": SECRET}


@dataclass(frozen=True)
class Site:
    telegram: Telegram
    inlet: RecordingInlet
    url: str
    running: asyncio.Task[None]


@contextlib.asynccontextmanager
async def served(telegram: Telegram) -> AsyncIterator[Site]:
    app, inlet, port = web.Application(), RecordingInlet(), unused_port()
    adapter = made(telegram, settings=WEBHOOK, public_url=f"http://127.0.0.1:{port}/")
    app.add_routes(adapter.routes(inlet))
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    task = asyncio.create_task(adapter.run(inlet))
    try:
        await inlet.until(lambda: inlet.states[-1:] != [] and inlet.states[-1][0] != "connecting")
        yield Site(telegram, inlet, f"http://127.0.0.1:{port}/channels/tg/telegram", task)
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, ChannelError):
            await task
        await runner.cleanup()


@pytest_asyncio.fixture
async def site() -> AsyncIterator[Site]:
    async with running_telegram() as telegram, served(telegram) as site:
        yield site


async def post(site: Site, body: bytes | io.BytesIO, headers: dict[str, str]) -> int:
    async with aiohttp.ClientSession() as http, http.post(site.url, data=body, headers=headers) as response:
        return response.status


async def test_an_update_is_received_and_confirmed(site: Site) -> None:
    visitor = await Visitor.arrive(site.telegram)
    for number in range(10):
        await visitor.say(f"number {number}")
    await site.inlet.next(Message, visitor.where, count=10)
    assert [message.text for message in site.inlet.of(Message, visitor.where)] == [f"number {n}" for n in range(10)]
    await site.telegram.wait_confirmed()


async def test_it_asks_for_its_kinds_and_names_its_secret(site: Site) -> None:
    """B216: neither the secret nor the address holds the token."""
    [call] = await site.telegram.calls("setWebhook")
    assert site.telegram.token.partition(":")[2] not in str(call.args)
    assert call.args["secret_token"] == SECRET
    assert "callback_query" in str(call.args["allowed_updates"])


async def test_what_is_not_stored_is_refused_and_comes_again(site: Site) -> None:
    visitor = await Visitor.arrive(site.telegram)
    site.inlet.refuse = lambda event: site.inlet.attempts.count(event.id) <= 1
    await visitor.say("keep me")
    message = await site.inlet.next(Message, visitor.where)
    assert site.inlet.attempts.count(message.id) == 2
    assert site.inlet.aside == []


@pytest.mark.parametrize(
    "headers",
    [{}, {"X-Telegram-Bot-Api-Secret-Token": "wrong"}, {"X-Telegram-Bot-Api-Secret-Token": SECRET + "é"}],
)
async def test_without_the_secret_nothing_is_read(site: Site, headers: dict[str, str]) -> None:
    assert await post(site, b"not even JSON", headers) == 403
    assert (site.inlet.events, site.inlet.aside) == ([], [])


async def test_a_forged_delivery_by_the_fake_is_refused(site: Site) -> None:
    visitor = await Visitor.arrive(site.telegram)
    await site.telegram.settings(wrong_secret_once=True)
    await visitor.say("hi")
    message = await site.inlet.next(Message, visitor.where)
    assert site.inlet.attempts == [message.id]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"\xff{", "it is not JSON"),
        (b"[]", "update is not an object"),
        (b"{}", "update.update_id is not a number"),
        (b'{"update_id":5,"message":7}', "update.message is not an object"),
    ],
)
async def test_what_cannot_be_read_is_set_aside_and_confirmed(site: Site, body: bytes, reason: str) -> None:
    assert await post(site, body, HEADER) == 200
    assert [why for _, _, why in site.inlet.aside] == [reason]


async def test_what_cannot_even_be_set_aside_comes_again(site: Site) -> None:
    site.inlet.refuse_aside = True
    assert await post(site, b"{}", HEADER) == 503


async def test_an_update_of_any_size_is_not_taken(site: Site) -> None:
    assert await post(site, io.BytesIO(b" " * (BODY + 1)), HEADER) == 413


async def test_a_kind_that_nobody_asked_for_is_confirmed(site: Site) -> None:
    assert await post(site, b'{"update_id":5,"poll":{}}', HEADER) == 200
    assert (site.inlet.events, site.inlet.aside) == ([], [])


async def test_before_it_knows_the_bot_it_asks_for_patience() -> None:
    async with running_telegram() as telegram:
        await telegram.settings(revoked=True)
        async with served(telegram) as site:
            assert await post(site, b"{}", HEADER) == 503
            with pytest.raises(Misconfigured):
                await site.running


async def test_a_webhook_that_another_program_took_over_is_noticed(site: Site) -> None:
    url = f"{site.telegram.api_url}/bot{site.telegram.token}/setWebhook"
    await site.telegram.advance(10)
    async with aiohttp.ClientSession() as http, http.post(url, data={"url": "http://127.0.0.1:9/x"}) as response:
        assert response.status == 200
    async with asyncio.timeout(IN_TIME):
        await asyncio.wait([site.running])
    assert isinstance(site.running.exception(), Conflict)


async def test_a_webhook_without_a_public_address_is_misconfigured() -> None:
    async with running_telegram() as telegram:
        with pytest.raises(Misconfigured, match="public_url"):
            await made(telegram, settings=WEBHOOK).run(RecordingInlet())


async def test_an_address_that_telegram_refuses_is_misconfigured() -> None:
    async with running_telegram() as telegram:
        with pytest.raises(Misconfigured, match="must be https"):
            await made(telegram, settings=WEBHOOK, public_url="http://example.org").run(RecordingInlet())
        assert [broken.method for broken in await telegram.violations(forget=True)] == ["setWebhook"]


async def test_polling_has_no_route() -> None:
    async with running_telegram() as telegram:
        assert made(telegram).routes(RecordingInlet()) == ()
