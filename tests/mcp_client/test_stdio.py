"""Servers that are processes of ours: how they are heard, and that they are gone."""

import asyncio
import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bot.mcp_client.processes import Process, process
from bot.mcp_client.spoken import CallFailed
from tests.fakes.mcp.kit import ECHO, ROOT, Kit, tool
from tests.mcp_client.conftest import Watched

Make = Callable[..., Kit]


async def text_of(fleet: Watched, name: str, tool_name: str = "echo", **arguments: Any) -> str:
    return (await fleet.call(name, tool_name, arguments)).text


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_server_of_either_era_is_listed_and_called(fleet: Watched, make: Make, era: str) -> None:
    kit = make(era=era)
    await fleet.connected("one", **kit.spec)
    assert fleet.names() == ["echo"]
    assert "{'a': 1}" in await text_of(fleet, "one", a=1)
    assert kit.calls()[0]["name"] == "echo"


PLANS: dict[str, dict[str, Any]] = {
    "a banner before the first message": {"banner": "Welcome to my server!"},
    "a banner with an emoji": {"banner": "🚀 ready"},
    "one byte at a time": {"chunk": 1, "tools": [{**ECHO, "description": "Größe 🚀"}]},
    "strict about being initialized once": {"era": "legacy", "faults": ["strict"]},
    "ends when asked for the newer protocol": {"era": "legacy", "faults": ["exit on unknown"]},
    "slow to begin": {"slow": 1.0},
}


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
async def test_a_clumsy_server_is_connected_all_the_same(fleet: Watched, make: Make, plan: dict[str, Any]) -> None:
    kit = make(**plan)
    await fleet.connected("one", **kit.spec)
    assert "'a'" in await text_of(fleet, "one", a=1)


async def test_a_stray_line_is_told_in_the_status(fleet: Watched, make: Make) -> None:
    await fleet.connected("one", **make(banner="Welcome, token-12345!").spec, env={"TOKEN": "token-12345"})
    status = fleet.status("one")
    assert status is not None
    assert status.rejected == ("It wrote something to its output that is no message: Welcome, ********!",)


async def test_a_server_that_ends_at_once_says_why(fleet: Watched, make: Make) -> None:
    kit = make(faults=["exits"], stderr="no key given: secret-value-1\n")
    fleet.with_("one", **kit.spec, env={"KEY": "secret-value-1"})
    await fleet.settled("one")
    status = fleet.status("one")
    assert status is not None
    assert (status.state, status.exit_code) == ("error", 5)
    assert status.error == "Its process ended with the code 5."
    assert status.stderr_tail == "no key given: ********\n"


async def test_no_part_of_a_secret_is_left_where_what_a_server_says_is_cut(fleet: Watched, make: Make) -> None:
    secret = "".join(chr(ord("a") + number % 26) for number in range(3_000))
    kit = make(faults=["exits"], banner="b" * 150 + secret, stderr=f"{secret}{'e' * 3_000}\x1b[31m\n")
    fleet.with_("one", **kit.spec, env={"KEY": secret})
    await fleet.settled("one")
    status = fleet.status("one")
    assert status is not None
    assert status.rejected == (f"It wrote something to its output that is no message: {'b' * 150}********",)
    assert status.stderr_tail == f"********{'e' * 3_000}[31m\n"


FAULTS: dict[str, tuple[list[str], str]] = {
    "silent": (["silent", "silent on unknown"], "It did not answer in time."),
    "a strange version": (["strange version"], "Unsupported protocol version from the server: 2099-01-01."),
    "a list that fails": (["list error"], "It answered with an error: cannot list (-32603)."),
    "a flood of noise": (["floods"], "It wrote more than 1000 lines to its output that are no messages."),
    "a line without end": (["endless line"], "It sent a message of more than 32 MB."),
}


@pytest.mark.parametrize(("faults", "error"), FAULTS.values(), ids=FAULTS.keys())
async def test_a_broken_server_is_given_up_with_the_reason(
    fleet: Watched, make: Make, faults: list[str], error: str
) -> None:
    kit = make(era="legacy", faults=faults)
    fleet.with_("one", **kit.spec, protocol="legacy", timeouts={"start_s": 5 if "silent" not in faults else 1})
    await fleet.settled("one")
    status = fleet.status("one")
    assert status is not None
    assert (status.state, status.error) == ("error", error)


