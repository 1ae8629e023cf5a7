"""Deliveries by HTTP: signed or refused, stored or not acknowledged; never a traceback."""

import hashlib
import hmac
import io
import json
import logging
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlencode

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from channels.errors import NotStored
from channels.fields import Json
from channels.slack.dispatch import Ack, Dispatch
from channels.slack.http import Endpoint
from channels.slack.limits import BODY

SECRET = "0123456789abcdef0123456789abcdef"
EVENT = {"type": "event_callback", "team_id": "T1", "event_id": "Ev1", "event": {"type": "message", "text": "hi"}}


class Desk:
    """Takes what comes, or fails as it is told."""

    def __init__(self) -> None:
        self.taken: list[Json] = []
        self.trouble: Exception | None = None
        self.ack = Ack()

    async def take(self, body: Json) -> Ack:
        if self.trouble is not None:
            raise self.trouble
        self.taken.append(body)
        return self.ack


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
async def client(desk: Desk) -> AsyncIterator[TestClient[web.Request, web.Application]]:
    endpoint = Endpoint(SECRET)
    endpoint.dispatch = Dispatch(desk.take)
    app = web.Application()
    app.router.add_post("/events", endpoint.handle)
    async with TestClient(TestServer(app)) as client:
        yield client


def signed(body: bytes, *, at: str | None = None, secret: str = SECRET) -> dict[str, str]:
    stamp = at if at is not None else str(int(time.time()))
    digest = hmac.new(secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}


def as_json(value: Any) -> tuple[bytes, dict[str, str]]:
    return json.dumps(value).encode(), {"Content-Type": "application/json"}


def as_form(values: Mapping[str, str]) -> tuple[bytes, dict[str, str]]:
    return urlencode(values).encode(), {"Content-Type": "application/x-www-form-urlencoded"}


Client = TestClient[web.Request, web.Application]


async def test_an_event_is_taken_and_then_acknowledged(client: Client, desk: Desk) -> None:
    body, kind = as_json(EVENT)
    answer = await client.post("/events", data=body, headers=kind | signed(body))
    assert answer.status == 200
    assert desk.taken == [EVENT]


@pytest.mark.parametrize("kind", ["reaction_added", "something_new", "app_home_opened"])
async def test_kinds_that_nobody_asked_for_are_acknowledged(client: Client, kind: str) -> None:
    body, headers = as_json({**EVENT, "event": {"type": kind}})
    assert (await client.post("/events", data=body, headers=headers | signed(body))).status == 200


async def test_the_address_is_verified(client: Client, desk: Desk) -> None:
    body, kind = as_json({"type": "url_verification", "challenge": "abc"})
    answer = await client.post("/events", data=body, headers=kind | signed(body))
    assert answer.status == 200
    assert "abc" in await answer.text()
    assert desk.taken == []


async def test_the_certificate_is_looked_at(client: Client, desk: Desk) -> None:
    body, kind = as_form({"ssl_check": "1", "token": "x"})
    assert (await client.post("/events", data=body, headers=kind)).status == 200
    assert desk.taken == []


async def test_what_is_not_stored_is_not_acknowledged(client: Client, desk: Desk) -> None:
    desk.trouble = NotStored("the disk is full")
    body, kind = as_json(EVENT)
    answer = await client.post("/events", data=body, headers=kind | signed(body))
    assert answer.status == 503
    assert "disk" not in await answer.text()


