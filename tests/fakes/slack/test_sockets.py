"""Socket Mode: how connections begin and end, and what becomes of events that nobody acknowledges."""

import asyncio
from contextlib import AsyncExitStack

import aiohttp
import pytest

from tests.fakes.slack.client import Slack
from tests.fakes.slack.line import Waited
from tests.fakes.slack.raw import Api, Line, socket, socket_url


async def ended(line: Line) -> aiohttp.WSMsgType:
    """How the connection ended."""
    while True:
        message = await line.ws.receive(timeout=5.0)
        if message.type != aiohttp.WSMsgType.TEXT:
            return message.type


async def test_hello_comes_first(slack: Slack, api: Api) -> None:
    async with socket(api) as one, socket(api) as two:
        assert one.hello["type"] == "hello"
        assert one.hello["connection_info"]["app_id"] == slack.app_id
        assert (one.hello["num_connections"], two.hello["num_connections"]) == (1, 2)
        assert len(await slack.wait_sockets(2)) == 2
    await slack.wait_sockets(0)


async def test_ticket_serves_once_and_not_for_long(slack: Slack, api: Api) -> None:
    url = await socket_url(api)
    async with api.http.ws_connect(url):
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await api.http.ws_connect(url)
    old = await socket_url(api)
    await slack.advance(31)
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await api.http.ws_connect(old)


async def test_pings_are_answered(slack: Slack, api: Api) -> None:
    async with socket(api) as line:
        await line.ws.ping(b"sdk-ping-pong:1.5")
        message = await line.ws.receive(timeout=5.0)
        assert (message.type, message.data) == (aiohttp.WSMsgType.PONG, b"sdk-ping-pong:1.5")


