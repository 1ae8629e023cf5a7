"""What the bot is told, and how getUpdates tells it."""

import asyncio
from typing import Any

from tests.fakes.telegram import protocol as p
from tests.fakes.telegram.client import Telegram
from tests.fakes.telegram.raw import Api

KEYBOARD = {"inline_keyboard": [[{"text": "Approve", "callback_data": "yes"}]]}


async def fetch(api: Api, offset: int = 0, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = await api.ok("getUpdates", {"offset": offset, "timeout": 5, **more})
    return found


async def private(telegram: Telegram) -> tuple[p.Place, p.Person]:
    ada = await telegram.user("Ada")
    return await telegram.private_chat(ada), ada


async def test_offset_confirms_what_lies_below_it(telegram: Telegram, api: Api) -> None:
    await telegram.settings(throttle=False)
    chat, ada = await private(telegram)
    sent = [(await telegram.write(chat, ada, text)).update_id for text in ("a", "b", "c")]
    assert [update["update_id"] for update in await fetch(api)] == sent
    assert [update["update_id"] for update in await fetch(api)] == sent
    rest = await fetch(api, (sent[0] or 0) + 1, limit=1)
    assert [update["update_id"] for update in rest] == [sent[1]]
    assert [update["update_id"] for update in await fetch(api, -1)] == [sent[2]]
    assert [update["update_id"] for update in await fetch(api, (sent[2] or 0) + 100)] == [sent[2]]
    assert await fetch(api, (sent[2] or 0) + 1, timeout=0) == []
    await telegram.wait_confirmed()


async def test_waiting_poll_answers_as_soon_as_something_comes(telegram: Telegram, api: Api) -> None:
    chat, ada = await private(telegram)
    poll = asyncio.create_task(fetch(api, timeout=50))
    await telegram.wait_calls("getUpdates", arrived=True)
    await telegram.write(chat, ada, "hi")
    assert [update["message"]["text"] for update in await poll] == ["hi"]


async def test_second_poller_ends_the_first(telegram: Telegram, api: Api) -> None:
    chat, ada = await private(telegram)
    first = asyncio.create_task(api("getUpdates", {"timeout": 50}))
    await telegram.wait_calls("getUpdates", arrived=True)
    second = asyncio.create_task(api("getUpdates", {"timeout": 50}))
    status, body = await first
    assert (status, body["description"]) == (
        409,
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    )
    await telegram.write(chat, ada, "hi")
    assert (await second)[0] == 200


async def test_waiting_poll_ends_when_the_clock_jumps(telegram: Telegram, api: Api) -> None:
    poll = asyncio.create_task(fetch(api, timeout=50))
    await telegram.wait_calls("getUpdates", arrived=True)
    await telegram.advance(60)
    assert await poll == []


async def test_allowed_updates_stay_and_act_when_an_update_is_made(telegram: Telegram, api: Api) -> None:
    await telegram.settings(throttle=False)
    chat, ada = await private(telegram)
    await fetch(api, timeout=0, allowed_updates=["callback_query"])
    assert (await telegram.write(chat, ada, "unheard")).update_id is None
    await fetch(api, timeout=0)
    assert (await telegram.write(chat, ada, "unheard")).update_id is None
    await fetch(api, timeout=0, allowed_updates=[])
    assert (await telegram.write(chat, ada, "heard")).update_id is not None
    assert (await telegram.react(chat, ada, 1, "👍")).update_id is None
    assert [update["message"]["text"] for update in await fetch(api)] == ["heard"]


async def test_presses_are_dropped_after_150_seconds_and_messages_after_a_day(telegram: Telegram, api: Api) -> None:
    await telegram.settings(throttle=False)
    chat, ada = await private(telegram)
    number = (await api.ok("sendMessage", {"chat_id": chat.id, "text": "?", "reply_markup": KEYBOARD}))["message_id"]
    await telegram.write(chat, ada, "text")
    await telegram.press(chat, ada, number, "Approve")
    assert len(await fetch(api)) == 2
    await telegram.advance(151)
    assert ["message" in update for update in await fetch(api)] == [True]
    await telegram.advance(24 * 3600)
    assert await fetch(api, timeout=0) == []


async def test_press_tells_who_where_and_what(telegram: Telegram, api: Api) -> None:
    await telegram.settings(throttle=False)
    ada, bo = await telegram.user("Ada"), await telegram.user("Bo")
    group = await telegram.group("Plans", members=[ada, bo])
    number = (await api.ok("sendMessage", {"chat_id": group.id, "text": "?", "reply_markup": KEYBOARD}))["message_id"]
    await telegram.press(group, bo, number, "Approve")
    await telegram.press(group, ada, number, data="forged", forged=True)
    await telegram.press(group, ada, number, data="yes", inaccessible=True)
    real, forged, blind = [update["callback_query"] for update in await fetch(api)]
    assert (real["from"]["id"], real["data"], real["message"]["text"]) == (bo.id, "yes", "?")
    assert forged["data"] == "forged"
    assert blind["message"] == {"chat": real["message"]["chat"], "message_id": number, "date": 0}


async def test_group_privacy_hides_what_is_not_meant_for_the_bot(telegram: Telegram, api: Api) -> None:
    await telegram.settings(privacy=True)
    ada = await telegram.user("Ada")
    group = await telegram.group("Plans", members=[ada])
    number = (await api.ok("sendMessage", {"chat_id": group.id, "text": "hello"}))["message_id"]
    assert (await telegram.write(group, ada, "chatter")).update_id is None
    assert (await telegram.write(group, ada, "/help")).update_id is not None
    assert (await telegram.write(group, ada, f"hi @{telegram.bot_username}")).update_id is not None
    assert (await telegram.write(group, ada, "yes", reply_to=number)).update_id is not None


async def test_edits_files_and_memberships_are_told(telegram: Telegram, api: Api) -> None:
    await telegram.settings(throttle=False)
    ada = await telegram.user("Ada")
    group = await telegram.group("Plans", members=[ada], bot="left")
    await telegram.set_bot(group, ada, "member")
    sent = await telegram.write(group, ada, "x")
    await telegram.edit(group, sent.message_id, "y")
    await telegram.send_file(group, ada, name="plan.pdf", mime="application/pdf", content=b"%PDF", caption="read")
    await telegram.migrate(group, ada)
    joined, service, _, edited, file, before, after = await fetch(api)
    assert joined["my_chat_member"]["new_chat_member"]["status"] == "member"
    assert service["message"]["new_chat_members"][0]["id"] == telegram.bot_id
    assert edited["edited_message"]["text"] == "y"
    assert file["message"]["document"]["file_name"] == "plan.pdf"
    assert before["message"]["migrate_to_chat_id"] == after["message"]["chat"]["id"]
    assert after["message"]["migrate_from_chat_id"] == group.id
    found = await api.ok("getFile", {"file_id": file["message"]["document"]["file_id"]})
    address = f"{telegram.api_url}/file/bot{telegram.token}/{found['file_path']}"
    async with api.http.get(address) as response:
        assert await response.read() == b"%PDF"


async def test_anything_can_be_injected_repeated_and_turned_round(telegram: Telegram, api: Api) -> None:
    await telegram.settings(throttle=False)
    await telegram.pause()
    first = await telegram.inject({"callback_query": {"id": "1"}})
    second = await telegram.inject({"brand_new_kind": {}})
    assert await fetch(api, timeout=0) == []
    await telegram.resume(reversed_once=True)
    assert [update["update_id"] for update in await fetch(api)] == [second, first]
    assert await fetch(api, second + 1, timeout=0) == []
    await telegram.repeat(first)
    assert [update["update_id"] for update in await fetch(api, second + 1)] == [first]
    await telegram.leave_gaps(5)
    assert await telegram.inject({}) == second + 6


async def test_load_makes_texts_of_many_people(telegram: Telegram, api: Api) -> None:
    assert await telegram.load(30, chats=10, per_second=1000) == 30
    updates = await fetch(api)
    assert len({update["message"]["chat"]["id"] for update in updates}) == 10
    assert len(updates) == 30


async def test_messages_of_every_make_are_told_as_such(telegram: Telegram, api: Api) -> None:
    ada, robot = await telegram.user("Ada"), await telegram.user("Robot", username="other_bot", is_bot=True)
    group = await telegram.supergroup("Plans", members=[ada, robot])
    first = await telegram.write(group, robot, "beep")
    await telegram.write(group, ada, "that", reply_to=first.message_id, quote="bee")
    await telegram.write(group, ada, "look", forwarded_from="Bo")
    await telegram.write(group, ada, "from above", anonymous=True)
    for caption in (f"@{telegram.bot_username} what is this", "and this"):
        await telegram.send_file(group, ada, kind="photo", mime="image/png", caption=caption, media_group="album")
    robots, quoting, forwarded, anonymous, one, two = [update["message"] for update in await fetch(api)]
    assert robots["from"]["is_bot"] is True
    assert quoting["quote"] == {"text": "bee", "position": 0}
    assert quoting["reply_to_message"]["text"] == "beep"
    assert (quoting["message_thread_id"], "is_topic_message" in quoting) == (first.message_id, False)
    assert forwarded["forward_origin"]["sender_user_name"] == "Bo"
    assert anonymous["sender_chat"]["id"] == group.id
    assert one["caption_entities"] == [{"type": "mention", "offset": 0, "length": len(telegram.bot_username) + 1}]
    assert one["media_group_id"] == two["media_group_id"] == "album"
