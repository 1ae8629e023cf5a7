"""What we send, and what becomes of it when Telegram refuses, stumbles or falls silent."""

import logging
import traceback
from dataclasses import replace

import pytest

from channels.errors import (
    CannotEdit,
    ChannelError,
    ConversationGone,
    ConversationMoved,
    FileGone,
    FileTooLarge,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    Refused,
    ThreadGone,
)
from channels.events import Attachment, Conversation, Message
from channels.outgoing import MessageRef, Outgoing, plain
from channels.text.parse import blocks
from tests.channels.telegram.house import House, Visitor, made

pytestmark = pytest.mark.asyncio(loop_scope="module")

HELLO = Outgoing(plain("hello"))


async def test_an_answer_hangs_on_its_message(house: House, visitor: Visitor) -> None:
    asked = await house.telegram.write(visitor.chat, visitor.user, "hi")
    await house.adapter.send(visitor.where, replace(HELLO, reply_to=str(asked.message_id)))
    assert (await house.telegram.messages(visitor.chat))[-1].reply_to == asked.message_id


async def test_an_answer_to_a_deleted_message_arrives_all_the_same(house: House, visitor: Visitor) -> None:
    await house.adapter.send(visitor.where, replace(HELLO, reply_to="99999"))
    assert (await house.telegram.messages(visitor.chat))[-1].text == "hello"


async def test_everything_for_a_topic_stays_in_it(house: House, visitor: Visitor) -> None:
    forum = await house.telegram.forum("Plans", members=[visitor.user])
    topic = await house.telegram.topic(forum, visitor.user, "Roof")
    await house.telegram.write(forum, visitor.user, f"@{house.telegram.bot_username} hi", thread=topic)
    where = Conversation("tg", str(forum.id), str(topic))
    message = await house.inlet.next(Message, where)
    assert (message.text, message.addressed, message.quoted) == ("hi", True, None)
    await house.adapter.send(where, HELLO)
    await house.adapter.show(where, "thinking")
    assert (await house.telegram.messages(forum))[-1].thread == topic
    assert [action["thread"] for action in await house.telegram.actions(forum)] == [topic]
    await house.telegram.delete_topic(forum, topic)
    with pytest.raises(ThreadGone):
        await house.adapter.send(where, HELLO)


async def test_the_general_topic_is_the_chat_itself(house: House, visitor: Visitor) -> None:
    forum = await house.telegram.forum("Plans", members=[visitor.user])
    await house.telegram.write(forum, visitor.user, f"@{house.telegram.bot_username} hi")
    message = await house.inlet.next(Message, Conversation("tg", str(forum.id)))
    await house.adapter.send(message.where, HELLO)
    [call] = await house.telegram.calls("sendMessage", chat=forum)
    assert "message_thread_id" not in call.args


async def test_addresses_are_never_fetched_for_a_preview(house: House, visitor: Visitor) -> None:
    ref = await house.adapter.send(visitor.where, Outgoing(plain("https://a.example/?secret=1")))
    await house.adapter.edit(ref, Outgoing(plain("https://b.example")))
    for call in await house.telegram.calls(chat=visitor.chat):
        assert "is_disabled" in str(call.args["link_preview_options"])
        assert "parse_mode" not in call.args


async def test_who_blocked_us_or_is_not_there_is_gone(house: House, visitor: Visitor) -> None:
    await house.telegram.block(visitor.chat, visitor.user)
    with pytest.raises(ConversationGone):
        await house.adapter.send(visitor.where, HELLO)
    left = await Visitor.arrive(house.telegram)
    await house.telegram.deactivate(left.chat)
    with pytest.raises(ConversationGone):
        await house.adapter.send(left.where, HELLO)
    with pytest.raises(ConversationGone):
        await house.adapter.send(Conversation("tg", "999"), HELLO)


async def test_a_chat_that_became_a_supergroup_has_moved(house: House, visitor: Visitor) -> None:
    group = await house.telegram.group("Team", members=[visitor.user])
    moved = await house.telegram.migrate(group, visitor.user)
    with pytest.raises(ConversationMoved) as caught:
        await house.adapter.send(Conversation("tg", str(group.id)), HELLO)
    assert caught.value.chat == str(moved.chat.id)


@pytest.mark.parametrize("asked", [7, None])
async def test_a_wait_that_is_asked_for_is_told(house: House, visitor: Visitor, asked: int | None) -> None:
    await house.telegram.fail("sendMessage", status=429, retry_after=asked, chat=visitor.chat)
    with pytest.raises(RateLimited) as caught:
        await house.adapter.send(visitor.where, HELLO)
    assert caught.value.retry_after == (asked or 5)
    await house.adapter.send(visitor.where, HELLO)