async def test_a_flooding_server_holds_up_nobody_else(fleet: Watched, make: Make) -> None:
    fleet.with_("bad", **make("bad", faults=["floods"]).spec)
    await fleet.connected("good", **make("good").spec)
    begun = time.monotonic()
    for number in range(20):
        assert str(number) in await text_of(fleet, "good", a=number)
    assert time.monotonic() - begun < 5


async def test_a_process_that_dies_in_a_call_leaves_its_outcome_open_and_comes_back(fleet: Watched, make: Make) -> None:
    kit = make(tools=[ECHO, tool("die")], acts={"die": {"do": "die"}})
    await fleet.connected("one", **kit.spec)
    with pytest.raises(CallFailed) as caught:
        await fleet.call("one", "die", {})
    assert caught.value.code == "unknown_outcome"
    assert "not known" in caught.value.message
    assert "'a'" in await text_of(fleet, "one", a=1)
    assert [call["name"] for call in kit.calls()] == ["die", "echo"]


async def test_a_death_while_idle_is_seen_and_mended(fleet: Watched, make: Make) -> None:
    kit = make(pids=str(make("aside").folder / "pids"))
    await fleet.connected("one", **kit.spec)
    [pid] = json.loads((kit.folder.parent / "aside" / "pids").read_text())
    found = process(pid)
    assert found is not None
    found.signal(signal.SIGKILL)
    await fleet.until(lambda: fleet.state("one") == "error")
    assert fleet.definitions() == ()
    await fleet.until(lambda: fleet.state("one") == "connected")


ENDS: dict[str, dict[str, Any]] = {
    "heeds the end of its input": {},
    "ignores the end of its input": {"faults": ["ignores EOF"]},
    "ignores SIGTERM too": {"faults": ["ignores EOF", "ignores SIGTERM"]},
    "leaves a child that holds its output": {"children": ["plain"]},
    "leaves a child in a session of its own": {"children": ["setsid"]},
    "leaves a child that has cleared its environment": {"children": ["bare"]},
    "has stopped reading": {"faults": ["deaf", "ignores SIGTERM"]},
}


def family(path: Path) -> Iterator[Process]:
    for pid in json.loads(path.read_text("utf-8")):
        found = process(pid)
        assert found is not None, "it was expected to run"
        yield found


@pytest.mark.parametrize("plan", ENDS.values(), ids=ENDS.keys())
async def test_drop_returns_when_the_process_and_all_its_children_are_gone(
    fleet: Watched, make: Make, tmp_path: Path, plan: dict[str, Any]
) -> None:
    kit = make(pids=str(tmp_path / "pids"), **plan)
    await fleet.connected("one", **kit.spec)
    living = list(family(tmp_path / "pids"))
    await fleet.drop("one")
    assert [one for one in living if one.lives] == []
    assert fleet.status("one") is None


async def test_drop_while_it_is_being_connected_ends_it_as_well(fleet: Watched, make: Make, tmp_path: Path) -> None:
    kit = make(pids=str(tmp_path / "pids"), faults=["silent", "silent on unknown", "ignores EOF"])
    fleet.with_("one", **kit.spec)
    while not (tmp_path / "pids").exists():  # noqa: ASYNC110  a file of another process tells of nothing
        await asyncio.sleep(0.02)
    living = list(family(tmp_path / "pids"))
    await fleet.drop("one")
    assert [one for one in living if one.lives] == []


async def test_an_impatient_caller_of_drop_does_not_save_the_process(
    fleet: Watched, make: Make, tmp_path: Path
) -> None:
    kit = make(pids=str(tmp_path / "pids"), faults=["ignores EOF", "ignores SIGTERM"])
    await fleet.connected("one", **kit.spec)
    living = list(family(tmp_path / "pids"))
    for _ in range(3):
        dropping = asyncio.create_task(fleet.drop("one"))
        await asyncio.sleep(0.05)
        dropping.cancel()
    await fleet.stop()
    assert [one for one in living if one.lives] == []


async def test_a_call_in_flight_at_the_drop_fails_as_cancelled(fleet: Watched, make: Make) -> None:
    kit = make(tools=[tool("hang")], acts={"hang": {"do": "hang"}})
    await fleet.connected("one", **kit.spec)
    calling = asyncio.create_task(fleet.call("one", "hang", {}))
    while not kit.calls():  # noqa: ASYNC110  a file of another process tells of nothing
        await asyncio.sleep(0.02)
    await fleet.drop("one")
    with pytest.raises(CallFailed) as caught:
        await calling
    assert caught.value.code == "cancelled"


