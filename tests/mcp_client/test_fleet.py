"""The servers side by side, and what is asked of all of them."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.config.mcp import McpServerConfig
from bot.mcp_client.spoken import CallFailed
from tests.fakes.mcp.kit import Kit, tool
from tests.mcp_client.conftest import Watched

Make = Callable[..., Kit]


async def test_keep_returns_at_once_and_servers_start_side_by_side(fleet: Watched, make: Make) -> None:
    await fleet.prepare()
    begun = time.monotonic()
    for number in range(4):
        fleet.with_(f"s{number}", **make(f"s{number}", slow=1).spec)
    assert time.monotonic() - begun < 0.2
    assert {fleet.state(f"s{number}") for number in range(4)} == {"starting"}
    await asyncio.gather(*(fleet.settled(f"s{number}") for number in range(4)))
    assert time.monotonic() - begun < 3.5
    assert len(fleet.definitions()) == 4


async def test_the_same_configuration_again_changes_nothing(fleet: Watched, make: Make) -> None:
    kit = make()
    await fleet.connected("one", **kit.spec)
    fleet.with_("one", **kit.spec)
    assert fleet.state("one") == "connected"


async def test_another_configuration_starts_it_anew(fleet: Watched, make: Make) -> None:
    await fleet.connected("one", **make("1").spec)
    await fleet.connected("one", **make("2", tools=[tool("other")]).spec)
    assert fleet.names() == ["other"]


TOKEN = "askfirst_task_"
OTHERS: dict[str, tuple[dict[str, Any], dict[str, Any], bool]] = {
    "another program": ({"command": "a"}, {"command": "b"}, True),
    "other arguments": ({"command": "a", "args": ["1"]}, {"command": "a", "args": ["2"]}, True),
    "in another directory": ({"command": "a", "cwd": "/a"}, {"command": "a", "cwd": "/b"}, True),
    "for another account": ({"command": "a", "env": {"AS": "ann"}}, {"command": "a", "env": {"AS": "bob"}}, True),
    "at another place": ({"url": "https://a"}, {"url": "https://b"}, True),
    "with another header": (
        {"url": "https://a", "headers": {"As": "1"}},
        {"url": "https://a", "headers": {"As": "2"}},
        True,
    ),
    "with another token of ours": (
        {"url": "https://a", "headers": {"Authorization": f"Bearer {TOKEN}1"}},
        {"url": "https://a", "headers": {"Authorization": f"Bearer {TOKEN}2"}},
        False,
    ),
    "with other words": ({"command": "a"}, {"command": "a", "description": "A.", "timeouts": {"idle_s": 1}}, False),
}


@pytest.mark.parametrize(("one", "other", "differ"), OTHERS.values(), ids=OTHERS.keys())
async def test_who_answers_is_another_where_it_is_reached_in_another_way_or_for_another(
    fleet: Watched, one: dict[str, Any], other: dict[str, Any], differ: bool
) -> None:
    fleet.with_("one", enabled=False, **one)
    before = fleet.identity("one")
    fleet.with_("one", enabled=False, **other)
    assert (fleet.identity("one") != before) is differ


async def test_a_disabled_server_is_not_started(fleet: Watched, make: Make) -> None:
    kit = make()
    await fleet.connected("one", **kit.spec)
    fleet.with_("one", **kit.spec, enabled=False)
    await fleet.settled("one")
    assert fleet.state("one") == "disabled"
    assert fleet.definitions() == ()
    with pytest.raises(CallFailed) as caught:
        await fleet.call("one", "echo", {})
    assert (caught.value.code, kit.calls()) == ("not_connected", [])


async def test_reload_starts_a_new_process(fleet: Watched, make: Make, tmp_path: Path) -> None:
    kit = make(pids=str(tmp_path / "pids"))
    await fleet.connected("one", **kit.spec)
    before = (tmp_path / "pids").read_text()
    await fleet.reload("one")
    await fleet.settled("one")
    assert fleet.state("one") == "connected"
    assert (tmp_path / "pids").read_text() != before


async def test_test_connects_without_keeping(fleet: Watched, make: Make) -> None:
    kit = make(tools=[tool("a"), tool("b")])
    tested = await fleet.test(McpServerConfig.model_validate({**kit.spec, "enabled": False}))
    assert tested.ok
    assert [one.name for one in tested.definitions] == ["a", "b"]
    assert tested.elapsed_ms > 0
    assert fleet.definitions() == ()


async def test_test_tells_why_it_failed(fleet: Watched) -> None:
    tested = await fleet.test(McpServerConfig(command="there-is-no-such-program"))
    assert not tested.ok
    assert "not on the PATH" in tested.error


async def test_a_missing_variable_is_named(fleet: Watched, make: Make) -> None:
    fleet.with_("one", **make().spec, env={"KEY": "${NOT_THERE}"})
    await fleet.settled("one")
    status = fleet.status("one")
    assert status is not None
    assert "env.KEY needs the variable NOT_THERE, which is not set" in status.error


async def test_one_that_is_to_be_kept_again_while_it_ends_waits_for_its_end(fleet: Watched, make: Make) -> None:
    kit = make(faults=["ignores EOF"])
    await fleet.connected("one", **kit.spec)
    dropping = asyncio.create_task(fleet.drop("one"))
    await asyncio.sleep(0)
    fleet.with_("one", **kit.spec)
    assert not dropping.done()
    await fleet.settled("one")
    assert dropping.done()
    assert fleet.state("one") == "connected"


async def test_switching_on_and_off_leaves_nothing_behind(fleet: Watched, make: Make) -> None:
    kit = make()
    for _ in range(10):
        await fleet.connected("one", **kit.spec)
        await fleet.drop("one")
    ours = [task for task in asyncio.all_tasks() if "mcp" in task.get_name() or "mcp" in repr(task.get_coro())]
    assert ours == []
