"""Files: fetched with the token, which goes to Slack alone, and no further than they may be."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from aiohttp import ClientSession, web

from channels.errors import ChannelError, FileGone, FileTooLarge, OutcomeUnknown, Refused
from channels.events import Attachment, Message
from channels.slack.downloads import fetch, trusted
from channels.slack.refusals import MissingScope
from tests.channels.slack.house import House, Visitor

pytestmark = pytest.mark.asyncio(loop_scope="module")

API = "https://slack.com/api/"
OWN = "http://127.0.0.1:8111/api/"


@pytest.mark.parametrize(
    ("address", "api", "may"),
    [
        ("https://files.slack.com/files-pri/T1-F1/download/a.zip", API, True),
        ("https://slack.com/files/a.zip", API, True),
        ("http://files.slack.com/a.zip", API, False),
        ("https://evilslack.com/a.zip", API, False),
        ("https://files.slack.com.evil.example/a.zip", API, False),
        ("https://files.slack.com@evil.example/a.zip", API, False),
        ("https://evil.example/files.slack.com", API, False),
        ("https://[", API, False),
        ("", API, False),
        ("http://127.0.0.1:8111/files/a.zip", OWN, True),
        ("http://127.0.0.1:8112/files/a.zip", OWN, False),
        ("https://files.slack.com/a.zip", OWN, True),
        ("https://files.slack-gov.com/a.zip", "https://slack-gov.com/api/", True),
        ("https://files.slack-gov.com/a.zip", API, False),
    ],
)
async def test_to_whom_the_token_may_be_shown(address: str, api: str, may: bool) -> None:
    assert trusted(address, api) is may


async def test_a_file_is_fetched_when_it_is_asked_for(house: House, visitor: Visitor) -> None:
    content = bytes(range(256)) * 300
    await house.slack.send_file(visitor.chat, visitor.user, name="a.zip", mime="application/zip", content=content)
    message = await house.inlet.next(Message, visitor.where)
    [file] = message.attachments
    assert (message.text, file.name, file.size, file.mime) == ("", "a.zip", len(content), "application/zip")
    assert await house.adapter.download(file, len(content)) == content
    with pytest.raises(FileTooLarge):
        await house.adapter.download(file, len(content) - 1)
    await house.slack.set_scopes(remove=["files:read"])
    with pytest.raises(MissingScope, match="files:read"):
        await house.adapter.download(file, len(content))
    await house.slack.set_scopes(add=["files:read"])
    with pytest.raises(FileGone):
        await house.adapter.download(Attachment("F0NONE", "a.zip"), 10)


@pytest_asyncio.fixture(loop_scope="module")
async def server() -> AsyncIterator[str]:
    """Answers as the path says."""
    shown: list[str] = []

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        shown.append(request.headers.get("Authorization", ""))
        match request.path:
            case "/page":
                return web.Response(text="<html>Sign in</html>", content_type="text/html")
            case "/elsewhere":
                return web.Response(status=302, headers={"Location": "/stolen"})
            case "/cut":
                response = web.StreamResponse(headers={"Content-Length": "100"})
                await response.prepare(request)
                await response.write(b"half")
                assert request.transport is not None
                request.transport.abort()
                return response
            case status:
                return web.Response(status=int(status.lstrip("/")))

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()
    assert set(shown) == {"Bearer xoxb-secret"}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("page", MissingScope),
        ("elsewhere", MissingScope),
        ("404", FileGone),
        ("500", OutcomeUnknown),
        ("cut", OutcomeUnknown),
    ],
)
async def test_what_is_no_file_is_not_taken_for_one(server: str, path: str, kind: type[ChannelError]) -> None:
    async with ClientSession() as http:
        with pytest.raises(kind) as caught:
            await fetch(http, f"{server}/{path}", f"{server}/api/", "xoxb-secret", 1000)
        assert "xoxb" not in str(caught.value)
        with pytest.raises(Refused):
            await fetch(http, f"{server}/{path}", API, "xoxb-secret", 1000)
