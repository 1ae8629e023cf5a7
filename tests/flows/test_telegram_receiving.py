"""How updates come in: polling and webhook, twice, malformed, forged, while the store is away, and beside another program."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from aiohttp.test_utils import unused_port

from tests.fakes.model.script import Reply, Rule
from tests.flows.groups import TROUPE, Story, in_a_story
from tests.flows.house import House
from tests.flows.stage import Stage

pytest_plugins = [TROUPE]

SECRET = "a-secret-of-the-test-0123456789"  # not one of anybody's
HEADER = {"X-Telegram-Bot-Api-Secret-Token": SECRET}


def webhook(stage: Stage) -> dict[str, Any]:
    """The configuration of a service that Telegram reaches by HTTP."""
    (stage.directory / ".env").write_text(f"WEBHOOK_SECRET={SECRET}\n")
    port = unused_port()
    http = {"port": port, "public_url": f"http://127.0.0.1:{port}"}
    return {"telegram": {"mode": "webhook", "webhook_secret": "${WEBHOOK_SECRET}"}, "extra": {"http": http}}


async def deliver(house: House, update: object, headers: dict[str, str]) -> int:
    """As Telegram would; the status of the answer."""
    address = f"{house.url}channels/tg/telegram"
    async with aiohttp.ClientSession() as http, http.post(address, json=update, headers=headers) as answer:
        return answer.status


def written(stage: Stage, number: int, text: str) -> dict[str, Any]:
    """An update with a message of the admin's."""
    person = {"id": stage.ann.id, "is_bot": False, "first_name": "Ann"}
    chat = {"id": stage.chat.id, "type": "private", "first_name": "Ann"}
    message = {"message_id": number, "date": 4_000_000_000, "chat": chat, "from": person, "text": text}
    return {"update_id": number, "message": message}


async def call(stage: Stage, method: str, **arguments: Any) -> tuple[int, Any]:
    """What another program that has the token asks Telegram."""
    url = f"{stage.telegram.api_url}/bot{stage.telegram.token}/{method}"
    async with aiohttp.ClientSession() as http, http.post(url, json=arguments) as answer:
        return answer.status, await answer.json()


@contextlib.asynccontextmanager
async def other_poller(stage: Stage) -> AsyncIterator[None]:
    """Another program that has been polling for a while."""

    async def poll() -> None:
        while True:
            status, _answer = await call(stage, "getUpdates", timeout=20)
            if status == 409:
                await asyncio.sleep(1)  # as programs do that will not give way

    task = asyncio.create_task(poll())
    await stage.telegram.wait_calls("getUpdates", arrived=True)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_a_webhook_answers_at_once_and_takes_each_update_once(stage: Stage) -> None:
    """B011: the same update in turn and at once is one run, 200 to repeats. B012: the answer does not wait for the model,
    and the run goes on. B115: the kinds of update are named."""
    await stage.model.rules(
        Rule(contains="slow", reply=Reply(text="At last.", delay=5)), Rule(contains="", reply=Reply(text="Once."))
    )
    async with stage.service(**webhook(stage)) as house:
        [known] = await stage.telegram.calls("setWebhook")
        assert known.args["allowed_updates"] == ["message", "edited_message", "callback_query", "my_chat_member"]
        begun = asyncio.get_running_loop().time()
        await stage.say("slow")
        await stage.telegram.wait_confirmed()
        assert asyncio.get_running_loop().time() - begun < 1.5
        sent = await stage.telegram.write(stage.chat, stage.ann, "in turn")
        await stage.telegram.wait_confirmed()
        assert sent.update_id is not None
        await stage.telegram.repeat(sent.update_id)
        update = written(stage, 77, "at once")
        assert await asyncio.gather(*(deliver(house, update, HEADER) for _ in range(4))) == [200] * 4
        assert await deliver(house, update, HEADER) == 200
        await stage.telegram.wait_confirmed()
        await stage.reads("At last.")
        await stage.telegram.wait_message(stage.chat, text="Once.", count=2, timeout=20)
        await stage.say("the end")
        await stage.telegram.wait_message(stage.chat, text="Once.", count=3, timeout=20)
    assert len(await stage.model.requests()) == 4
    assert await stage.there() == ["At last.", "Once.", "Once.", "Once."]


async def test_a_forged_delivery_is_refused_and_an_unstored_one_comes_again(stage: Stage) -> None:
    """B214: without the secret nothing is read. B011: 503 while the store is away, so that Telegram keeps it."""
    async with stage.service(model_url="", **webhook(stage)) as house:
        forged = written(stage, 70, "what time is it")
        for headers in ({}, {"X-Telegram-Bot-Api-Secret-Token": "wrong"}, {"Authorization": SECRET}):
            assert await deliver(house, forged, headers) in (401, 403)
        update = written(stage, 71, "what time is it")
        path = stage.directory / "data" / "askfirst.db"
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert await deliver(house, update, HEADER) == 503
            said = await stage.say("what time is it")
            await house.until(lambda parts: parts["store"]["state"] == "error")
            other.execute("ROLLBACK")
        await stage.reads("UTC", after=said)
        assert await deliver(house, update, HEADER) == 200
        await stage.reads("UTC", count=2)
    assert len(await stage.there()) == 2


