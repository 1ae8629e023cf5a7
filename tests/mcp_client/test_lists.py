"""What a server lists: page by page, tool by tool, and anew when it changes."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bot.mcp_client.spoken import Status
from tests.fakes.mcp.kit import ECHO, Kit, tool
from tests.mcp_client.conftest import Watched

Make = Callable[..., Kit]


def status_of(fleet: Watched, name: str = "one") -> Status:
    status = fleet.status(name)
    assert status is not None
    return status


async def test_all_pages_are_read_and_a_tool_on_the_last_is_called(fleet: Watched, make: Make) -> None:
    kit = make(page=50, tools=[tool(f"tool{number}") for number in range(101)])
    await fleet.connected("one", **kit.spec)
    assert len(fleet.definitions()) == 101
    assert not (await fleet.call("one", "tool100", {})).failed
    assert len(kit.received("tools/list")) == 3


async def test_pages_in_circles_are_read_once(fleet: Watched, make: Make) -> None:
    kit = make(tools=[tool("a"), tool("b")], faults=["circling pages"])
    await fleet.connected("one", **kit.spec)
    assert fleet.names() == ["a", "b"]
    assert status_of(fleet).rejected[-1] == "Its list of tools goes in circles, so it was read up to there."
    assert len(kit.received("tools/list")) == 2


async def test_endless_pages_are_cut(fleet: Watched, make: Make) -> None:
    await fleet.connected("one", **make(faults=["endless pages"]).spec)
    assert len(fleet.definitions()) == 100
    assert "the rest was left out" in status_of(fleet).rejected[0]


async def test_of_too_many_tools_on_one_page_it_is_told_that_some_are_left_out(fleet: Watched, make: Make) -> None:
    await fleet.connected("one", **make(tools=[tool(f"tool{number}") for number in range(1_001)]).spec)
    assert len(fleet.definitions()) == 1_000
    assert "the rest was left out" in status_of(fleet).rejected[0]


BAD: dict[str, Any] = {
    "no name": {"inputSchema": {"type": "object"}},
    "a name that is a number": {"name": 7, "inputSchema": {"type": "object"}},
    "a name with a hidden character": {"name": "a\u200bb", "inputSchema": {"type": "object"}},
    "a name that is too long": {"name": "a" * 129, "inputSchema": {"type": "object"}},
    "a schema that is a text": {"name": "bad", "inputSchema": "none"},
    "a schema of a list": {"name": "bad", "inputSchema": {"type": "array"}},
    "a type that does not exist": {
        "name": "bad",
        "inputSchema": {"type": "object", "properties": {"a": {"type": "strng"}}},
    },
    "a schema that is too large": {
        "name": "bad",
        "inputSchema": {"type": "object", "properties": {"a": {"enum": ["x" * 100] * 4000}}},
    },
    "no tool at all": 17,
}


async def test_a_bad_tool_costs_only_itself(fleet: Watched, make: Make) -> None:
    await fleet.connected("one", **make(tools=[*BAD.values(), ECHO]).spec)
    assert fleet.names() == ["echo"]
    assert len(status_of(fleet).rejected) >= 7


ODD: dict[str, dict[str, Any]] = {
    "no schema": {"name": "odd"},
    "null for a schema": {"name": "odd", "inputSchema": None},
    "an empty schema": {"name": "odd", "inputSchema": {}},
    "a choice at the top": {"name": "odd", "inputSchema": {"oneOf": [{"properties": {"a": {"type": "string"}}}]}},
    "an output schema without type": {"name": "odd", "inputSchema": {"type": "object"}, "outputSchema": {"oneOf": []}},
    "an output schema that is a text": {"name": "odd", "inputSchema": {"type": "object"}, "outputSchema": "x"},
    "hints that are texts": {"name": "odd", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": "yes"}},
    "hints that are a list": {"name": "odd", "inputSchema": {"type": "object"}, "annotations": []},
    "an icon of nothing": {"name": "odd", "inputSchema": {"type": "object"}, "icons": [{"src": 1}]},
}


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_an_odd_tool_is_listed_and_called_all_the_same(fleet: Watched, make: Make, era: str) -> None:
    tools = [{**odd, "name": f"odd{number}"} for number, odd in enumerate(ODD.values())]
    await fleet.connected("one", **make(era=era, tools=tools).spec)
    assert fleet.names() == [one["name"] for one in tools]
    for name in fleet.names():
        assert not (await fleet.call("one", name, {"a": "1"})).failed


async def test_a_list_that_is_none_leaves_the_server_connected_without_tools(fleet: Watched, make: Make) -> None:
    await fleet.connected("one", **make(faults=["no list"]).spec)
    assert fleet.definitions() == ()
    assert "something else than a list" in status_of(fleet).rejected[0]


async def test_a_tool_that_is_listed_twice_counts_once(fleet: Watched, make: Make) -> None:
    await fleet.connected("one", **make(tools=[{**ECHO, "title": "first"}, ECHO]).spec)
    assert [one.title for one in fleet.definitions()] == ["first"]


@pytest.mark.parametrize("by_url", [False, True], ids=["stdio", "http"])
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_change_is_heard_and_listed(fleet: Watched, make: Make, era: str, by_url: bool) -> None:
    acts = {"announce": {"do": "announce"}}
    kit = make(era=era, tools=[tool("announce")], acts=acts)
    async with kit.serving() as root:
        spec = {"url": f"{root}/mcp", "allow_private": True} if by_url else kit.spec
        await fleet.connected("one", **spec)
        if era == "modern":
            while not kit.received("subscriptions/listen"):  # noqa: ASYNC110  a file of another process tells of nothing
                await asyncio.sleep(0.02)
        before, revision = fleet.definitions(), fleet.revision
        kit.plan(era=era, tools=[tool("announce"), tool("new")], acts=acts)
        await fleet.call("one", "announce", {})
        await fleet.until(lambda: len(fleet.definitions()) == 2)
        assert fleet.revision > revision
        assert len(before) == 1
        await fleet.drop("one")


async def test_a_server_that_announces_without_end_is_listed_now_and_then(fleet: Watched, make: Make) -> None:
    bad = make("bad", era="legacy", faults=["endless changes"])
    await fleet.connected("bad", **bad.spec)
    good = make("good")
    await fleet.connected("good", **good.spec)
    loop = asyncio.get_running_loop()
    begun = loop.time()
    while loop.time() - begun < 2:
        await fleet.call("good", "echo", {})
    assert fleet.state("bad") == "connected"
    assert len(good.calls()) > 20
    assert 2 <= len(bad.received("tools/list")) < 12


async def test_the_fingerprint_is_the_same_however_a_definition_is_written(fleet: Watched, make: Make) -> None:
    one = {"name": "t", "description": "d", "inputSchema": {"type": "object", "properties": {"a": {}, "b": {}}}}
    other = {"inputSchema": {"properties": {"b": {}, "a": {}}, "type": "object"}, "description": "d", "name": "t"}
    await fleet.connected("one", **make("1", tools=[one]).spec)
    await fleet.connected("two", **make("2", tools=[other]).spec)
    assert len({one.fingerprint for one in fleet.definitions()}) == 1