async def test_a_message_that_someone_deleted_cannot_be_edited(house: House, visitor: Visitor) -> None:
    ref = await house.adapter.send(visitor.where, HELLO)
    await house.telegram.remove_message(visitor.chat, int(ref.id))
    with pytest.raises(CannotEdit):
        await house.adapter.edit(ref, Outgoing(plain("again")))
    await house.adapter.remove(ref)


async def test_refused_formatting_is_sent_once_more_as_plain_text(house: House, visitor: Visitor) -> None:
    """B072: the words arrive even where their form is not taken."""
    await house.telegram.fail(
        "sendMessage", status=400, description="Bad Request: can't parse entities: no", chat=visitor.chat
    )
    ref = await house.adapter.send(visitor.where, Outgoing(blocks("**bold**")))
    await house.telegram.fail(
        "editMessageText", status=400, description="Bad Request: ENTITY_BOUNDS_INVALID", chat=visitor.chat
    )
    await house.adapter.edit(ref, Outgoing(blocks("*other*")))
    [shown] = await house.telegram.messages(visitor.chat)
    assert (shown.text, shown.entities) == ("other", ())


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_cut_connection_leaves_the_outcome_open(house: House, visitor: Visitor, when: str) -> None:
    await house.telegram.drop("sendMessage", when="before" if when == "before" else "after", chat=visitor.chat)
    with pytest.raises(OutcomeUnknown):
        await house.adapter.send(visitor.where, HELLO)
    assert len(await visitor.sees()) == (when == "after")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, ""),
        (200, "<html>"),
        (200, '{"ok":true,"result":'),
        (200, '{"ok":true}'),
        (200, '{"ok":true,"result":{}}'),
        (200, '{"ok":true,"result":[1]}'),
        (500, '{"ok":false,"error_code":500,"description":"Internal Server Error"}'),
        (502, "<html>Bad Gateway</html>"),
        (504, ""),
    ],
)
async def test_an_answer_that_cannot_be_read_leaves_the_outcome_open(
    house: House, visitor: Visitor, status: int, body: str
) -> None:
    await house.telegram.answer_with("sendMessage", status=status, body=body, when="after", chat=visitor.chat)
    with pytest.raises(OutcomeUnknown):
        await house.adapter.send(visitor.where, HELLO)


@pytest.mark.parametrize("status", [200, 400])
async def test_a_refusal_is_one_whatever_its_status(house: House, visitor: Visitor, status: int) -> None:
    body = '{"ok":false,"error_code":400,"description":"Bad Request: made up"}'
    await house.telegram.answer_with("sendMessage", status=status, body=body, chat=visitor.chat)
    with pytest.raises(Refused):
        await house.adapter.send(visitor.where, HELLO)


async def test_ids_of_another_platform_are_refused(house: House) -> None:
    with pytest.raises(Refused):
        await house.adapter.send(Conversation("tg", "C0123"), HELLO)
    with pytest.raises(Refused):
        await house.adapter.edit(MessageRef("tg:1", "17.5"), HELLO)


async def test_without_a_connection_nothing_is_sent_and_no_token_told(
    house: House, visitor: Visitor, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    other = made(house.telegram)
    with pytest.raises(NotSent):
        await other.send(visitor.where, HELLO)
    await house.telegram.refuse_connections()
    errors: list[ChannelError] = []
    for _ in range(2):
        with pytest.raises(ChannelError) as caught:
            await house.adapter.send(visitor.where, HELLO)
        errors.append(caught.value)
    await house.telegram.accept_connections()
    assert isinstance(errors[-1], NotSent)
    told = "".join(text for error in errors for text in traceback.format_exception(error)) + caplog.text
    assert house.telegram.token not in told
    assert house.telegram.token.partition(":")[2] not in told


async def test_a_file_is_fetched_when_it_is_asked_for(house: House, visitor: Visitor) -> None:
    content = bytes(range(256)) * 300
    await house.telegram.send_file(visitor.chat, visitor.user, name="a b.zip", content=content)
    message = await house.inlet.next(Message, visitor.where)
    [file] = message.attachments
    assert (message.text, file.name, file.size) == ("", "a b.zip", len(content))
    assert await house.adapter.download(file, len(content)) == content
    with pytest.raises(FileTooLarge):
        await house.adapter.download(file, len(content) - 1)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Bad Request: file is too big", FileTooLarge),
        ("Bad Request: wrong file_id or the file is unavailable", FileGone),
    ],
)
async def test_a_file_that_is_not_given_says_why(house: House, said: str, kind: type[ChannelError]) -> None:
    await house.telegram.fail("getFile", status=400, description=said)
    with pytest.raises(kind) as caught:
        await house.adapter.download(Attachment("x", "a.zip"), 100)
    assert house.telegram.token not in "".join(traceback.format_exception(caught.value))
    if kind is FileTooLarge:
        assert "20 MB" in str(caught.value)
