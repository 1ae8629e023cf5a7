"""Files that a browser sends: taken from those who may, not even read from others, and never more than is taken."""

from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from uuid import uuid4

import pytest
from aiohttp import FormData

from channels.errors import FileGone
from channels.events import Message
from channels.web.routes import MARK
from channels.web.uploads import KEPT
from channels.web.visitors import Rights
from tests.channels.web.house import House, Visitor, open_house

MOST = 10_000


@pytest.fixture
async def house(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[House]:
    """Where the admin may send files."""

    def rights(visitor: object) -> Rights:
        return Rights("/console", MOST)

    async with open_house(sqlite_template, tmp_path, rights=rights) as house:
        yield house


def form(content: bytes, name: str = "a.zip", number: str = "") -> FormData:
    made = FormData(quote_fields=False)
    made.add_field("id", number or str(uuid4()))
    made.add_field("file", BytesIO(content), filename=name, content_type="application/zip")
    return made


async def send(house: House, sent: FormData | bytes, headers: dict[str, str] | None = None) -> tuple[int, str]:
    """Status, and the code of a refusal."""
    marked = {MARK: "1"} if headers is None else headers
    async with house.browser.post(f"{house.chat}/files", data=sent, headers=marked) as answer:
        said = await answer.json()
        return answer.status, said.get("error", {}).get("code", "")


async def test_a_file_is_in_the_hands_of_the_channel_until_it_is_fetched(house: House) -> None:
    number = str(uuid4())
    for _ in range(2):  # a second try bears the same id
        assert await send(house, form(b"x" * MOST, "a\u202eb.zip", number)) == (200, "")
    message = await house.inlet.next(Message, Visitor(house).where)
    [file] = message.attachments
    assert (message.text, file.size, file.mime, message.ref) == ("", MOST, "application/zip", number)
    assert await house.adapter.download(file, MOST) == b"x" * MOST
    with pytest.raises(FileGone):
        await house.adapter.download(file, MOST)
    [said] = await Visitor(house).messages()
    assert said["html"] == r"File: a\u202eb.zip"


async def test_few_are_kept_at_once(house: House) -> None:
    for number in range(KEPT + 1):
        assert (await send(house, form(bytes([number]))))[0] == 200
    sent = [event.attachments[0] for event in house.inlet.events if isinstance(event, Message)]
    with pytest.raises(FileGone):
        await house.adapter.download(sent[0], MOST)
    assert await house.adapter.download(sent[-1], MOST) == bytes([KEPT])


async def test_who_may_send_none_is_heard_and_their_file_is_not_read(sqlite_template: Path, tmp_path: Path) -> None:
    async with open_house(sqlite_template, tmp_path) as house:
        assert (await send(house, form(b"x" * 100_000)))[0] == 200
        [event] = house.inlet.events
        assert isinstance(event, Message)
        [file] = event.attachments
        assert (file.id, file.name, file.size) == ("", "a.zip", None)


async def test_what_is_not_taken_is_told(house: House) -> None:
    assert await send(house, form(b"x" * (MOST + 1))) == (413, "too_long")
    assert await send(house, form(b"x", number="not an id")) == (422, "unreadable")
    assert await send(house, b"x", {MARK: "1", "Content-Type": "multipart/form-data; boundary=b"}) == (
        422,
        "unreadable",
    )
    assert await send(house, b"{}", {MARK: "1", "Content-Type": "application/json"}) == (415, "not_a_form")
    assert await send(house, form(b"x"), {}) == (403, "foreign_page")
    assert await send(house, form(b"x"), {MARK: "1", "Origin": "https://evil.example"}) == (403, "foreign_page")
    assert house.inlet.events == []
    assert await Visitor(house).messages() == []
