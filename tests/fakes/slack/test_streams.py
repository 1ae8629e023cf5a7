"""Messages that grow while they are read, what an assistant shows, and files."""

from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack.answers import Person, Place
from tests.fakes.slack.client import Slack
from tests.fakes.slack.raw import Api, socket
from tests.fakes.slack.samples import CARD, section

Json = dict[str, Any]


async def thread_in_private(slack: Slack) -> tuple[Person, Place, str]:
    """Someone's direct messages, and a thread there."""
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    return ada, chat, (await slack.write(chat, ada, "question")).message_id


async def test_sdk_streams_into_a_thread(slack: Slack, sdk: AsyncWebClient) -> None:
    ada, chat, thread = await thread_in_private(slack)
    stream = await sdk.chat_stream(
        channel=chat.id, thread_ts=thread, recipient_user_id=ada.id, recipient_team_id=slack.team_id, buffer_size=4
    )
    await stream.append(markdown_text="**Hel")
    await slack.wait_calls("chat.startStream")
    await stream.append(markdown_text="lo** you")
    live = await slack.wait_message(chat, thread=thread, containing="Hello you")
    assert live.stream == "live"
    await stream.stop(blocks=CARD)
    done = await slack.wait_message(chat, button="Approve", message=live.id)
    assert (done.stream, done.text, done.styles[0].kind) == ("done", "Hello you\nSend it?", "bold")


async def test_stream_ends_once(slack: Slack, api: Api) -> None:
    _, chat, thread = await thread_in_private(slack)
    ts = (await api.ok("chat.startStream", {"channel": chat.id, "thread_ts": thread}))["ts"]
    grow = {"channel": chat.id, "ts": ts, "markdown_text": "x"}
    await api.ok("chat.appendStream", grow)
    assert await api.refused("chat.update", {"channel": chat.id, "ts": ts, "text": "x"}) == "streaming_state_conflict"
    await api.ok("chat.stopStream", {"channel": chat.id, "ts": ts})
    assert await api.refused("chat.appendStream", grow) == "message_not_in_streaming_state"
    assert await api.refused("chat.stopStream", grow) == "message_not_in_streaming_state"
    await api.ok("chat.update", {"channel": chat.id, "ts": ts, "text": "ordinary by now"})


async def test_reader_can_stop_a_stream(slack: Slack, api: Api) -> None:
    _, chat, thread = await thread_in_private(slack)
    ts = (await api.ok("chat.startStream", {"channel": chat.id, "thread_ts": thread, "markdown_text": "a"}))["ts"]
    await slack.stop_stream(chat, ts)
    assert await api.refused("chat.appendStream", {"channel": chat.id, "ts": ts, "markdown_text": "b"}) == (
        "stopped_by_user"
    )
    assert (await slack.wait_message(chat, message=ts)).text == "a"


async def test_stream_is_told_as_a_message_and_a_change(slack: Slack, api: Api) -> None:
    _, chat, thread = await thread_in_private(slack)
    async with socket(api) as line:
        await line.event()
        ts = (await api.ok("chat.startStream", {"channel": chat.id, "thread_ts": thread}))["ts"]
        assert (await line.event())["ts"] == ts
        await api.ok("chat.appendStream", {"channel": chat.id, "ts": ts, "markdown_text": "x"})
        await api.ok("chat.stopStream", {"channel": chat.id, "ts": ts})
        assert (await line.event())["subtype"] == "message_changed"


async def test_stream_in_a_channel_says_whom_it_answers(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    thread = (await slack.write(room, ada, "question")).message_id
    start = {"channel": room.id, "thread_ts": thread}
    assert await api.breach("chat.startStream", start) == "missing_recipient_user_id"
    start["recipient_user_id"] = ada.id
    assert await api.breach("chat.startStream", start) == "missing_recipient_team_id"
    start["recipient_team_id"] = slack.team_id
    await api.ok("chat.startStream", start)


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({}, "no_text"),
        ({"chunks": [{"type": "song"}]}, "invalid_chunks"),
        ({"chunks": [{"type": "blocks", "blocks": [section("")]}]}, "invalid_blocks"),
        ({"chunks": [{"type": "blocks", "blocks": [{"type": "divider"}] * 51}]}, "invalid_blocks"),
        ({"chunks": [{"type": "blocks", "blocks": [{"type": "divider"}] * 26}] * 2}, "msg_blocks_too_many"),
        ({"markdown_text": "x" * 12_001}, "msg_blocks_too_long"),
        ({"blocks": CARD}, "invalid_arguments"),
    ],
)
async def test_pieces_that_slack_would_not_take(slack: Slack, api: Api, more: Json, code: str) -> None:
    _, chat, thread = await thread_in_private(slack)
    ts = (await api.ok("chat.startStream", {"channel": chat.id, "thread_ts": thread}))["ts"]
    assert await api.breach("chat.appendStream", {"channel": chat.id, "ts": ts, **more}) == code


