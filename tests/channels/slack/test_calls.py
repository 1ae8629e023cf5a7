"""What we send, and what becomes of it when Slack refuses, stumbles or falls silent."""

import logging
import traceback

import pytest

from channels.errors import (
    CannotEdit,
    ChannelError,
    ChannelGone,
    ConversationGone,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    Refused,
    ThreadGone,
)
from channels.events import Conversation
from channels.outgoing import MessageRef, Outgoing, plain
from channels.slack.refusals import refusal
from tests.channels.slack.house import House, Visitor, made

pytestmark = pytest.mark.asyncio(loop_scope="module")

HELLO = Outgoing(plain("hello"))


async def test_everything_for_a_thread_stays_in_it(house: House, visitor: Visitor) -> None:
    """B037: every send for that session carries thread_ts."""
    channel = await house.slack.channel("plans", members=[visitor.user])
    sent = await house.slack.write(channel, visitor.user, "hi")
    where = Conversation("team", channel.id, sent.message_id)
    ref = await house.adapter.send(where, HELLO)
    assert ref.conversation == where.key
    [shown] = [one for one in await house.slack.messages(channel) if one.by_bot]
    assert shown.thread == sent.message_id
    assert await house.adapter.show(where, "thinking")
    assert (await house.slack.statuses(channel))[sent.message_id]["status"] == "is thinking…"


async def test_a_person_is_written_to_in_the_chat_with_them(house: House, visitor: Visitor) -> None:
    ref = await house.adapter.send(Conversation("team", visitor.user.id), HELLO)
    assert ref.conversation == f"team:{visitor.user.id}"
    await house.adapter.edit(ref, Outgoing(plain("hello again")))
    assert [seen.text for seen in await visitor.sees()] == ["hello again"]


async def test_outside_threads_there_is_no_sign(house: House, visitor: Visitor) -> None:
    """B230: the core shows a line instead."""
    assert not await house.adapter.show(visitor.where, "thinking")


async def test_no_address_is_fetched_for_a_preview(house: House, visitor: Visitor) -> None:
    await house.adapter.send(visitor.where, Outgoing(plain("https://a.example/?secret=1")))
    [call] = await house.slack.calls("chat.postMessage", chat=visitor.chat)
    assert (call.args["unfurl_links"], call.args["unfurl_media"]) == (False, False)


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (200, "channel_not_found", ConversationGone),
        (200, "not_in_channel", ConversationGone),
        (200, "is_archived", ConversationGone),
        (200, "account_inactive", ChannelGone),
        (200, "token_revoked", ChannelGone),
        (200, "invalid_auth", ChannelGone),
        (200, "msg_blocks_too_long", Refused),
        (200, "restricted_action", Refused),
        (200, "internal_error", OutcomeUnknown),
        (503, "", OutcomeUnknown),
    ],
)
async def test_what_a_refusal_of_a_post_means(
    house: House, visitor: Visitor, status: int, error: str, kind: type[ChannelError]
) -> None:
    await house.slack.fail("chat.postMessage", status=status, error=error, chat=visitor.chat)
    with pytest.raises(kind):
        await house.adapter.send(visitor.where, HELLO)


@pytest.mark.parametrize("error", ["message_not_found", "cant_update_message", "edit_window_closed", "block_mismatch"])
async def test_what_cannot_be_edited_is_said_to_be_so(house: House, visitor: Visitor, error: str) -> None:
    ref = await house.adapter.send(visitor.where, HELLO)
    await house.slack.fail("chat.update", error=error, chat=visitor.chat)
    with pytest.raises(CannotEdit):
        await house.adapter.edit(ref, Outgoing(plain("other")))


async def test_a_thread_that_is_not_there_is_gone() -> None:
    assert isinstance(refusal("chat.postMessage", 200, "cannot_reply_to_message", "", None), ThreadGone)


