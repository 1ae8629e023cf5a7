"""Files that we send: as documents, with their bytes, their names and a line of text."""

import pytest

from channels.errors import FileTooLarge, OutcomeUnknown, Refused, ThreadGone
from channels.events import Conversation
from channels.files import File
from channels.outgoing import Outgoing, Paragraph, Span, plain
from tests.channels.telegram.house import House, Visitor
from tests.fakes.telegram.raw import raw_api

pytestmark = pytest.mark.asyncio(loop_scope="module")

CONTENT = bytes(range(256)) * 8_000
FILE = File("Übersicht 名 (1).png", "image/png", CONTENT)
CAPTION = Outgoing((Paragraph((Span("a.png", frozenset({"code"})), Span(" (2 MB)"))),))


async def test_a_file_arrives_with_its_bytes_its_name_and_its_caption(house: House, visitor: Visitor) -> None:
    asked = await house.telegram.write(visitor.chat, visitor.user, "picture?")
    said = Outgoing(CAPTION.blocks, reply_to=str(asked.message_id))
    ref = await house.adapter.upload(visitor.where, FILE, said)
    shown = (await house.telegram.messages(visitor.chat))[-1]
    assert (str(shown.id), shown.text, shown.reply_to) == (ref.id, "a.png (2 MB)", asked.message_id)
    assert [entity["type"] for entity in shown.entities] == ["code"]
    document = shown.body["document"]
    assert (document["file_name"], document["mime_type"]) == (FILE.name, FILE.mime)
    async with raw_api(house.telegram) as api:
        assert await api.fetch(document["file_id"]) == CONTENT


async def test_a_file_for_a_topic_stays_in_it(house: House, visitor: Visitor) -> None:
    forum = await house.telegram.forum("Plans", members=[visitor.user])
    topic = await house.telegram.topic(forum, visitor.user, "Roof")
    where = Conversation("tg", str(forum.id), str(topic))
    await house.adapter.upload(where, FILE, CAPTION)
    assert (await house.telegram.messages(forum))[-1].thread == topic
    await house.telegram.delete_topic(forum, topic)
    with pytest.raises(ThreadGone):
        await house.adapter.upload(where, FILE, CAPTION)


async def test_a_file_that_telegram_never_takes_is_not_sent(house: House, visitor: Visitor) -> None:
    with pytest.raises(FileTooLarge, match="up to 50 MB"):
        await house.adapter.upload(visitor.where, File("a", "a/b", bytes(50 * 1024 * 1024 + 1)), CAPTION)
    assert await house.telegram.calls("sendDocument", chat=visitor.chat) == []


async def test_a_refusal_says_so_and_a_lost_answer_leaves_it_open(house: House, visitor: Visitor) -> None:
    await house.telegram.fail("sendDocument", status=413, description="Request Entity Too Large", chat=visitor.chat)
    with pytest.raises(Refused, match="Request Entity Too Large"):
        await house.adapter.upload(visitor.where, FILE, CAPTION)
    await house.telegram.drop("sendDocument", when="after", chat=visitor.chat)
    with pytest.raises(OutcomeUnknown):
        await house.adapter.upload(visitor.where, FILE, CAPTION)


async def test_refused_formatting_is_sent_once_more_as_plain_text(house: House, visitor: Visitor) -> None:
    await house.telegram.fail(
        "sendDocument", status=400, description="Bad Request: can't parse entities: no", chat=visitor.chat
    )
    await house.adapter.upload(visitor.where, FILE, CAPTION)
    [shown] = await house.telegram.messages(visitor.chat)
    assert (shown.text, shown.entities) == ("a.png (2 MB)", ())


async def test_a_caption_needs_words(house: House, visitor: Visitor) -> None:
    with pytest.raises(Refused):
        await house.adapter.upload(visitor.where, FILE, Outgoing(plain("")))
