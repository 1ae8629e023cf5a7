import json
import uuid

import pytest

from channels.adapter import Receipt
from channels.outgoing import Button, Outgoing, plain
from channels.web.limits import BODY, TYPED
from channels.web.routes import MARK
from tests.channels.web.house import JSON, House, Visitor


def said(text: str = "hello") -> str:
    return json.dumps({"id": str(uuid.uuid4()), "text": text})


async def post(house: House, path: str, body: str | bytes, headers: dict[str, str]) -> tuple[int, str]:
    """The status, and the code of the refusal."""
    async with house.browser.post(f"{house.chat}/{path}", data=body, headers=headers) as answer:
        told = await answer.json()
        return answer.status, told.get("error", {}).get("code", "")


@pytest.mark.parametrize("path", ["messages", "presses"])
@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        pytest.param({MARK: "1"}, 415, "not_json", id="not JSON"),
        pytest.param(
            {**JSON, "Content-Type": "text/plain"}, 415, "not_json", id="what a form of another site can send"
        ),
        pytest.param({"Content-Type": "application/json"}, 403, "foreign_page", id="without the mark"),
        pytest.param({**JSON, "Origin": "https://evil.example"}, 403, "foreign_page", id="from another site"),
        pytest.param({**JSON, "Origin": "http://127.0.0.1:1"}, 403, "foreign_page", id="from another port"),
        pytest.param({**JSON, "Origin": "null"}, 403, "foreign_page", id="from a sandboxed frame"),
        pytest.param({**JSON, "Sec-Fetch-Site": "cross-site"}, 403, "foreign_page", id="as the browser says"),
        pytest.param({**JSON, "Sec-Fetch-Site": "same-site"}, 403, "foreign_page", id="from a neighbour"),
        pytest.param({**JSON, "X-Forwarded-For": "192.0.2.1"}, 401, "sign_in_first", id="handed on by a proxy"),
        pytest.param({**JSON, "Cookie": "askfirst=forged"}, 422, "unreadable", id="a forged cookie is none"),
        pytest.param({**JSON, "Host": "evil.example"}, 421, "unknown_host", id="under another name"),
        pytest.param(JSON, 422, "unreadable", id="nothing in it"),
    ],
)
async def test_a_post_that_is_not_from_the_page_does_nothing(
    house: House, path: str, headers: dict[str, str], status: int, code: str
) -> None:
    assert await post(house, path, "{}", headers) == (status, code)
    assert house.inlet.attempts == []


async def test_a_message_that_is_too_long_is_refused_whichever_way_it_is_too_long(house: House) -> None:
    assert await post(house, "messages", said("x" * (TYPED + 1)), JSON) == (413, "too_long")
    assert await post(house, "messages", b" " * (BODY + 1), JSON) == (413, "too_long")
    assert await post(house, "presses", b" " * (BODY + 1), JSON) == (413, "too_long")
    assert await Visitor(house).messages() == []


async def test_the_receipt_is_shown_to_the_sender(house: House) -> None:
    house.inlet.receipt = Receipt("Slow down.", alert=True)
    async with house.browser.post(f"{house.chat}/messages", data=said(), headers=JSON) as answer:
        assert await answer.json() == {"notice": "Slow down.", "alert": True}


async def test_a_repeated_message_is_shown_once_and_has_one_id(house: House) -> None:
    body = said("once")
    for _ in range(3):
        assert (await post(house, "messages", body, JSON))[0] == 200
    assert [message["html"] for message in await Visitor(house).messages()] == ["once"]
    assert len(set(house.inlet.attempts)) == 1


async def test_a_message_that_was_not_stored_is_not_shown_until_it_is(house: House) -> None:
    body = said("later")
    house.inlet.refuse = lambda event: True
    async with house.browser.post(f"{house.chat}/messages", data=body, headers=JSON) as answer:
        assert answer.status == 500
    assert await Visitor(house).messages() == []
    house.inlet.refuse = lambda event: False
    assert (await post(house, "messages", body, JSON))[0] == 200
    assert [message["html"] for message in await Visitor(house).messages()] == ["later"]


async def test_a_channel_that_is_off_takes_nothing_and_shows_no_stream(house: House) -> None:
    await house.switch_off()
    assert await post(house, "messages", said(), JSON) == (503, "channel_off")
    async with house.browser.get(f"{house.chat}/events") as answer:
        assert answer.status == 503
    assert house.inlet.attempts == []
    assert await Visitor(house).messages() == []


async def test_a_store_that_is_down_is_told_and_nothing_is_handed_on(house: House) -> None:
    await house.store.close()
    assert await post(house, "messages", said(), JSON) == (503, "not_stored")
    for path in ("events", "messages?before=9"):
        async with house.browser.get(f"{house.chat}/{path}") as answer:
            assert answer.status == 503
    assert house.inlet.attempts == []


@pytest.mark.parametrize("before", ["", "x", "-1", "9" * 16, "٣"])
async def test_a_place_that_is_none_is_refused(house: House, before: str) -> None:
    async with house.browser.get(f"{house.chat}/messages", params={"before": before}) as answer:
        assert answer.status == 422


async def test_a_card_stays_one_after_its_decision(house: House) -> None:
    visitor = Visitor(house)
    ref = await house.adapter.send(visitor.where, Outgoing(plain("May I?"), ((Button("Yes", "t"),),)))
    plain_ref = await house.adapter.send(visitor.where, Outgoing(plain("looking")))
    assert [message["state"] for message in await visitor.messages()] == ["waiting", "plain"]
    await house.adapter.edit(ref, Outgoing(plain("Approved.")))
    await house.adapter.edit(plain_ref, Outgoing(plain("found")))
    assert [message["state"] for message in await visitor.messages()] == ["settled", "plain"]


async def test_a_file_is_sent_once_and_its_name_leads_nowhere_else(house: House) -> None:
    async with house.browser.get(f"{house.chat}/static/chat.css") as answer:
        assert answer.status == 200
        mark = answer.headers["ETag"]
    async with house.browser.get(f"{house.chat}/static/chat.css", headers={"If-None-Match": mark}) as answer:
        assert answer.status == 304
    for name in ("chat.html", "..%2Fadapter.py", "nothing.js"):
        async with house.browser.get(f"{house.chat}/static/{name}") as answer:
            assert answer.status == 404