async def test_each_event_goes_to_one_connection(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    async with socket(api) as one, socket(api) as two:
        for text in ("a", "b"):
            await slack.write(chat, ada, text)
        assert {(await one.event())["text"], (await two.event())["text"]} == {"a", "b"}
        await slack.wait_confirmed()


async def test_eleventh_connection_is_sent_away(slack: Slack, api: Api) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(10):
            await stack.enter_async_context(socket(api))
        late = await stack.enter_async_context(socket(api))
        assert (late.hello["type"], late.hello["reason"]) == ("disconnect", "too_many_websockets")
        assert await ended(late) == aiohttp.WSMsgType.CLOSE
        assert len(await slack.sockets()) == 10


async def test_events_wait_while_nobody_listens(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    await slack.write(chat, ada, "early")
    async with socket(api) as line:
        assert (await line.event())["text"] == "early"
        await slack.wait_confirmed()


async def test_unheard_events_can_be_lost_as_slack_loses_them(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    await slack.settings(lose_unheard=True)
    sent = await slack.write(chat, ada, "early")
    for tries, seconds in ((2, 60), (3, 300)):
        await slack.wait_tries(sent.event_ids[0], tries)
        await slack.advance(seconds)
    await slack.wait_confirmed()
    assert [(each.state, each.tries) for each in await slack.deliveries()] == [("lost", 4)]


async def test_what_is_not_acknowledged_comes_again_at_once_and_later(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    await slack.settings(ack_within=0.05)
    async with socket(api) as line:
        sent = await slack.write(chat, ada, "hello")
        tries = [await line.envelope(ack=False), await line.envelope(ack=False)]
        with pytest.raises(Waited):
            await slack.wait_confirmed(timeout=0.2)
        await slack.advance(60)
        tries.append(await line.envelope(ack=False))
        await slack.wait_tries(sent.event_ids[0], 3)
        await slack.advance(300)
        tries.append(await line.envelope())
        await slack.wait_confirmed()
    assert [(each["retry_attempt"], each["retry_reason"]) for each in tries] == [
        (0, ""),
        (1, "timeout"),
        (2, "timeout"),
        (3, "timeout"),
    ]
    assert len({each["payload"]["event_id"] for each in tries}) == 1
    assert len({each["envelope_id"] for each in tries}) == 4


async def test_event_is_given_up_after_three_repetitions(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    await slack.settings(ack_within=0.05)
    async with socket(api) as line:
        sent = await slack.write(chat, ada, "hello")
        for _ in range(2):
            await line.envelope(ack=False)
        await slack.wait_tries(sent.event_ids[0], 2)
        await slack.advance(60)
        await line.envelope(ack=False)
        await slack.wait_tries(sent.event_ids[0], 3)
        await slack.advance(300)
        await line.envelope(ack=False)
        await slack.wait_confirmed()
    assert (await slack.deliveries())[0].state == "lost"


async def test_cut_connection_gives_its_events_to_the_next(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    async with socket(api) as first:
        await slack.write(chat, ada, "hello")
        await first.envelope(ack=False)
        assert await slack.cut() == 1
        assert await ended(first) != aiohttp.WSMsgType.TEXT
        async with socket(api) as second:
            envelope = await second.envelope()
            assert (envelope["payload"]["event"]["text"], envelope["retry_attempt"]) == ("hello", 1)
            await slack.wait_confirmed()


@pytest.mark.parametrize("reason", ["too_many_websockets", "link_disabled"])
async def test_some_goodbyes_are_the_end(slack: Slack, api: Api, reason: str) -> None:
    async with socket(api) as line:
        await slack.disconnect("link_disabled" if reason == "link_disabled" else "too_many_websockets")
        assert (await line.frame())["reason"] == reason
        assert await ended(line) == aiohttp.WSMsgType.CLOSE


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
async def test_others_leave_ten_seconds(slack: Slack, api: Api, reason: str) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    async with socket(api) as line:
        await slack.disconnect("warning" if reason == "warning" else "refresh_requested")
        assert await line.frame() == {"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-1"}}
        await slack.write(chat, ada, "still here")
        assert (await line.event())["text"] == "still here"
        await slack.advance(10)
        assert await ended(line) == aiohttp.WSMsgType.CLOSE


async def test_deaf_connection_answers_pings_and_says_nothing(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    async with socket(api) as deaf, socket(api) as other:
        await slack.deafen(socket=(await slack.sockets())[0].number)
        for text in ("a", "b"):
            await slack.write(chat, ada, text)
        assert [(await other.event())["text"] for _ in range(2)] == ["a", "b"]
        await deaf.ws.ping(b"x")
        assert (await deaf.ws.receive(timeout=5.0)).type == aiohttp.WSMsgType.PONG
        await slack.deafen(pings=False)
        await deaf.ws.ping(b"x")
        await slack.write(chat, ada, "c")
        with pytest.raises(asyncio.TimeoutError):
            await deaf.ws.receive(timeout=0.2)
        await slack.undeafen()
        texts = await asyncio.wait_for(_either(deaf, other), 5)
        assert texts == "c"


async def _either(*lines: Line) -> str:
    """The text of the event that comes to one of these."""
    waiting = [asyncio.create_task(line.event()) for line in lines]
    done, left = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in left:
        task.cancel()
    return str(done.pop().result()["text"])


async def test_deaf_connection_may_swallow_what_then_comes_again(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    await slack.settings(ack_within=0.05)
    async with socket(api) as deaf, socket(api) as other:
        await slack.deafen(socket=(await slack.sockets())[0].number, swallow=True)
        await slack.write(chat, ada, "a")
        envelope = await other.envelope()
        assert (envelope["payload"]["event"]["text"], envelope["retry_attempt"]) == ("a", 1)
        await deaf.ws.ping(b"x")
        assert (await deaf.ws.receive(timeout=5.0)).type == aiohttp.WSMsgType.PONG  # and nothing before it


async def test_press_that_nobody_hears_fails_at_once(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    asked = await slack.command(room, ada, "/askfirst", "help")
    answer = await slack.wait_answer(asked)
    assert (answer.acked, answer.failed) == (False, "connection_failed")


async def test_press_is_not_repeated(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    await slack.settings(ack_within=0.05)
    async with socket(api) as line:
        asked = await slack.command(room, ada, "/askfirst", "help")
        frame = await line.envelope(ack=False)
        assert (frame["type"], "retry_attempt" in frame) == ("slash_commands", False)
        assert (await slack.wait_answer(asked)).failed == "timeout"
        await slack.wait_confirmed()


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        pytest.param("hello", "no acknowledgement", id="no JSON"),
        pytest.param('{"type": "ping"}', "no acknowledgement", id="no envelope"),
        pytest.param('{"envelope_id": "x"}', "never sent", id="unknown envelope"),
    ],
)
async def test_frames_that_are_no_acknowledgement_are_counted(slack: Slack, api: Api, frame: str, reason: str) -> None:
    async with socket(api) as line:
        await line.ws.send_str(frame)
        await line.ws.ping(b"x")
        await line.ws.receive(timeout=5.0)
    assert reason in (await slack.violations(forget=True))[0].reason


async def test_events_take_no_payload(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    async with socket(api) as line:
        await slack.write(chat, ada, "a")
        await line.ack(await line.envelope(ack=False), {"text": "b"})
        await slack.wait_confirmed()
    assert "no payload" in (await slack.violations(forget=True))[0].reason


async def test_refused_connections_end_the_sockets_too(slack: Slack, api: Api) -> None:
    async with socket(api) as line:
        await slack.refuse_connections()
        assert await ended(line) != aiohttp.WSMsgType.TEXT
        with pytest.raises(aiohttp.ClientConnectionError):
            await socket_url(api)
        await slack.accept_connections()
        async with socket(api) as again:
            assert again.hello["type"] == "hello"