async def test_a_wait_is_of_one_channel_for_posts_and_of_one_method_for_the_rest(
    house: House, visitor: Visitor
) -> None:
    other = await Visitor.arrive(house.slack, "Bob")
    ref = await house.adapter.send(other.where, HELLO)
    await house.slack.fail("chat.postMessage", status=429, retry_after=30, chat=visitor.chat)
    with pytest.raises(RateLimited) as limited:
        await house.adapter.send(visitor.where, HELLO)
    assert limited.value.retry_after == 30
    assert not limited.value.whole_channel
    calls = len(await house.slack.calls("chat.postMessage"))
    with pytest.raises(RateLimited) as held:
        await house.adapter.send(visitor.where, HELLO)
    assert 29 < held.value.retry_after <= 30
    assert len(await house.slack.calls("chat.postMessage")) == calls, "it is not asked again before its time"
    await house.adapter.send(other.where, HELLO)
    await house.adapter.edit(ref, Outgoing(plain("edited")))


async def test_the_ok_field_decides(house: House, visitor: Visitor) -> None:
    """B100: a refusal that comes with HTTP 200."""
    ref = await house.adapter.send(visitor.where, HELLO)
    body = '{"ok":false,"error":"ratelimited"}'
    await house.slack.answer_with("chat.delete", body=body, chat=visitor.chat)
    with pytest.raises(RateLimited):
        await house.adapter.remove(ref)


@pytest.mark.parametrize("body", ["<html>busy</html>", "", '{"ok":true', "[]", '{"ok":true}'])
async def test_an_answer_that_is_none_leaves_the_outcome_open(house: House, visitor: Visitor, body: str) -> None:
    await house.slack.answer_with("chat.postMessage", body=body, when="after", chat=visitor.chat)
    with pytest.raises(OutcomeUnknown):
        await house.adapter.send(visitor.where, HELLO)


async def test_a_connection_that_breaks_is_not_tried_again_by_itself(house: House, visitor: Visitor) -> None:
    """B099: the SDK's own retry would post twice."""
    await house.slack.drop("chat.postMessage", when="after", chat=visitor.chat)
    with pytest.raises(OutcomeUnknown):
        await house.adapter.send(visitor.where, HELLO)
    assert [seen.text for seen in await visitor.sees()] == ["hello"]


async def test_a_post_whose_outcome_is_unknown_is_found_by_its_mark(house: House, visitor: Visitor) -> None:
    await house.slack.drop("chat.postMessage", when="after", chat=visitor.chat)
    with pytest.raises(OutcomeUnknown):
        await house.adapter.send(visitor.where, Outgoing(plain("hello"), mark="m1"))
    found = await house.adapter.find(visitor.where, "m1", 0.0)
    assert found is not None
    await house.adapter.edit(found, Outgoing(plain("found")))
    assert [seen.text for seen in await visitor.sees()] == ["found"]
    assert await house.adapter.find(visitor.where, "m2", 0.0) is None


async def test_one_in_a_thread_is_found_there(house: House, visitor: Visitor) -> None:
    channel = await house.slack.channel("roof", members=[visitor.user])
    sent = await house.slack.write(channel, visitor.user, "hi")
    where = Conversation("team", channel.id, sent.message_id)
    ref = await house.adapter.send(where, Outgoing(plain("hello"), mark="m3"))
    assert await house.adapter.find(where, "m3", 0.0) == ref


async def test_where_we_are_is_known_page_by_page(house: House, visitor: Visitor) -> None:
    here = [await house.slack.channel(f"room-{number}", members=[visitor.user]) for number in range(3)]
    away = await house.slack.channel("away", members=[visitor.user])
    await house.slack.remove_bot(away)
    places = await house.adapter.places()
    assert {place.id for place in here} | {visitor.chat.id} <= places
    assert away.id not in places


async def test_before_and_after_it_runs_nothing_is_sent(house: House, visitor: Visitor) -> None:
    with pytest.raises(NotSent):
        await made(house.slack).send(visitor.where, HELLO)


async def test_no_token_is_in_an_error_or_a_log(
    house: House, visitor: Visitor, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secrets = (house.slack.bot_token, house.slack.app_token, house.slack.signing_secret)
    for how in ("invalid_auth", "channel_not_found"):
        await house.slack.fail("chat.postMessage", error=how, chat=visitor.chat)
        with pytest.raises(ChannelError) as caught:
            await house.adapter.send(visitor.where, HELLO)
        told = "".join(traceback.format_exception(caught.value))
        assert not any(secret in told for secret in secrets)
    with pytest.raises(ChannelError):
        await house.adapter.edit(MessageRef(visitor.where.key, "1.1"), HELLO)
    assert not any(secret in caplog.text for secret in secrets)
