"""Deliveries by HTTP: what is signed, what is repeated, and what Slack would never send."""

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs

import pytest
from aiohttp import web

from tests.fakes.slack.client import Slack
from tests.fakes.slack.raw import Api
from tests.fakes.slack.samples import CARD


@dataclass
class Arrived:
    """A request that came, with the header names in lower case."""

    headers: dict[str, str]
    body: bytes

    @property
    def payload(self) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.body)
        return found


@dataclass
class Server:
    """The app's own server: keeps what comes and answers as it is told."""

    url: str = ""
    status: int = 200
    answer: str = ""
    kind: str = "text/plain"
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    arrived: asyncio.Queue[Arrived] = field(default_factory=asyncio.Queue)

    async def handle(self, request: web.BaseRequest) -> web.Response:
        named = {name.lower(): value for name, value in request.headers.items()}
        self.arrived.put_nowait(Arrived(named, await request.read()))
        await asyncio.sleep(self.seconds)
        return web.Response(status=self.status, text=self.answer, content_type=self.kind, headers=self.headers)

    async def next(self) -> Arrived:
        return await asyncio.wait_for(self.arrived.get(), 5)


@pytest.fixture
async def server(slack: Slack) -> AsyncIterator[Server]:
    made = Server()
    runner = web.ServerRunner(web.Server(made.handle, access_log=None), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}/slack"
    await slack.use_http(made.url)
    yield made
    await runner.cleanup()


def signed(slack: Slack, request: Arrived) -> bool:
    timestamp = request.headers["x-slack-request-timestamp"]
    mine = hmac.new(slack.signing_secret.encode(), f"v0:{timestamp}:".encode() + request.body, hashlib.sha256)
    return request.headers["x-slack-signature"] == f"v0={mine.hexdigest()}" and abs(time.time() - int(timestamp)) < 60


async def test_event_is_signed_json(slack: Slack, server: Server) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    await slack.advance(3600)  # the signature goes by the real time
    sent = await slack.write(chat, ada, "hällo")
    request = await server.next()
    assert signed(slack, request)
    assert request.headers["content-type"] == "application/json"
    assert request.payload["event_id"] == sent.event_id
    assert "x-slack-retry-num" not in request.headers
    await slack.wait_confirmed()


async def test_interactions_and_commands_are_signed_forms(slack: Slack, server: Server, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    posted = await api.ok("chat.postMessage", {"channel": room.id, "text": "x", "blocks": CARD})
    await server.next()  # the bot's own message
    pressed = await slack.press(room, ada, posted["ts"], "Approve")
    request = await server.next()
    assert signed(slack, request)
    form = parse_qs(request.body.decode())
    payload = json.loads(form["payload"][0])
    assert (payload["type"], payload["actions"][0]["value"]) == ("block_actions", "yes")
    assert (await slack.wait_answer(pressed, expect_notice=False)).acked
    server.answer = "at your service"
    asked = await slack.command(room, ada, "/askfirst", "help me")
    request = await server.next()
    assert signed(slack, request)
    fields = {name: values[0] for name, values in parse_qs(request.body.decode()).items()}
    assert (fields["command"], fields["text"], fields["user_id"]) == ("/askfirst", "help me", ada.id)
    assert (fields["channel_name"], fields["is_enterprise_install"]) == ("general", "false")
    assert (await slack.wait_answer(asked)).text == "at your service"


async def test_addresses_can_differ(slack: Slack, server: Server) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    await slack.use_http("http://127.0.0.1:9/nowhere", commands=server.url)
    await slack.command(room, ada, "/askfirst", "help")
    assert (await server.next()).headers["content-type"] == "application/x-www-form-urlencoded"


async def test_failed_event_comes_again_at_once_and_later(slack: Slack, server: Server) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    server.status = 500
    sent = await slack.write(chat, ada, "hello")
    tries = [await server.next(), await server.next()]
    for seconds in (60, 300):
        await slack.wait_tries(sent.event_ids[0], len(tries))
        await slack.advance(seconds)
        tries.append(await server.next())
    await slack.wait_confirmed()
    told = [(each.headers.get("x-slack-retry-num"), each.headers.get("x-slack-retry-reason")) for each in tries]
    assert told == [(None, None), ("1", "http_error"), ("2", "http_error"), ("3", "http_error")]
    assert len({each.payload["event_id"] for each in tries}) == 1
    assert (await slack.deliveries())[0].state == "lost"


async def test_slow_answer_is_no_answer(slack: Slack, server: Server) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    await slack.settings(ack_within=0.1)
    server.seconds = 0.3
    await slack.write(chat, ada, "hello")
    await server.next()
    server.seconds = 0
    assert (await server.next()).headers["x-slack-retry-reason"] == "http_timeout"
    await slack.wait_confirmed()


async def test_no_retry_ends_it(slack: Slack, server: Server) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    server.status, server.headers = 500, {"X-Slack-No-Retry": "1"}
    await slack.write(chat, ada, "hello")
    await server.next()
    await slack.wait_confirmed()
    assert [(each.state, each.tries) for each in await slack.deliveries()] == [("lost", 1)]


async def test_no_retry_means_nothing_beside_success(slack: Slack, server: Server) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    server.headers = {"X-Slack-No-Retry": "1"}
    await slack.write(chat, ada, "hello")
    await slack.wait_confirmed()
    assert (await slack.deliveries())[0].state == "taken"


async def test_missing_server_is_a_failed_connection(slack: Slack, server: Server) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    await slack.use_http("http://127.0.0.1:9/nowhere")
    sent = await slack.write(chat, ada, "hello")
    await slack.wait_tries(sent.event_ids[0], 2)
    await slack.use_http(server.url)
    await slack.advance(60)
    request = await server.next()
    assert request.headers["x-slack-retry-reason"] == "connection_failed"
    assert request.payload["event_id"] == sent.event_id


@pytest.mark.parametrize(
    ("how", "status"),
    [("good", 200), ("bad", 401), ("none", 401), ("stale", 401), ("future", 401), ("words", 401)],
)
async def test_forged_posts_reach_the_app(slack: Slack, server: Server, how: str, status: int) -> None:
    """What the app makes of them is its own affair: here it checks as it should."""
    server.status = status
    if how == "words":
        reply = await slack.forge(timestamp="yesterday")
    elif how in ("stale", "future"):
        reply = await slack.forge(age=301 if how == "stale" else -301)
    else:
        reply = await slack.forge(signature="bad" if how == "bad" else "none" if how == "none" else "good")
    assert reply.status == status
    request = await server.next()
    if how in ("bad", "stale", "future"):
        assert not signed(slack, request)
    assert ("x-slack-signature" in request.headers) == (how != "none")
    assert request.headers["x-slack-request-timestamp"].isdigit() == (how != "words")


async def test_any_body_can_be_posted(slack: Slack, server: Server) -> None:
    server.answer = "a-challenge"
    body = json.dumps({"type": "url_verification", "challenge": "a-challenge", "token": "x"})
    assert (await slack.forge(body)).text == "a-challenge"
    await slack.forge("ssl_check=1&token=x", content_type="application/x-www-form-urlencoded")
    await slack.forge("{not json")
    bodies = [(await server.next()).body for _ in range(3)]
    assert bodies == [body.encode(), b"ssl_check=1&token=x", b"{not json"]