async def test_tasks_and_plans_are_updated_in_place(slack: Slack, api: Api) -> None:
    _, chat, thread = await thread_in_private(slack)
    start = {"channel": chat.id, "thread_ts": thread, "chunks": [{"type": "plan_update", "title": "Plan"}]}
    ts = (await api.ok("chat.startStream", start))["ts"]
    for status in ("in_progress", "complete"):
        chunk = {"type": "task_update", "id": "1", "title": f"Look ({status})", "status": status}
        await api.ok("chat.appendStream", {"channel": chat.id, "ts": ts, "chunks": [chunk]})
    assert (await slack.wait_message(chat, message=ts)).text == "Plan\nLook (complete)"


async def test_status_lasts_until_the_next_message_or_two_minutes(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    thread = (await slack.start_thread(ada)).message_id
    chat = await slack.private_chat(ada)
    say = {"channel_id": chat.id, "thread_ts": thread, "status": "is thinking", "loading_messages": ["Looking"]}
    await api.ok("assistant.threads.setStatus", say)
    assert (await slack.statuses(chat))[thread]["status"] == "is thinking"
    await api.ok("chat.postMessage", {"channel": chat.id, "thread_ts": thread, "text": "done"})
    assert (await slack.statuses(chat))[thread]["status"] == ""
    await api.ok("assistant.threads.setStatus", say)
    await slack.advance(121)
    status = (await slack.statuses(chat))[thread]
    assert (status["status"], status["history"]) == ("", ["is thinking", "is thinking"])
    assert await api.refused("assistant.threads.setStatus", {**say, "thread_ts": "1.000001"}) == "invalid_thread_ts"
    assert await api.breach("assistant.threads.setStatus", {**say, "loading_messages": ["x" * 51]}) == (
        "invalid_arguments"
    )


async def test_assistant_thread_is_opened_named_and_given_prompts(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    chat = await slack.private_chat(ada)
    async with socket(api) as line:
        thread = (await slack.start_thread(ada, {"channel_id": room.id})).message_id
        started = await line.event("assistant_thread_started")
        assert started["assistant_thread"]["thread_ts"] == thread
        assert started["assistant_thread"]["context"] == {"channel_id": room.id}
        await slack.write(chat, ada, "hello", thread=thread)
        assert (await line.event("message"))["thread_ts"] == thread
        await slack.change_context(ada, thread, {})
        assert (await line.event())["type"] == "assistant_thread_context_changed"
        await slack.open_home(ada)
        assert (await line.event())["type"] == "app_home_opened"
    where = {"channel_id": chat.id, "thread_ts": thread}
    await api.ok("assistant.threads.setTitle", {**where, "title": "Greetings"})
    prompts = [{"title": "Help", "message": "What can you do?"}]
    await api.ok("assistant.threads.setSuggestedPrompts", {**where, "prompts": prompts})
    status = (await slack.statuses(chat))[thread]
    assert (status["title"], status["prompts"]) == ("Greetings", prompts)
    too_many = {**where, "prompts": prompts * 5}
    assert await api.breach("assistant.threads.setSuggestedPrompts", too_many) == "invalid_arguments"


async def test_bytes_of_a_file_need_the_token(slack: Slack, api: Api) -> None:
    ada, chat, _ = await thread_in_private(slack)
    await slack.send_file(chat, ada, content=b"secret")
    url = (await slack.messages(chat))[-1].raw["files"][0]["url_private"]
    async with api.http.get(url) as response:
        assert (response.status, response.content_type) == (200, "text/html")
    async with api.http.get(url, headers={"Authorization": f"Bearer {slack.bot_token}"}) as response:
        assert await response.read() == b"secret"


async def test_a_file_that_somebody_sent_is_described_by_its_id(slack: Slack, api: Api) -> None:
    ada, chat, _ = await thread_in_private(slack)
    await slack.send_file(chat, ada, content=b"secret")
    sent = (await slack.messages(chat))[-1].raw["files"][0]
    assert (await api.ask("files.info", {"file": sent["id"]}))["file"] == sent
    assert (await api.ask("files.info", {"file": "F0NONE"}))["error"] == "file_not_found"
    await slack.set_scopes(remove=["files:read"])
    assert (await api.ask("files.info", {"file": sent["id"]}))["error"] == "missing_scope"


async def test_sdk_uploads_a_file(slack: Slack, sdk: AsyncWebClient) -> None:
    _, chat, thread = await thread_in_private(slack)
    await sdk.files_upload_v2(
        channel=chat.id, thread_ts=thread, filename="notes.txt", content="hello", initial_comment="Here"
    )
    shown = await slack.wait_message(chat, containing="Here", thread=thread)
    assert shown.raw["files"][0]["name"] == "notes.txt"


async def test_file_that_never_came_cannot_be_shared(slack: Slack, api: Api) -> None:
    announced = await api.ask("files.getUploadURLExternal", {"filename": "a.txt", "length": "3"})
    share = {"files": [{"id": announced["file_id"]}]}
    assert await api.refused("files.completeUploadExternal", share) == "file_not_found"
    async with api.http.post(announced["upload_url"], data=b"four") as response:
        assert response.status == 200
    assert await api.breach("files.completeUploadExternal", share) == "file_update_failed"
