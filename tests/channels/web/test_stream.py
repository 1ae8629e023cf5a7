import asyncio
import socket
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from aiohttp.typedefs import Handler

from bot.store import transcripts
from bot.store.database import Tx
from bot.web.transcript import StoredTranscript
from channels.outgoing import Outgoing, plain
from channels.web.body import Said, dump
from channels.web.hub import Hub, Live
from channels.web.limits import CATCH_UP, PAGE, Pace
from channels.web.stream import Stream
from channels.web.view import PARTIAL, _drawn, live_frame
from tests.channels.web.house import House, Visitor, event, frames, open_house


async def told(house: House, *texts: str) -> None:
    for text in texts:
        await house.adapter.send(Visitor(house).where, Outgoing(plain(text)))


async def test_a_page_starts_with_the_newest_messages_and_the_number_to_resume_from(house: House) -> None:
    await told(house, "one", "two")
    got = await frames(house, event("ready"))
    assert [frame.event for frame in got] == ["fresh", "message", "message", "ready"]
    assert got[0].data == {"more": False}
    assert [frame.id for frame in got] == ["", "", "", "2"]


async def test_a_page_that_was_away_gets_what_it_missed_and_nothing_else(house: House) -> None:
    await told(house, "one", "two")
    ref = await house.adapter.send(Visitor(house).where, Outgoing(plain("three")))
    await told(house, "four")
    await house.adapter.edit(ref, Outgoing(plain("three, mended")))
    got = await frames(house, event("ready"), last="3")
    assert [(frame.event, frame.data.get("html"), frame.id) for frame in got] == [
        ("message", "<p>four</p>", "4"),
        ("message", "<p>three, mended</p>", "5"),
        ("ready", None, ""),
    ]


async def test_a_page_that_missed_nothing_is_told_so(house: House) -> None:
    await told(house, "one")
    assert [frame.event for frame in await frames(house, event("ready"), last="1")] == ["ready"]


@pytest.mark.parametrize("last", ["99", "x", "-1", "9" * 20])
async def test_a_number_from_somewhere_else_is_a_fresh_start(house: House, last: str) -> None:
    await told(house, "one")
    assert [frame.event for frame in await frames(house, event("ready"), last=last)] == ["fresh", "message", "ready"]


async def test_a_page_that_missed_very_much_starts_afresh(house: House) -> None:
    await told(house, *map(str, range(CATCH_UP + 2)))
    got = await frames(house, event("ready"), last="1")
    assert (got[0].event, len(got)) == ("fresh", PAGE + 2)
    assert got[0].data == {"more": True}


async def test_news_come_in_the_order_in_which_they_happened(house: House) -> None:
    listening = asyncio.create_task(frames(house, lambda frame: frame.data.get("html") == "<p>last</p>"))
    await told(house, *(f"n{number}" for number in range(30)), "last")
    shown = [frame.data["html"] for frame in await listening if frame.event == "message"]
    assert shown == [*(f"<p>n{number}</p>" for number in range(30)), "<p>last</p>"]


async def test_what_is_going_on_is_told_at_once_to_a_page_that_is_opened_later(house: House) -> None:
    where = Visitor(house).where
    await house.adapter.show(where, "thinking")
    await house.adapter.stream(where, "run", "so **far")
    live = (await frames(house, event("live")))[-1]
    assert live.data == {"activity": "thinking", "partial": "<p>so **far</p>"}
    await house.adapter.show(where, "idle")
    assert (await frames(house, event("live")))[-1].data == {"activity": "idle", "partial": None}


async def test_a_message_takes_the_place_of_its_stream(house: House) -> None:
    where = Visitor(house).where
    await house.adapter.stream(where, "run", "so far")
    await told(house, "so far and no further")
    assert (await frames(house, event("live")))[-1].data["partial"] is None


async def test_of_a_long_text_that_is_being_written_only_the_end_is_drawn(house: House) -> None:
    text = "begin " + "word " * PARTIAL + "the end"
    await house.adapter.stream(Visitor(house).where, "run", text)
    drawn = str((await frames(house, event("live")))[-1].data["partial"])
    assert drawn.startswith("<p>… ")
    assert drawn.endswith("the end</p>")
    assert len(drawn) < PARTIAL + 20
    await house.adapter.stream(Visitor(house).where, "run", "short")
    assert (await frames(house, event("live")))[-1].data["partial"] == "<p>short</p>"


def test_a_text_that_is_being_written_is_drawn_once_for_all_pages() -> None:
    """A hostile one takes long to draw."""
    text = "a text of this test alone"
    live_frame(Live("thinking", text))
    before = _drawn.cache_info()
    live_frame(Live("acting", text))
    after = _drawn.cache_info()
    assert (after.hits, after.misses) == (before.hits + 1, before.misses)


async def test_a_quiet_stream_is_kept_alive_and_looks_for_what_others_wrote(
    sqlite_template: Path, tmp_path: Path
) -> None:
    async with open_house(sqlite_template, tmp_path, pace=Pace(heartbeat=0.05)) as house:
        listening = asyncio.create_task(frames(house, event("message")))
        await house.store.tx(_written_by_another_process)
        assert (await listening)[-1].data["html"] == "from elsewhere"


async def test_a_browser_that_takes_nothing_is_cut(house: House) -> None:
    await told(house, *("x" * 100_000 for _ in range(PAGE)))
    stream = Stream(StoredTranscript(house.store), Hub(), Pace(slow=0.2))
    ended = asyncio.Event()

    async def serve(request: web.Request) -> web.StreamResponse:
        response = await stream.serve(request, "web:admin")
        ended.set()
        return response

    async with TestServer(_app(serve)) as server:
        with socket.create_connection((server.host, server.port)) as lazy:
            lazy.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            async with asyncio.timeout(20):
                await ended.wait()


async def test_every_stream_ends_when_the_channel_is_switched_off(house: House) -> None:
    async with house.browser.get(f"{house.chat}/events") as stream:
        await stream.content.readuntil(b"event: live")
        await house.switch_off()
        async with asyncio.timeout(5):
            await stream.content.read()
        assert stream.content.at_eof()


def _written_by_another_process(tx: Tx) -> None:
    transcripts.append(tx, "web:admin", "m", "web:admin", dump(Said("from elsewhere")), 1.0)


def _app(handler: Handler) -> web.Application:
    app = web.Application()
    app.router.add_get("/", handler)
    return app
