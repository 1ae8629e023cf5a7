"""Files that we show: a link in the message, for whoever may see that chat, and saved by the browser whatever they are."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store import files
from bot.store.database import Tx
from channels.errors import ConversationGone
from channels.events import Conversation
from channels.files import File, FileRef
from channels.outgoing import Outgoing, plain
from tests.bot.parts import begin
from tests.channels.web.house import House, Visitor, open_house

PICTURE = File('Ü "名".svg', "image/svg+xml", b"<svg onload='alert(1)'/>")
REF = FileRef("id-1_x", PICTURE.name, PICTURE.mime, len(PICTURE.content))
SAID = Outgoing(plain("a picture"), file=REF)


@pytest.fixture
async def house(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(sqlite_template, tmp_path) as house:
        yield house


def kept(tx: Tx, where: Conversation) -> None:
    files.add(tx, REF.id, begin(tx).id, where.key, PICTURE, 1.0)


async def fetched(house: House, address: str) -> tuple[int, bytes]:
    async with house.browser.get(f"{house.chat}/{address}") as answer:
        return answer.status, await answer.read()


async def test_a_file_is_a_link_and_nothing_of_its_name_is_read_as_html(house: House) -> None:
    visitor = Visitor(house)
    await house.adapter.upload(visitor.where, PICTURE, SAID)
    [shown] = await visitor.messages()
    name = "Ü &quot;名&quot;.svg"
    link = f'<p><a href="files/{REF.id}" download="{name}">Download {name}</a></p>'
    assert shown["html"] == f"<p>a picture</p>{link}"


async def test_what_it_leads_to_is_saved_and_never_shown(house: House) -> None:
    await house.store.tx(kept, Visitor(house).where)
    async with house.browser.get(f"{house.chat}/files/{REF.id}") as answer:
        assert (answer.status, await answer.read()) == (200, PICTURE.content)
        assert answer.headers["Content-Type"] == "application/octet-stream"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
        disposition = answer.headers["Content-Disposition"]
        assert disposition == "attachment; filename=\"file\"; filename*=UTF-8''%C3%9C%20%22%E5%90%8D%22.svg"


async def test_a_file_of_another_chat_is_not_there(house: House) -> None:
    await house.store.tx(kept, Conversation("web", "somebody"))
    assert (await fetched(house, f"files/{REF.id}"))[0] == 404
    for address in ("files/none", "files/..%2f..%2fetc", f"files/{'x' * 500}"):
        status, body = await fetched(house, address)
        assert status == 404, body
    assert b"kept for some days only" in (await fetched(house, "files/none"))[1]


async def test_who_is_not_signed_in_gets_no_file(sqlite_template: Path, tmp_path: Path) -> None:
    async with open_house(sqlite_template, tmp_path, public_url="https://chat.example") as house:
        await house.store.tx(kept, Visitor(house).where)
        status, body = await fetched(house, f"files/{REF.id}")
        assert (status, PICTURE.content in body) == (401, False)


async def test_a_file_for_a_chat_that_is_none_of_the_browsers_is_not_shown(house: House) -> None:
    with pytest.raises(ConversationGone):
        await house.adapter.upload(Conversation("tg", "1"), PICTURE, SAID)