async def test_a_fault_of_ours_is_no_acknowledgement_and_no_traceback(
    client: Client, desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    desk.trouble = RuntimeError("secret thing")
    body, kind = as_json(EVENT)
    answer = await client.post("/events", data=body, headers=kind | signed(body))
    assert answer.status == 503
    assert "secret thing" not in await answer.text()
    assert "Traceback" not in caplog.text


NOW = int(time.time())
FORGED: dict[str, dict[str, str]] = {
    "none": {},
    "no signature": {"X-Slack-Request-Timestamp": str(NOW)},
    "wrong": {"X-Slack-Request-Timestamp": str(NOW), "X-Slack-Signature": "v0=" + "0" * 64},
    "not ASCII": {"X-Slack-Request-Timestamp": str(NOW), "X-Slack-Signature": "v0=\udce4\udcb6"},
    "not a number": {"X-Slack-Request-Timestamp": "now", "X-Slack-Signature": "v0=00"},
    "other digits": {"X-Slack-Request-Timestamp": "\u0661\u0662", "X-Slack-Signature": "v0=00"},
    "endless": {"X-Slack-Request-Timestamp": "9" * 400, "X-Slack-Signature": "v0=00"},
}


@pytest.mark.parametrize("headers", FORGED.values(), ids=FORGED.keys())
async def test_what_is_not_signed_by_slack_is_refused(
    client: Client, desk: Desk, headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    """B219: whatever stands in the headers."""
    body, kind = as_json(EVENT)
    given = {name: value.encode("utf-8", "surrogateescape").decode("latin-1") for name, value in headers.items()}
    answer = await client.post("/events", data=body, headers=kind | given)
    assert answer.status == 401
    assert desk.taken == []
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("age", [301, -301, 600, 86_400])
async def test_what_is_too_old_or_from_the_future_is_refused(client: Client, desk: Desk, age: int) -> None:
    """B220."""
    body, kind = as_json(EVENT)
    answer = await client.post("/events", data=body, headers=kind | signed(body, at=str(int(time.time()) - age)))
    assert answer.status == 401
    assert desk.taken == []


async def test_another_apps_signature_is_refused(client: Client, desk: Desk) -> None:
    body, kind = as_json(EVENT)
    assert (await client.post("/events", data=body, headers=kind | signed(body, secret="f" * 32))).status == 401
    assert desk.taken == []


async def test_the_signature_is_over_the_bytes_as_they_came(client: Client, desk: Desk) -> None:
    """B218: other spacing, other order of keys, escapes: nothing is decoded and encoded again."""
    body = b'{ "event_id":"Ev1",\n "type" :"event_callback", "event":{"type":"message","text":"\\u00e4 \xc3\xa4"} }'
    answer = await client.post("/events", data=body, headers={"Content-Type": "application/json"} | signed(body))
    assert answer.status == 200
    assert len(desk.taken) == 1


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"not json", "application/json"),
        (b"[]", "application/json"),
        (b'"text"', "application/json"),
        (b"\xff\xfe\x00", "application/json"),
        (b"payload=%7Bnot", "application/x-www-form-urlencoded"),
        (b"payload=%5B%5D", "application/x-www-form-urlencoded"),
        (b"\xff=\xfe", "application/x-www-form-urlencoded"),
    ],
)
async def test_what_is_signed_and_cannot_be_read_is_refused_in_a_sentence(
    client: Client, desk: Desk, body: bytes, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await client.post("/events", data=body, headers={"Content-Type": kind} | signed(body))
    assert answer.status == 400
    assert desk.taken == []
    assert "Traceback" not in caplog.text


async def test_what_is_too_large_is_refused(client: Client, desk: Desk) -> None:
    body = io.BytesIO(b" " * (BODY + 1))
    answer = await client.post("/events", data=body, headers={"Content-Type": "application/json"} | signed(b""))
    assert answer.status == 413


async def test_before_the_app_is_known_it_is_to_come_again() -> None:
    app = web.Application()
    app.router.add_post("/events", Endpoint(SECRET).handle)
    async with TestClient(TestServer(app)) as client:
        body, kind = as_json(EVENT)
        answer = await client.post("/events", data=body, headers=kind | signed(body))
        assert (answer.status, answer.headers["Retry-After"]) == (503, "2")


def test_an_endpoint_without_a_secret_is_none() -> None:
    with pytest.raises(ValueError, match="anyone"):
        Endpoint("")


WHO = {"team": {"id": "T1"}, "user": {"id": "U1"}}
PRESS = {**WHO, "type": "block_actions", "actions": [{"action_id": "b0", "type": "button"}]}
SUBMIT = {**WHO, "type": "view_submission", "view": {"callback_id": "form", "type": "modal"}}


@pytest.mark.parametrize(
    "payload",
    [
        PRESS,
        SUBMIT,
        {**SUBMIT, "type": "view_closed"},
        {**WHO, "type": "shortcut", "callback_id": "x"},
        {**WHO, "type": "message_action", "callback_id": "x"},
        {**WHO, "type": "block_suggestion", "action_id": "x"},
    ],
    ids=lambda payload: str(payload["type"]),
)
async def test_every_kind_of_interaction_is_acknowledged(client: Client, desk: Desk, payload: dict[str, Any]) -> None:
    body, kind = as_form({"payload": json.dumps(payload)})
    answer = await client.post("/events", data=body, headers=kind | signed(body))
    assert answer.status == 200
    assert desk.taken == [payload]


async def test_what_is_wrong_with_a_form_stands_in_the_acknowledgement(client: Client, desk: Desk) -> None:
    desk.ack = Ack(mistakes={"text": "too short"})
    body, kind = as_form({"payload": json.dumps(SUBMIT)})
    answer = await client.post("/events", data=body, headers=kind | signed(body))
    assert await answer.json() == {"response_action": "errors", "errors": {"text": "too short"}}


async def test_a_command_is_acknowledged(client: Client, desk: Desk) -> None:
    body, kind = as_form({"command": "/askfirst", "text": "help", "team_id": "T1", "user_id": "U1", "channel_id": "C1"})
    answer = await client.post("/events", data=body, headers=kind | signed(body))
    assert answer.status == 200
    assert len(desk.taken) == 1


async def test_an_interaction_that_is_not_stored_is_not_acknowledged(client: Client, desk: Desk) -> None:
    desk.trouble = NotStored("the disk is full")
    for values in ({"command": "/askfirst", "text": "help", "team_id": "T1"}, {"payload": json.dumps(PRESS)}):
        body, kind = as_form(values)
        assert (await client.post("/events", data=body, headers=kind | signed(body))).status == 503
