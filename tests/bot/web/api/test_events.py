"""The events of a run: as a list, and as they happen."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, get_args

import pytest
from aiohttp import ClientResponse

from bot.domain.run import Run
from bot.store import api_tokens, entries
from bot.store.database import Store, Tx
from bot.store.entries import Entry, EntryKind
from bot.web.api.happenings import EventName
from bot.web.api.streams import Pace
from tests.bot.parts import NOW, begin
from tests.bot.web.api.house import ADMIN, SECRET, House, open_house, token_for

ANSWER = {
    "turn": 1,
    "text": f"I looked, and {SECRET} is what stands there.",
    "calls": [{"id": "a1", "name": "add_note", "arguments": {"text": "private words"}}],
    "native": "the provider's own words",
    "model": "main",
    "usage": {"input": 5, "output": 7},
    "cost": None,
}


def _log(tx: Tx, run_id: str) -> None:
    """After the question: an answer with a call that waits, is approved, runs, and the end."""
    said: list[tuple[EntryKind, str | None, dict[str, Any]]] = [
        ("started", None, {}),
        ("model_called", None, ANSWER),
        ("approval_requested", None, {"approval": "apr_1", "call": "call_1", "code": "ABCD"}),
        (
            "approval_decided",
            None,
            {"approval": "apr_1", "call": "call_1", "state": "approved", "by": "tg:5", "reason": None},
        ),
        ("tool_started", "call_0", {"call": "call_1", "tool": "add_note"}),
        ("tool_finished", "call_0", {"call": "call_1", "tool": "add_note", "failure": None}),
        ("model_called", None, ANSWER | {"turn": 2, "text": "", "calls": []}),
        ("completed", None, {"silent": True}),
    ]
    for kind, frame, body in said:
        entries.add(tx, Entry(run_id, kind, frame, NOW, body))


NAMES = [
    "queued",
    "started",
    "model_called",
    "text",
    "approval_requested",
    "approval_decided",
    "tool_started",
    "tool_finished",
    "model_called",
    "completed",
]


async def logged(house: House) -> Run:
    run = await house.store.tx(begin)
    await house.store.tx(_log, run.id)
    return run


async def test_what_happened_is_told_in_its_order_and_by_its_names(each_house: House) -> None:
    run = await logged(each_house)
    told = (await each_house.get(f"/api/runs/{run.id}/events"))["items"]
    assert [each["event"] for each in told] == NAMES
    assert [each["at"] for each in told] == [NOW] * len(NAMES)
    assert [each["id"] for each in told] == sorted({each["id"] for each in told})
    [decided] = [each for each in told if each["event"] == "approval_decided"]
    assert decided["data"]["by"] == "tg:5"
    assert [each["worker"] for each in told if each["event"] == "tool_started"] == ["call_0"]


async def test_neither_secrets_nor_arguments_are_told(each_house: House) -> None:
    run = await logged(each_house)
    told = (await each_house.get(f"/api/runs/{run.id}/events"))["items"]
    assert SECRET not in json.dumps(told)
    assert "private words" not in json.dumps(told)
    assert "the provider's own words" not in json.dumps(told)
    assert [each["data"] for each in told if each["event"] == "text"] == [
        {"text": "I looked, and ******** is what stands there."}
    ]


def test_every_kind_of_line_has_an_event_of_the_same_name() -> None:
    assert set(get_args(EntryKind)) <= set(get_args(EventName))


@dataclass(frozen=True, slots=True)
class Frame:
    id: int
    event: str
    data: dict[str, Any]


@asynccontextmanager
async def stream(
    house: House, run_id: str, *, last: int | None = None, token: str = ADMIN
) -> AsyncIterator[ClientResponse]:
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
    if last is not None:
        headers["Last-Event-ID"] = str(last)
    async with asyncio.timeout(20), house.program.get(f"{house.url}/api/runs/{run_id}/events", headers=headers) as got:
        assert (got.status, got.content_type) == (200, "text/event-stream")
        yield got


async def frames(answer: ClientResponse) -> AsyncIterator[Frame]:
    fields: dict[str, str] = {}
    async for raw in answer.content:
        name, _, value = raw.decode().rstrip("\n").partition(": ")
        if name:
            fields[name] = value
            continue
        if "event" in fields:
            yield Frame(int(fields["id"]), fields["event"], json.loads(fields["data"]))
        fields = {}


async def test_a_stream_tells_what_was_and_what_comes_until_the_end(each_house: House) -> None:
    run = await each_house.store.tx(begin)
    async with stream(each_house, run.id) as answer:
        told = frames(answer)
        assert (await anext(told)).event == "queued"
        await each_house.store.tx(_log, run.id)
        assert [(await anext(told)).event for _ in NAMES[1:]] == NAMES[1:]
        assert await each_house.store.tx(each_house.parts.closer.cancel, run.id, "test", "over", NOW)
        assert [frame.event async for frame in told] == ["cancelled"]


async def test_the_frames_are_the_items_of_the_list(each_house: House) -> None:
    run = await logged(each_house)
    await each_house.store.tx(each_house.parts.closer.cancel, run.id, "test", "over", NOW)
    listed = (await each_house.get(f"/api/runs/{run.id}/events"))["items"]
    async with stream(each_house, run.id) as answer:
        told = [frame async for frame in frames(answer)]
    assert [frame.data for frame in told] == listed
    assert [(frame.id, frame.event) for frame in told] == [(each["id"], each["event"]) for each in listed]


async def test_a_stream_is_resumed_after_any_event(each_house: House) -> None:
    run = await logged(each_house)
    await each_house.store.tx(each_house.parts.closer.cancel, run.id, "test", "over", NOW)
    ids = [each["id"] for each in (await each_house.get(f"/api/runs/{run.id}/events"))["items"]]
    for place, last in enumerate(ids):
        async with stream(each_house, run.id, last=last) as answer:
            assert [frame.id async for frame in frames(answer)] == ids[place + 1 :]


@pytest.mark.parametrize("batch", [2, 3, 11, 12])
async def test_a_log_longer_than_one_look_is_told_whole(store: Store, batch: int) -> None:
    async with open_house(store, pace=Pace(batch=batch)) as house:
        run = await logged(house)
        await house.store.tx(house.parts.closer.cancel, run.id, "test", "over", NOW)
        async with stream(house, run.id) as answer:
            assert [frame.event async for frame in frames(answer)] == [*NAMES, "cancelled"]


async def test_a_quiet_stream_gives_a_sign_of_life(store: Store) -> None:
    async with open_house(store, pace=Pace(heartbeat=0.0)) as house:
        run = await house.store.tx(begin)
        async with stream(house, run.id) as answer:
            async for raw in answer.content:
                if raw == b": still here\n":
                    return
    raise AssertionError("it ended without one")


async def test_a_stream_ends_when_its_token_is_revoked(each_house: House) -> None:
    run = await each_house.store.tx(begin)
    token_id, secret = await token_for(each_house, "eyes")
    async with stream(each_house, run.id, token=secret) as answer:
        told = frames(answer)
        assert (await anext(told)).event == "queued"
        await each_house.store.tx(api_tokens.revoke, token_id, NOW)
        assert [frame async for frame in told] == []


async def test_a_stream_ends_when_the_service_stops(house: House) -> None:
    run = await house.store.tx(begin)
    async with stream(house, run.id) as answer:
        told = frames(answer)
        assert (await anext(told)).event == "queued"
        house.desk.streams.close()
        assert [frame async for frame in told] == []


async def test_so_many_streams_are_open_and_no_more_until_a_reader_goes_away(store: Store) -> None:
    async with open_house(store, pace=Pace(most=1)) as house:
        run = await house.store.tx(begin)
        path = f"/api/runs/{run.id}/events"
        async with stream(house, run.id) as answer:
            await anext(frames(answer))
            told = await house.call("GET", path, headers={"Accept": "text/event-stream"})
            assert (told.status, told.code) == (429, "too_many_streams")
            assert (await house.call("GET", path)).status == 200
        async with asyncio.timeout(10):
            while house.desk.streams.full:
                await house.store.tx(entries.add, Entry(run.id, "started", None, NOW, {}))
                await asyncio.sleep(0.02)  # a closed connection is noticed at the next write: there is no event for it
