"""The intake by polling: nothing is confirmed before it is stored, nothing holds up its neighbours."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace

import aiohttp
import pytest
import pytest_asyncio

from channels.adapter import Receipt
from channels.errors import Misconfigured
from channels.events import ButtonPress, Conversation, Edited, Event, Gone, Message, Moved
from channels.outgoing import Button, Outgoing, plain
from channels.telegram.limits import ALLOWED_UPDATES
from channels.telegram.polling import CONFLICTS
from tests.channels.contract import IN_TIME, RecordingInlet
from tests.channels.telegram.house import QUICK, House, Visitor, made, running
from tests.fakes.telegram.client import Telegram

CARD = Outgoing(plain("May I?"), ((Button("Approve", "token-1"),),))


@pytest_asyncio.fixture
async def house(telegram: Telegram) -> AsyncIterator[House]:
    async with running(telegram, made(telegram)) as house:
        yield house


def texts(house: House) -> list[str]:
    return [event.text for event in house.inlet.events if isinstance(event, Message)]


async def offsets(telegram: Telegram) -> set[int]:
    return {int(call.args.get("offset", 0)) for call in await telegram.calls("getUpdates")}


async def ended(house: House) -> BaseException | None:
    async with asyncio.timeout(IN_TIME):
        await asyncio.wait([house.running])
    return house.running.exception()


async def test_an_update_is_confirmed_only_after_it_is_stored(house: House) -> None:
    visitor = await Visitor.arrive(house.telegram)
    house.inlet.refuse = house.inlet.refuse_aside = lambda event=None: True  # type: ignore[assignment]  # truthy too
    sent = await house.telegram.write(visitor.chat, visitor.user, "keep me")
    await house.inlet.until(lambda: len(house.inlet.attempts) > 12)
    assert sent.update_id is not None
    assert max(await offsets(house.telegram)) <= sent.update_id
    house.inlet.refuse, house.inlet.refuse_aside = lambda event: False, False
    await house.inlet.next(Message, visitor.where)
    await house.telegram.wait_confirmed()
    assert house.inlet.aside == []


async def test_an_update_that_always_fails_is_set_aside_and_blocks_nobody(house: House) -> None:
    poisoned, neighbour = await Visitor.arrive(house.telegram), await Visitor.arrive(house.telegram)
    house.inlet.refuse = lambda event: isinstance(event, Message) and event.text == "poison"
    await house.telegram.pause()
    await poisoned.say("poison")
    await neighbour.say("good")
    await poisoned.say("after it")
    await house.telegram.resume()
    await house.inlet.next(Message, poisoned.where)
    assert sorted(texts(house)) == ["after it", "good"]
    [(event_id, raw, reason)] = house.inlet.aside
    assert json.loads(raw)["message"]["text"] == "poison"
    assert house.inlet.attempts.count(event_id) == 5
    assert reason == "it could not be taken: Broken"
    await house.telegram.wait_confirmed()


async def test_a_malformed_update_is_set_aside_once_and_its_neighbours_arrive(house: House) -> None:
    visitor = await Visitor.arrive(house.telegram)
    await house.telegram.pause()
    await visitor.say("before")
    number = await house.telegram.inject({"message": {"message_id": 1, "date": 1}})
    await house.telegram.inject({"stopped_message_generation": {"draft_id": 1}})
    await visitor.say("behind")
    await house.telegram.resume()
    await house.inlet.next(Message, visitor.where, count=2)
    await house.telegram.wait_confirmed()
    [(event_id, _raw, reason)] = house.inlet.aside
    assert (event_id, reason) == (str(number), "update.message.chat is not an object")
    assert texts(house) == ["before", "behind"]


async def test_a_repeated_update_has_the_same_id(house: House) -> None:
    visitor = await Visitor.arrive(house.telegram)
    sent = await house.telegram.write(visitor.chat, visitor.user, "once")
    await house.inlet.next(Message, visitor.where)
    assert sent.update_id is not None
    await house.telegram.repeat(sent.update_id)
    await house.inlet.until(lambda: house.inlet.attempts.count(str(sent.update_id)) == 2)
    assert texts(house) == ["once"]


async def test_every_poll_names_the_kinds_it_wants(house: House) -> None:
    visitor = await Visitor.arrive(house.telegram)
    await visitor.say("hi")
    await house.inlet.next(Message, visitor.where)
    await house.telegram.wait_confirmed()
    for call in await house.telegram.calls("getUpdates"):
        kinds = call.args["allowed_updates"]
        assert (json.loads(kinds) if isinstance(kinds, str) else kinds) == list(ALLOWED_UPDATES)


async def test_a_press_is_answered_with_the_notice_at_most_as_long_as_it_may_be(house: House) -> None:
    visitor = await Visitor.arrive(house.telegram)
    ref = await house.adapter.send(visitor.where, CARD)
    house.inlet.receipt = Receipt("n" * 300, alert=True)
    answer = await house.telegram.wait_answer(
        await house.telegram.press(visitor.chat, visitor.user, int(ref.id), "Approve")
    )
    assert (answer.text, answer.show_alert) == ("n" * 199 + "…", True)


async def test_a_press_on_a_message_out_of_reach_arrives(house: House) -> None:
    visitor = await Visitor.arrive(house.telegram)
    ref = await house.adapter.send(visitor.where, CARD)
    press = await house.telegram.press(visitor.chat, visitor.user, int(ref.id), "Approve", inaccessible=True)
    assert (await house.inlet.next(ButtonPress, visitor.where)).message == ref
    await house.telegram.wait_answer(press)


async def test_a_press_too_old_to_be_answered_troubles_nobody(house: House) -> None:
    visitor = await Visitor.arrive(house.telegram)
    ref = await house.adapter.send(visitor.where, CARD)
    old = "Bad Request: query is too old and response timeout expired or query ID is invalid"
    await house.telegram.fail("answerCallbackQuery", status=400, description=old)
    await house.telegram.press(visitor.chat, visitor.user, int(ref.id), "Approve")
    await house.telegram.wait_calls("answerCallbackQuery")
    await visitor.say("still there?")
    await house.inlet.next(Message, visitor.where)


async def test_a_press_that_cannot_be_stored_or_read_stops_spinning(house: House) -> None:
    visitor = await Visitor.arrive(house.telegram)
    ref = await house.adapter.send(visitor.where, CARD)
    house.inlet.refuse = lambda event: isinstance(event, ButtonPress)
    await house.telegram.wait_answer(await house.telegram.press(visitor.chat, visitor.user, int(ref.id), "Approve"))
    assert [reason for _, _, reason in house.inlet.aside] == ["it could not be taken: Broken"]


async def test_blocking_removal_and_migration_are_told(house: House) -> None:
    telegram, visitor = house.telegram, await Visitor.arrive(house.telegram)
    await telegram.block(visitor.chat, visitor.user)
    assert (await house.inlet.next(Gone, visitor.where)).scope == "chat"
    group = await telegram.group("Team", members=[visitor.user])
    where = Conversation("tg", str(group.id))
    moved = await telegram.migrate(group, visitor.user)
    assert (await house.inlet.next(Moved, where)).to == Conversation("tg", str(moved.chat.id))
    await telegram.set_bot(moved.chat, visitor.user, "kicked")
    await house.inlet.next(Gone, Conversation("tg", str(moved.chat.id)))
    moves = [event for event in house.inlet.events if isinstance(event, Moved)]
    assert [(event.where, event.to) for event in moves] == [(where, Conversation("tg", str(moved.chat.id)))] * 2


async def test_an_edited_message_is_told_as_edited(house: House) -> None:
    visitor = await Visitor.arrive(house.telegram)
    sent = await house.telegram.write(visitor.chat, visitor.user, "hello")
    await house.telegram.edit(visitor.chat, sent.message_id, "/stop")
    edited = await house.inlet.next(Edited, visitor.where)
    assert (edited.text, edited.ref) == ("/stop", str(sent.message_id))


async def test_an_outage_is_told_and_got_over(house: House) -> None:
    visitor = await Visitor.arrive(house.telegram)
    await house.telegram.refuse_connections()
    await house.inlet.until(lambda: house.inlet.states[-1][0] == "error")
    await house.telegram.accept_connections()
    await visitor.say("back?")
    await house.inlet.next(Message, visitor.where)
    await house.inlet.until(lambda: house.inlet.states[-1][0] == "connected")


async def test_a_flood_wait_and_server_trouble_are_waited_out(house: House) -> None:
    visitor = await Visitor.arrive(house.telegram)
    await house.telegram.fail("getUpdates", status=429, retry_after=1)
    await house.telegram.fail("getUpdates", status=502)
    await house.telegram.answer_with("getUpdates", body="<html>")
    await visitor.say("hi")
    await visitor.say("ho")
    await house.inlet.next(Message, visitor.where, count=2)


async def test_a_token_revoked_meanwhile_ends_the_channel(house: House) -> None:
    await house.telegram.settings(revoked=True)
    await house.telegram.advance(60)
    error = await ended(house)
    assert isinstance(error, Misconfigured)
    assert "revoked" in str(error)


async def test_a_webhook_is_taken_away_before_polling(telegram: Telegram) -> None:
    visitor = await Visitor.arrive(telegram)
    await set_webhook(telegram)
    async with running(telegram, made(telegram)) as house:
        await visitor.say("hi")
        await house.inlet.next(Message, visitor.where)


async def test_a_webhook_set_meanwhile_is_taken_away(house: House) -> None:
    visitor = await Visitor.arrive(house.telegram)
    await visitor.say("hi")
    await house.inlet.next(Message, visitor.where)
    await set_webhook(house.telegram)
    await house.telegram.wait_calls("deleteWebhook")
    await visitor.say("ho")
    await house.inlet.next(Message, visitor.where, count=2)


async def test_webhooks_of_long_ago_do_not_count(house: House) -> None:
    """What worked in between shows that nobody keeps setting them."""
    visitor = await Visitor.arrive(house.telegram)
    for number in range(CONFLICTS + 1):
        await set_webhook(house.telegram)
        await visitor.say("hi")
        await house.inlet.next(Message, visitor.where, count=number + 1)
        await house.telegram.advance(2)  # a webhook may be set once a second
    assert not house.running.done()


async def set_webhook(telegram: Telegram) -> None:
    async with (
        aiohttp.ClientSession() as http,
        http.post(
            f"{telegram.api_url}/bot{telegram.token}/setWebhook", data={"url": "http://127.0.0.1:9/x"}
        ) as response,
    ):
        assert response.status == 200


async def test_of_two_pollers_the_later_one_stops_and_says_why(telegram: Telegram) -> None:
    """B104: the first goes on."""
    visitor = await Visitor.arrive(telegram)
    async with running(telegram, made(telegram, pace=replace(QUICK, established=0))) as first:
        later = RecordingInlet()
        async with asyncio.timeout(60):
            with pytest.raises(Misconfigured, match="polls with this bot's token and was there before"):
                await made(telegram).run(later)
        await visitor.say("hi")
        await first.inlet.next(Message, visitor.where)
        assert not first.running.done()


async def test_an_event_that_cannot_be_stored_reaches_the_next_start(telegram: Telegram) -> None:
    visitor = await Visitor.arrive(telegram)

    def never(event: Event) -> bool:
        return True

    async with running(telegram, made(telegram)) as house:
        house.inlet.refuse, house.inlet.refuse_aside = never, True
        await visitor.say("hold on")
        await house.inlet.until(lambda: len(house.inlet.attempts) >= 2)
    async with running(telegram, made(telegram)) as house:
        await house.inlet.next(Message, visitor.where)