SERVICE = """
import asyncio, json, os, sys, time
from pathlib import Path
from bot.config.mcp import McpServerConfig
from bot.mcp_client.fleet import Fleet

async def main():
    fleet = Fleet(os.environ, Path(sys.argv[1]), time.time)
    await fleet.start()
    fleet.keep("one", McpServerConfig.model_validate(json.loads(sys.argv[2])))
    await fleet.settled("one")
    print("up", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_what_a_killed_service_has_left_is_ended_at_the_next_start(
    fleet: Watched, make: Make, tmp_path: Path, environ: dict[str, str]
) -> None:
    kit = make(pids=str(tmp_path / "pids"), children=["setsid"], faults=["ignores EOF", "ignores SIGTERM"])
    arguments = ("-c", SERVICE, str(tmp_path / "killed"), json.dumps(kit.spec))
    service = await asyncio.create_subprocess_exec(sys.executable, *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    assert service.stdout is not None
    while await service.stdout.readline() != b"up\n":
        pass  # the log comes first
    living = list(family(tmp_path / "pids"))
    service.kill()
    await service.wait()
    assert all(one.lives for one in living)
    spared = make("other", pids=str(tmp_path / "others"))
    await fleet.connected("one", **spared.spec)
    successor = Watched(tmp_path / "killed", environ)
    await successor.start()
    assert [one for one in living if one.lives] == []
    assert all(one.lives for one in family(tmp_path / "others"))
    await successor.stop()


async def test_a_process_gets_no_variable_that_was_not_declared(
    make: Make, tmp_path: Path, environ: dict[str, str]
) -> None:
    fleet = Watched(tmp_path / "data", {**environ, "ASKFIRST_ADMIN_TOKEN": "of the service", "LANG": "C"})
    await fleet.start()
    kit = make(tools=[tool("environ")], acts={"environ": {"do": "environ"}})
    await fleet.connected("one", **kit.spec, env={"A": "${ASKFIRST_ADMIN_TOKEN}x"})
    lines = (await fleet.call("one", "environ", {})).text.splitlines()[1:-1]
    names = {line.partition("=")[0] for line in lines}
    assert names - {"LC_CTYPE"} == {"A", "HOME", "PATH", "ASKFIRST_MCP"}
    await fleet.stop()


@pytest.mark.parametrize(("first", "then"), [("one", "two"), ("two", "one")], ids=["oldest first", "newest first"])
async def test_two_servers_of_one_command_do_not_touch_each_other(
    fleet: Watched, make: Make, first: str, then: str
) -> None:
    kit = make()
    await fleet.connected("one", **kit.spec)
    await fleet.connected("two", **kit.spec)
    await fleet.drop(first)
    assert "'a'" in await text_of(fleet, then, a=1)


async def test_a_server_that_cannot_be_connected_is_tried_less_and_less_often(fleet: Watched, make: Make) -> None:
    fleet.with_("one", **make(faults=["exits"]).spec, protocol="legacy")
    loop = asyncio.get_running_loop()
    failed: list[float] = []
    while len(failed) < 3:
        await fleet.until(lambda: fleet.state("one") == "error")
        failed.append(loop.time())
        told = fleet.status("one")
        await fleet.until(lambda: fleet.status("one") is not told)  # noqa: B023  this round's
    pauses = [after - before for before, after in pairwise(failed)]
    assert pauses[0] >= 0.4
    assert pauses[1] >= 0.8


async def test_all_calls_in_flight_are_told_at_once_when_the_process_dies(fleet: Watched, make: Make) -> None:
    kit = make(tools=[tool("hang"), tool("die")], acts={"hang": {"do": "hang"}, "die": {"do": "die"}})
    await fleet.connected("one", **kit.spec)
    hanging = [asyncio.create_task(fleet.call("one", "hang", {})) for _ in range(40)]
    while len(kit.calls()) < 40:  # noqa: ASYNC110  a file of another process tells of nothing
        await asyncio.sleep(0.02)
    begun = time.monotonic()
    results = await asyncio.gather(fleet.call("one", "die", {}), *hanging, return_exceptions=True)
    assert time.monotonic() - begun < 2
    assert {one.code for one in results if isinstance(one, CallFailed)} == {"unknown_outcome"}
    assert len(results) == 41
