"""slack-bolt against the fake: what it sends is taken, what it gets it understands, over both transports."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncSay
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack.client import Slack
from tests.fakes.slack.samples import CARD, modal

Json = dict[str, Any]


def app_of(slack: Slack, sdk: AsyncWebClient) -> AsyncApp:
    """Shows a card to whoever writes, thanks whoever presses, and asks for settings on command."""
    app = AsyncApp(client=sdk, signing_secret=slack.signing_secret, process_before_response=True)

    @app.event({"type": "message", "subtype": None})
    async def message(event: Json, say: AsyncSay) -> None:
        await say(text="card", blocks=CARD, thread_ts=event["ts"])

    @app.event("app_mention")
    async def mention() -> None:
        """It is answered as a message already."""

    @app.action("approve")
    async def approve(ack: AsyncAck, body: Json, client: AsyncWebClient) -> None:
        await ack()
        where = {"channel": body["channel"]["id"], "user": body["user"]["id"]}
        await client.chat_postEphemeral(**where, text="Thanks")

    @app.command("/askfirst")
    async def command(ack: AsyncAck, body: Json, client: AsyncWebClient) -> None:
        await client.views_open(trigger_id=body["trigger_id"], view=modal())
        await ack("Here you are")

    @app.view("settings")
    async def settings(ack: AsyncAck, body: Json) -> None:
        value = body["view"]["state"]["values"]["name"]["value"]["value"]
        if value == "bad":
            await ack(response_action="errors", errors={"name": "Not that one"})
            return
        await ack()

    return app


@asynccontextmanager
async def by_socket(slack: Slack, sdk: AsyncWebClient) -> AsyncIterator[None]:
    handler = AsyncSocketModeHandler(app_of(slack, sdk), slack.app_token, ping_interval=0.2)
    await handler.connect_async()  # type: ignore[no-untyped-call]  # bolt left this one out
    await slack.wait_sockets(1)
    try:
        yield
    finally:
        handler.client.message_processor.cancel()
        await handler.close_async()  # type: ignore[no-untyped-call]  # as above
        await asyncio.gather(handler.client.message_processor, return_exceptions=True)


@asynccontextmanager
async def by_http(slack: Slack, sdk: AsyncWebClient) -> AsyncIterator[None]:
    app = app_of(slack, sdk)

    async def handle(request: web.BaseRequest) -> web.Response:
        asked = AsyncBoltRequest(body=await request.text(), query="", headers=dict(request.headers))
        answer = await app.async_dispatch(asked)
        headers = {name: values[0] for name, values in answer.headers.items() if name.lower() != "content-length"}
        return web.Response(status=answer.status, body=answer.body.encode(), headers=headers)

    runner = web.ServerRunner(web.Server(handle, access_log=None), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    await slack.use_http(f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events")
    try:
        yield
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("transport", [by_socket, by_http])
async def test_a_day_in_the_life_of_a_card(slack: Slack, sdk: AsyncWebClient, transport: Any) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    async with transport(slack, sdk):
        sent = await slack.write(room, ada, f"{slack.mention} may I?")
        card = await slack.wait_message(room, button="Approve", thread=sent.message_id)
        pressed = await slack.press(room, ada, card.id, "Approve")
        assert (await slack.wait_answer(pressed)).text == "Thanks"
        asked = await slack.command(room, ada, "/askfirst", "settings")
        assert (await slack.wait_answer(asked)).text == "Here you are"
        view = await slack.wait_view(ada)
        await slack.submit(view, {"Name": "bad"})
        assert (await slack.wait_view(ada, error="Not that one")).errors == {"Name": "Not that one"}
        await slack.submit(view, {"Name": "good"})
        await slack.wait_no_view(ada)
        await slack.wait_confirmed()
        assert len(await slack.messages(room)) == 2


async def test_socket_handler_comes_back_after_any_end(slack: Slack, sdk: AsyncWebClient) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    async with by_socket(slack, sdk):
        for end in ("disconnect", "cut", "deaf"):
            [before] = await slack.wait_sockets(1)
            if end == "disconnect":
                await slack.disconnect("refresh_requested")
            elif end == "cut":
                await slack.cut()
            else:
                await slack.deafen(pings=False)
            sent = await slack.write(chat, ada, end)
            await slack.wait_message(chat, button="Approve", thread=sent.message_id)
            await slack.wait_confirmed()
            await slack.wait_sockets(1, newer_than=before.number)
