"""Deliveries by HTTP at the running service: whatever comes from elsewhere is turned away, without a traceback."""

import hashlib
import json
import time
from io import BytesIO

import aiohttp
import pytest

from tests.fakes.slack.posts import signature
from tests.flows.slack.plan import CHANNEL
from tests.flows.slack.scene import Scene
from tests.flows.slack.stage import Stage
from tests.flows.slack.ways import by_http, in_the_long_play

pytestmark = by_http

ECHO = "Heard: {user}"


async def quiet(scene: Scene) -> None:
    """Nothing of it was taken, nor did anything break."""
    await scene.house.at_rest()
    assert await scene.heard() == []
    assert "Traceback" not in scene.house.log.read_text()


@in_the_long_play
@pytest.mark.parametrize(
    ("signature", "timestamp", "age"),
    [
        ("bad", None, 0),
        ("none", None, 0),
        ("good", None, 301),
        ("good", None, -301),
        ("good", "", 0),
        ("good", "now", 0),
        ("good", "１７００００００００", 0),
        ("good", "1e9", 0),
        ("good", "9" * 400, 0),
    ],
    ids=["wrong", "none", "too old", "from the future", "no time", "a word", "other digits", "a float", "endless"],
)
async def test_what_is_not_signed_now_is_refused(scene: Scene, signature: str, timestamp: str | None, age: int) -> None:
    """B219, B220: 401, whatever stands in the headers."""
    body = json.dumps(event(scene, "forged"))
    if timestamp is not None and not timestamp.isascii():
        status = await posted(scene, body.encode(), {"X-Slack-Request-Timestamp": timestamp})
    else:
        replied = await scene.slack.forge(body, signature=signature, timestamp=timestamp, age=age)  # type: ignore[arg-type]  # one of its words
        status = replied.status
    assert status == 401
    await quiet(scene)


@in_the_long_play
async def test_a_signature_with_odd_characters_is_refused(scene: Scene) -> None:
    """B219: it is compared as bytes."""
    now = str(int(time.time()))
    headers = {"X-Slack-Request-Timestamp": now, "X-Slack-Signature": "v0=Ärger\u0080"}
    assert await posted(scene, b"{}", headers) == 401
    await quiet(scene)


@in_the_long_play
async def test_what_is_replayed_later_is_refused_and_within_the_window_is_known(scene: Scene) -> None:
    """B220: after ten minutes it is too old; before, its id was seen."""
    await scene.model.otherwise(ECHO)
    body = json.dumps(event(scene, "hello"))
    assert (await scene.slack.forge(body)).status == 200
    assert (await scene.slack.forge(body)).status == 200
    assert (await scene.slack.forge(body, age=240)).status == 200
    assert (await scene.slack.forge(body, age=600)).status == 401
    await scene.reads("Heard: hello", chat=scene.direct)
    await scene.house.at_rest()
    assert await scene.heard() == ["hello"]


@in_the_long_play
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b"null",
        b"\xff\xfe{}",
        b'{"type": "event_callback"}',
        b'{"type": "event_callback", "event": []}',
        b'{"type": "event_callback", "team_id": {}, "event": {"type": 5}}',
        b'{"type": 7, "team_id": "T1"}',
        b"payload=",
        b"payload=[]",
        b"payload=%7B%7D&payload=%5B",
        b"command=&text=x",
    ],
)
async def test_what_slack_would_not_send_does_no_harm_though_it_is_signed(scene: Scene, body: bytes) -> None:
    for kind in ("application/json", "application/x-www-form-urlencoded"):
        status = await posted(scene, body, signed(scene, body), kind)
        assert status in (200, 400, 404, 503), status
    await quiet(scene)


@in_the_long_play
async def test_the_signature_is_over_the_bytes_as_they_came(scene: Scene) -> None:
    """B218: order of keys, spaces and escapes are not ours to change before."""
    await scene.model.otherwise(ECHO)
    told = event(scene, "hÄllo")
    body = json.dumps(dict(reversed(told.items())), ensure_ascii=True, indent=7).encode()
    assert await posted(scene, body, signed(scene, body)) == 200
    await scene.reads("Heard: hÄllo", chat=scene.direct)


@in_the_long_play
async def test_the_address_is_verified_as_slack_asks_for_it(scene: Scene) -> None:
    body = json.dumps({"type": "url_verification", "token": "x", "challenge": "prove it"})
    replied = await scene.slack.forge(body)
    assert (replied.status, "prove it" in replied.text) == (200, True)
    assert (await scene.slack.forge(body, signature="bad")).status == 401


@in_the_long_play
async def test_what_is_too_large_is_not_read_to_its_end(scene: Scene) -> None:
    body = b"x" * (1 << 21)
    assert await posted(scene, body, signed(scene, body)) == 413
    await quiet(scene)


async def test_without_a_secret_it_does_not_start(stage: Stage) -> None:
    """B215: an address that takes events from anyone is none."""
    stage.change(slack={"signing_secret": None})
    code, said = await stage.askfirst("run")
    assert code == 2
    assert "has mode: http and no signing_secret: anyone could send events" in said


def event(scene: Scene, text: str) -> dict[str, object]:
    """A delivery as Slack would make it, for the person of the scene."""
    said = {"type": "message", "channel": scene.direct.id, "channel_type": "im", "user": scene.person.id, "text": text}
    mine = {"team_id": scene.slack.team_id, "api_app_id": scene.slack.app_id, "type": "event_callback"}
    number = hashlib.sha256((scene.direct.id + text).encode()).hexdigest()[:10].upper()
    return {
        **mine,
        "event": {**said, "ts": "1700000000.000100"},
        "event_id": f"Ev{number}",
        "event_time": 1_700_000_000,
    }


def signed(scene: Scene, body: bytes) -> dict[str, str]:
    now = str(int(time.time()))
    return {
        "X-Slack-Request-Timestamp": now,
        "X-Slack-Signature": signature(scene.slack.signing_secret, now, body),
    }


async def posted(scene: Scene, body: bytes, headers: dict[str, str], kind: str = "application/json") -> int:
    """The status of a post of the test's own making."""
    url = f"{scene.house.url}channels/{CHANNEL}/slack/events"
    async with aiohttp.ClientSession(headers={**headers, "Content-Type": kind}) as http:
        answer = await http.post(url, data=BytesIO(body))
        return answer.status
