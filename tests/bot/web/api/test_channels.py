"""Channels over HTTP."""

from bot.store import channels, runs, sessions
from tests.bot.parts import begin
from tests.bot.web.api.house import SECRET, House


async def test_channels_say_how_they_are(house: House) -> None:
    house.desk.health.note("channel:tg", "error", f"refused: {SECRET}", ok=False)
    tg, web = (await house.get("/api/channels"))["items"]
    assert (tg["name"], tg["type"], tg["state"], tg["detail"]) == ("tg", "telegram", "error", "refused: ********")
    assert (web["name"], web["state"], web["since"]) == ("web", "connected", house.now[0])


async def test_disconnecting_ends_what_goes_on_there(each_house: House) -> None:
    run = await each_house.store.tx(begin)
    told = await each_house.call("POST", "/api/channels/tg/disconnect")
    assert (told.status, told.said["state"]) == (200, "disconnected")
    assert not await each_house.store.tx(runs.alive, run.id)
    assert await each_house.store.tx(sessions.everything, None, 5) == []
    assert await each_house.store.tx(channels.disconnected) == {"tg"}
    assert ("api:admin", "disconnected", "tg") in await each_house.audit()


async def test_disconnecting_twice_is_as_once(each_house: House) -> None:
    for _ in range(2):
        assert (await each_house.call("POST", "/api/channels/tg/disconnect")).said["state"] == "disconnected"
    audit = await each_house.audit()
    assert [entry for entry in audit if entry[1] == "disconnected"] == [("api:admin", "disconnected", "tg")]
    assert len([entry for entry in audit if entry[1] == "api_called"]) == 2


async def test_a_channel_is_brought_back(each_house: House) -> None:
    await each_house.call("POST", "/api/channels/tg/disconnect")
    told = await each_house.call("POST", "/api/channels/tg/connect")
    assert (told.status, told.said["state"]) == (200, "connecting")
    assert await each_house.store.tx(channels.disconnected) == set()


async def test_a_channel_that_is_not_there_is_not_found(house: House) -> None:
    told = await house.call("POST", "/api/channels/irc/disconnect")
    assert (told.status, told.code) == (404, "unknown_channel")
