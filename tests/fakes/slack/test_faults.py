"""The faults that a test can plant, seen from the app's side."""

import asyncio

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack.client import Slack
from tests.fakes.slack.line import ControlError, Waited
from tests.fakes.slack.raw import Api


async def chat_of_someone(slack: Slack) -> str:
    ada = await slack.user("Ada")
    return (await slack.private_chat(ada)).id


async def test_429_concerns_one_channel_for_so_many_calls(slack: Slack, sdk: AsyncWebClient) -> None:
    one, other = await chat_of_someone(slack), await chat_of_someone(slack)
    await slack.fail("chat.postMessage", status=429, retry_after=3, chat=one, skip=1, times=2)
    await sdk.chat_postMessage(channel=one, text="a")
    await sdk.chat_postMessage(channel=other, text="a")
    for _ in range(2):
        with pytest.raises(SlackApiError) as refusal:
            await sdk.chat_postMessage(channel=one, text="b")
        assert (refusal.value.response.status_code, refusal.value.response["error"]) == (429, "ratelimited")
        assert refusal.value.response.headers["Retry-After"] == "3"
    await sdk.chat_postMessage(channel=one, text="c")
    assert [message.text for message in await slack.messages(one)] == ["a", "c"]


async def test_any_code_of_the_method_can_be_answered(slack: Slack, api: Api) -> None:
    chat = await chat_of_someone(slack)
    await slack.fail("chat.postMessage", error="restricted_action")
    assert await api.refused("chat.postMessage", {"channel": chat, "text": "a"}) == "restricted_action"
    await slack.fail(error="fatal_error")
    assert (await api("auth.test"))["error"] == "fatal_error"
    with pytest.raises(ControlError):
        await slack.fail("auth.test", error="no_text")


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        pytest.param(502, "<html>Bad Gateway</html>", "text/html", id="HTML"),
        pytest.param(200, "", "application/json", id="nothing"),
        pytest.param(200, '{"ok":true,"cha', "application/json", id="cut"),
        pytest.param(200, '{"ok":false}', "application/json", id="not ok and no code"),
    ],
)
async def test_any_body_can_be_answered_though_the_call_is_applied(
    slack: Slack, api: Api, status: int, body: str, kind: str
) -> None:
    chat = await chat_of_someone(slack)
    await slack.answer_with("chat.postMessage", status=status, body=body, content_type=kind, when="after")
    headers = {"Authorization": f"Bearer {slack.bot_token}"}
    post = {"channel": chat, "text": "a"}
    async with api.http.post(f"{slack.api_url}chat.postMessage", json=post, headers=headers) as response:
        assert (response.status, await response.text()) == (status, body)
    assert [message.text for message in await slack.messages(chat)] == ["a"]


@pytest.mark.parametrize(("when", "count"), [("before", 0), ("after", 1)])
async def test_dropped_call_is_applied_or_not(slack: Slack, api: Api, when: str, count: int) -> None:
    chat = await chat_of_someone(slack)
    await slack.drop("chat.postMessage", when="after" if when == "after" else "before")
    with pytest.raises(aiohttp.ClientError):
        await api("chat.postMessage", {"channel": chat, "text": "a"})
    assert len(await slack.messages(chat)) == count
    [call] = await slack.wait_calls("chat.postMessage")
    assert call.verdict == ("ok" if count else "lost")


async def test_held_call_waits_for_its_release(slack: Slack, api: Api) -> None:
    chat = await chat_of_someone(slack)
    await slack.hold("chat.postMessage")
    sending = asyncio.create_task(api.ok("chat.postMessage", {"channel": chat, "text": "a"}))
    held = await slack.wait_held("chat.postMessage")
    assert (held.held, await slack.messages(chat)) == ("before", [])
    assert await slack.release() == 1
    await sending
    await slack.wait_message(chat, text="a")


async def test_held_call_can_be_discarded(slack: Slack, api: Api) -> None:
    chat = await chat_of_someone(slack)
    await slack.hold("chat.postMessage", when="after")
    sending = asyncio.create_task(api("chat.postMessage", {"channel": chat, "text": "a"}))
    held = await slack.wait_held()
    await slack.release(call=held.number, discard=True)
    with pytest.raises(aiohttp.ClientError):
        await sending
    assert len(await slack.messages(chat)) == 1


async def test_call_can_be_slow(slack: Slack, api: Api) -> None:
    await slack.delay("auth.test", seconds=0.05)
    await api.ok("auth.test")
    [call] = await slack.calls("auth.test")
    assert call.ended - call.at >= 0.05


async def test_fault_can_be_taken_back(slack: Slack, api: Api) -> None:
    fault = await slack.fail("auth.test", status=500, times=None)
    await slack.clear_faults(fault)
    await api.ok("auth.test")


async def test_connections_can_be_refused(slack: Slack, api: Api) -> None:
    await slack.refuse_connections()
    with pytest.raises(aiohttp.ClientConnectionError):
        await api("auth.test")
    await slack.accept_connections()
    await api.ok("auth.test")


async def test_waiting_says_what_there_was_instead(slack: Slack, api: Api) -> None:
    chat = await chat_of_someone(slack)
    await api.ok("chat.postMessage", {"channel": chat, "text": "something else"})
    with pytest.raises(Waited, match="something else"):
        await slack.wait_message(chat, containing="hello", timeout=0.05)
    with pytest.raises(Waited, match=r"chat\.postMessage"):
        await slack.wait_calls("chat.update", timeout=0.05)
