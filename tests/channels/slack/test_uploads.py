"""Files that we send: announced, posted to an address of Slack's, shared with a line of text; whole, or not at all."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio
from aiohttp import ClientSession, web

from channels.errors import ChannelError, NotSent, OutcomeUnknown, RateLimited, Refused
from channels.events import Conversation
from channels.files import File
from channels.outgoing import Outgoing, plain
from channels.slack.refusals import MissingScope
from channels.slack.uploads import put
from tests.channels.slack.house import House, Visitor
from tests.fakes.slack.raw import raw_api

pytestmark = pytest.mark.asyncio(loop_scope="module")

CONTENT = bytes(range(256)) * 8_000
FILE = File("Übersicht 名 (1).png", "image/png", CONTENT)
CAPTION = Outgoing(plain("a.png (2 MB) <!channel> & you"))


async def test_a_file_arrives_with_its_bytes_its_name_and_its_line(house: House, visitor: Visitor) -> None:
    ref = await house.adapter.upload(visitor.where, FILE, CAPTION)
    [shown] = await house.slack.messages(visitor.chat)
    assert (shown.text, shown.mentions) == ("a.png (2 MB) <!channel> & you", ())
    [file] = shown.raw["files"]
    assert (file["id"], file["name"], file["title"]) == (ref.id, FILE.name, FILE.name)
    async with raw_api(house.slack) as api:
        assert await api.fetch(file["url_private"]) == CONTENT


async def test_a_file_for_a_thread_stays_in_it(house: House, visitor: Visitor) -> None:
    asked = await house.slack.write(visitor.chat, visitor.user, "picture?")
    await house.adapter.upload(replace(visitor.where, thread=asked.message_id), FILE, CAPTION)
    assert (await house.slack.messages(visitor.chat))[-1].thread == asked.message_id


async def test_a_file_for_a_person_goes_to_the_chat_with_them(house: House, visitor: Visitor) -> None:
    await house.adapter.upload(Conversation("team", visitor.user.id), FILE, CAPTION)
    assert len(await house.slack.messages(visitor.chat)) == 1


async def test_an_app_without_the_scope_says_which(house: House, visitor: Visitor) -> None:
    await house.slack.set_scopes(remove=["files:write"])
    with pytest.raises(MissingScope, match="files:write"):
        await house.adapter.upload(visitor.where, FILE, CAPTION)
    await house.slack.set_scopes(add=["files:write"])


@pytest.mark.parametrize(
    ("method", "kind", "there"),
    [
        ("files.getUploadURLExternal", NotSent, 0),
        ("files.completeUploadExternal", OutcomeUnknown, 1),
    ],
)
async def test_only_the_last_step_leaves_the_outcome_open(
    house: House, visitor: Visitor, method: str, kind: type[ChannelError], there: int
) -> None:
    await house.slack.answer_with(method, body="<html>", status=502, when="after")
    with pytest.raises(kind):
        await house.adapter.upload(visitor.where, FILE, CAPTION)
    assert len(await house.slack.messages(visitor.chat)) == there


async def test_bytes_are_sent_to_no_address_but_slacks(house: House, visitor: Visitor, server: str) -> None:
    answer = {"ok": True, "upload_url": f"{server}/200", "file_id": "F1"}
    await house.slack.answer_with("files.getUploadURLExternal", body=json.dumps(answer))
    with pytest.raises(Refused, match="not its own"):
        await house.adapter.upload(visitor.where, FILE, CAPTION)
    assert await house.slack.calls("files.completeUploadExternal", chat=visitor.chat) == []


@pytest_asyncio.fixture(loop_scope="module")
async def server() -> AsyncIterator[str]:
    """Answers as the path says."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        assert "Authorization" not in request.headers
        return web.Response(status=int(request.path.lstrip("/")), headers={"Location": "/200"})

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@pytest.mark.parametrize(
    ("status", "kind"), [("302", NotSent), ("404", NotSent), ("413", Refused), ("429", RateLimited), ("500", NotSent)]
)
async def test_bytes_that_are_not_taken_may_be_sent_again_unless_they_are_too_many(
    server: str, status: str, kind: type[ChannelError]
) -> None:
    async with ClientSession() as http:
        await put(http, f"{server}/200", f"{server}/api/", b"x")
        with pytest.raises(kind) as caught:
            await put(http, f"{server}/{status}", f"{server}/api/", b"x")
        assert server not in str(caught.value)