async def test_a_webhook_without_a_secret_is_not_started(stage: Stage) -> None:
    """B215: it would take updates from anybody."""
    stage.change(**{**webhook(stage), "telegram": {"mode": "webhook"}})
    with pytest.raises(AssertionError, match="no webhook_secret: anyone could send updates"):
        await House.start(stage.plan, stage.directory, until_ready=False)


async def test_polling_takes_a_webhook_away_and_keeps_what_waits(stage: Stage) -> None:
    """B111: a webhook of before would make every poll fail. B115: the first poll names its kinds, whatever was before."""
    await call(stage, "setWebhook", url=f"http://127.0.0.1:{unused_port()}/nobody", allowed_updates=["poll"])
    await call(stage, "getMe")
    await stage.telegram.advance(1)
    async with stage.service(model_url=""):
        await stage.say("what time is it")
        await stage.reads("UTC")
    polls = await stage.telegram.calls("getUpdates")
    assert all(
        poll.args["allowed_updates"] == ["message", "edited_message", "callback_query", "my_chat_member"]
        for poll in polls
    )


async def test_of_two_pollers_the_later_one_stops_and_says_why(stage: Stage) -> None:
    """B104: the service does not fight with another program that was there before; the rest of it goes on."""
    async with other_poller(stage):
        stage.change(model_url="")
        house = await House.start(stage.plan, stage.directory, until_ready=False)
        try:
            await house.until(lambda parts: "was there before" in parts["channel:tg"].get("detail", ""), timeout=30)
            parts = await house.parts()
            assert parts["channel:tg"]["state"] == "error"
            assert parts["store"]["state"] == parts["channel:web"]["state"] == "connected"
            async with aiohttp.ClientSession() as http, http.get(f"{house.url}readyz") as answer:
                assert answer.status == 503
                assert stage.telegram.token not in await answer.text()
        finally:
            assert await house.stop() == 0
    assert stage.telegram.token not in house.log.read_text()


@in_a_story
async def test_a_malformed_update_is_set_aside_and_its_neighbours_run(story: Story) -> None:
    """B113: admins are shown it; nothing waits for it and it does not come back."""
    before = {"id": story.chat.id, "type": "private", "first_name": "Guest"}
    await story.telegram.pause()
    await story.say("one")
    malformed: list[object] = [{"text": "no chat"}, {"message_id": 1, "date": "yesterday", "chat": before}, []]
    for broken in malformed:
        await story.telegram.inject({"message": broken}, queue=f"chat:{story.chat.id}")
    await story.telegram.inject({"brand_new_kind": {"anything": True}}, queue=f"chat:{story.chat.id}")
    await story.say("two")
    await story.telegram.resume()
    await story.reads("one")
    await story.reads("two")
    await story.telegram.wait_confirmed()
    assert "Set aside" in (await story.order("/status", "Persona")).text
    assert await story.heard() == ["one", "two"]
    aside = [line for line in story.house.logged() if line["event"] == "an event was set aside"]
    assert len(aside) == 3


async def test_the_token_is_told_to_nobody_whatever_goes_wrong(stage: Stage) -> None:
    """B212 and its kin: an outage, an answer that holds it, a token that is revoked; in no log, message or probe."""
    token = stage.telegram.token
    async with stage.service(model_url="") as house:
        await stage.telegram.answer_with("sendMessage", body=f"<html>bot{token}</html>", status=502)
        await stage.telegram.fail("editMessageText", status=400, description=f"Bad Request: https://api/bot{token}/x")
        await stage.say("add a note: milk")
        card = await stage.card()
        await stage.press(card, "Approve")
        await stage.reads("Note 1 was added")
        await stage.telegram.refuse_connections()
        await house.until(lambda parts: parts["channel:tg"]["state"] == "error")
        shown = str(await house.parts())
        await stage.telegram.accept_connections()
        await house.ready()
        said = await stage.say("/status")
        await stage.reads("Persona", after=said)
        await stage.telegram.settings(revoked=True)
        await stage.say("is anybody there?")
        await house.until(lambda parts: "does not take the bot's token" in parts["channel:tg"].get("detail", ""))
        shown += str(await house.parts()) + await house.metrics()
    told = shown + house.log.read_text() + str(await stage.telegram.messages(stage.chat))
    assert token not in told
    assert token.partition(":")[2] not in told
