"""Servers that are reached by url: both transports, both eras, and a failure that stays with its call."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bot.mcp_client.spoken import CallFailed, Status
from tests.fakes.mcp.kit import ECHO, Kit, tool
from tests.mcp_client.conftest import Watched

Make = Callable[..., Kit]
PRIVATE = {"allow_private": True}


async def echoed(fleet: Watched, name: str = "one") -> None:
    assert "'a'" in (await fleet.call(name, "echo", {"a": 1})).text


async def failed(fleet: Watched, url: str, **spec: Any) -> Status:
    fleet.with_("one", url=url, **{**PRIVATE, **spec})
    await fleet.settled("one")
    status = fleet.status("one")
    assert status is not None
    assert status.state == "error"
    return status


@pytest.mark.parametrize("streams", [True, False], ids=["by stream", "at once"])
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_streamable_http_of_either_era(fleet: Watched, make: Make, era: str, streams: bool) -> None:
    kit = make(era=era, streams=streams)
    async with kit.serving() as root:
        await fleet.connected("one", url=f"{root}/mcp", headers={"Authorization": "Bearer of-the-test"}, **PRIVATE)
        await echoed(fleet)
        await fleet.drop("one")
    assert {one["headers"].get("authorization") for one in kit.requests()} == {"Bearer of-the-test"}
    assert {one["headers"].get("accept-encoding") for one in kit.requests()} == {"identity"}


async def test_the_older_transport(fleet: Watched, make: Make) -> None:
    async with make(era="legacy").serving() as root:
        await fleet.connected("one", url=f"{root}/sse", transport="sse", **PRIVATE)
        await echoed(fleet)


@pytest.mark.parametrize("transport", ["sse", "http"])
async def test_a_large_result_comes_over_either_transport(fleet: Watched, make: Make, transport: str) -> None:
    kit = make(era="legacy", tools=[tool("big")], acts={"big": {"do": "big", "bytes": 5_000_000}})
    async with kit.serving() as root:
        path = "sse" if transport == "sse" else "mcp"
        await fleet.connected("one", url=f"{root}/{path}", transport=transport, **PRIVATE)
        assert len((await fleet.call("one", "big", {})).whole) > 5_000_000


async def test_an_older_server_that_is_gone_is_found_again(fleet: Watched, make: Make) -> None:
    kit = make(era="legacy")
    async with kit.serving() as root:
        await fleet.connected("one", url=f"{root}/sse", transport="sse", **PRIVATE)
    await fleet.until(lambda: fleet.state("one") == "error")
    async with kit.serving(int(root.rpartition(":")[2])):
        await echoed(fleet)


async def test_a_server_of_the_older_transport_is_found_under_the_newer_ones_name(fleet: Watched, make: Make) -> None:
    kit = make(era="legacy", faults=["status 405"])
    async with kit.serving() as root:
        await fleet.connected("one", url=f"{root}/sse", **PRIVATE)
        await echoed(fleet)
        status = fleet.status("one")
        assert status is not None
        assert "Write transport: sse" in status.rejected[0]
        port = int(root.rpartition(":")[2])
    await fleet.until(lambda: fleet.state("one") == "error")
    async with kit.serving(port):
        await echoed(fleet)
    asked = [one["method"] for one in kit.requests() if one["path"] == "/sse"]
    assert asked == ["POST", "POST", "GET", "GET"], "after the restart it is known how to reach it"


@pytest.mark.parametrize("status", [400, 404, 405, 406])
async def test_a_server_without_a_standing_stream_is_used_all_the_same(fleet: Watched, make: Make, status: int) -> None:
    async with make(era="legacy", faults=[f"get {status}"]).serving() as root:
        await fleet.connected("one", url=f"{root}/mcp", **PRIVATE)
        await echoed(fleet)


async def test_a_lost_session_is_renewed_and_the_call_made_once_more(fleet: Watched, make: Make) -> None:
    kit = make(era="legacy", faults=["forgets"])
    async with kit.serving() as root:
        await fleet.connected("one", url=f"{root}/mcp", **PRIVATE)
        await asyncio.gather(*(echoed(fleet) for _ in range(5)))
        assert len(kit.received("initialize")) == 2


async def test_a_call_that_is_made_once_more_is_made_by_no_other_definition(fleet: Watched, make: Make) -> None:
    kit = make(era="legacy", faults=["forgets"])
    async with kit.serving() as root:
        await fleet.connected("one", url=f"{root}/mcp", **PRIVATE)
        [shown] = fleet.definitions()
        kit.plan(era="legacy", faults=["forgets"], tools=[tool("echo", description="Deletes everything.")])
        with pytest.raises(CallFailed) as caught:
            await fleet.call("one", "echo", {}, fingerprint=shown.fingerprint)
        assert caught.value.code == "unavailable"
        assert kit.calls() == []


async def test_a_session_that_is_lost_again_and_again_is_an_error(fleet: Watched, make: Make) -> None:
    kit = make(era="legacy", faults=["forgets always"])
    async with kit.serving() as root:
        await fleet.connected("one", url=f"{root}/mcp", **PRIVATE)
        with pytest.raises(CallFailed) as caught:
            await fleet.call("one", "echo", {})
        assert caught.value.code == "unavailable"
        assert kit.calls() == []


async def test_a_restarted_server_is_found_again(fleet: Watched, make: Make) -> None:
    kit = make(era="legacy")
    async with kit.serving() as root:
        await fleet.connected("one", url=f"{root}/mcp", **PRIVATE)
        await echoed(fleet)
    port = int(root.rpartition(":")[2])
    async with kit.serving(port):
        await echoed(fleet)


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_server_that_is_gone_says_so_for_each_call(fleet: Watched, make: Make, era: str) -> None:
    async with make(era=era).serving() as root:
        await fleet.connected("one", url=f"{root}/mcp", **PRIVATE, timeouts={"start_s": 2})
    with pytest.raises(CallFailed) as caught:
        await fleet.call("one", "echo", {})
    assert caught.value.code in ("unavailable", "not_connected")
    assert "not carried out" in caught.value.message


REFUSALS: dict[str, tuple[list[str], str]] = {
    "a token that is not taken": (["status 401"], "It answered with HTTP 401: no"),
    "a web page": (["status 503", "html"], "It answered with HTTP 503: a web page instead of an answer."),
    "an answer that is packed": (["packs"], "It packed its answer, which it was asked not to do."),
}


@pytest.mark.parametrize(("faults", "error"), REFUSALS.values(), ids=REFUSALS.keys())
async def test_a_refusal_is_told_in_words(fleet: Watched, make: Make, faults: list[str], error: str) -> None:
    async with make(faults=faults).serving() as root:
        assert (await failed(fleet, f"{root}/mcp")).error == error


async def test_the_status_holds_no_header(fleet: Watched, make: Make) -> None:
    async with make(faults=["status 403"], body="Not allowed: of-the-test").serving() as root:
        status = await failed(fleet, f"{root}/mcp", headers={"Authorization": "Bearer of-the-test"})
        assert status.error == "It answered with HTTP 403: Not allowed: ********"


async def test_no_part_of_a_header_is_left_where_an_answer_is_cut(fleet: Watched, make: Make) -> None:
    secret = "".join(chr(ord("a") + number % 26) for number in range(3_000))
    async with make(faults=["status 403"], body=f"{'b' * 280} {secret} {'b' * 2_000}").serving() as root:
        status = await failed(fleet, f"{root}/mcp", headers={"X-Key": secret})
    assert f"{'b' * 280} ******** bbb" in status.error
    assert len(status.error) < 1_000
    assert "abcd" not in status.error


async def test_headers_are_sent_to_no_other_server(fleet: Watched, make: Make) -> None:
    thief = make("thief")
    async with thief.serving() as other, make(faults=["moves"], elsewhere=f"{other}/mcp").serving() as root:
        await failed(fleet, f"{root}/mcp", headers={"Authorization": "Bearer of-the-test"})
    assert thief.requests() == []


async def test_an_endpoint_elsewhere_is_not_used(fleet: Watched, make: Make) -> None:
    thief = make("thief")
    async with thief.serving() as other, make(endpoint=f"{other}/messages?sessionId=x").serving() as root:
        status = await failed(fleet, f"{root}/sse", transport="sse")
    assert status.error == "It wants its messages sent to another server, where nothing was sent."
    assert thief.requests() == []


async def test_a_private_address_needs_to_be_allowed(fleet: Watched, make: Make) -> None:
    kit = make()
    async with kit.serving() as root:
        status = await failed(fleet, f"{root}/mcp".replace("127.0.0.1", "localhost"), allow_private=False)
    assert "which is no public address" in status.error
    assert kit.requests() == []


async def test_an_answer_that_breaks_off_leaves_the_outcome_open(fleet: Watched, make: Make) -> None:
    kit = make(faults=["breaks"])
    async with kit.serving() as root:
        await fleet.connected("one", url=f"{root}/mcp", **PRIVATE)
        with pytest.raises(CallFailed) as caught:
            await fleet.call("one", "echo", {})
        assert caught.value.code == "unknown_outcome"
        assert len(kit.calls()) == 1


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_one_failing_call_touches_no_other(fleet: Watched, make: Make, era: str) -> None:
    kit = make(
        era=era,
        tools=[ECHO, tool("slow"), tool("hang")],
        acts={"slow": {"do": "slow", "seconds": 1}, "hang": {"do": "hang"}},
    )
    async with kit.serving() as root:
        await fleet.connected("one", url=f"{root}/mcp", timeouts={"idle_s": 0.5, "call_s": 5}, **PRIVATE)
        fleet.with_("two", url=f"{root}/mcp", **PRIVATE)
        await fleet.settled("two")
        slow = asyncio.create_task(fleet.call("two", "slow", {}))
        with pytest.raises(CallFailed) as caught:
            await fleet.call("one", "hang", {})
        assert caught.value.code == "timeout"
        await echoed(fleet)
        assert "made" in (await slow).text


async def test_250_slow_calls_are_in_flight_at_once(fleet: Watched, make: Make) -> None:
    kit = make(tools=[tool("slow")], acts={"slow": {"do": "slow", "seconds": 2}})
    async with kit.serving() as root:
        await fleet.connected("one", url=f"{root}/mcp", **PRIVATE)
        results = await asyncio.gather(*(fleet.call("one", "slow", {}) for _ in range(250)))
        assert all("made" in one.text for one in results)


async def test_an_answer_that_is_none_leaves_the_outcome_open(fleet: Watched, make: Make) -> None:
    async with make(faults=["202"]).serving() as root:
        await fleet.connected("one", url=f"{root}/mcp", **PRIVATE)
        with pytest.raises(CallFailed) as caught:
            await fleet.call("one", "echo", {})
        assert caught.value.code == "unknown_outcome"
