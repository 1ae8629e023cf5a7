"""Servers written by others, as they are installed from npm and PyPI: listed, called, stopped, gone."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.mcp_client.processes import environments, process
from bot.mcp_client.spoken import Hints
from scripts.mcp_servers import node_environ, node_program, python_program
from scripts.services import NotHere
from tests.mcp_client.conftest import Watched


def program(kind: str, name: str) -> str:
    try:
        return str(node_program(name) if kind == "node" else python_program(name))
    except NotHere as missing:
        pytest.skip(str(missing))


@dataclass(frozen=True)
class Other:
    """`hints` by tool, as read only, destructive, idempotent, open world (`+`, `-`, `.` for not said)."""

    kind: str
    name: str
    args: tuple[str, ...]
    tools: int
    hints: dict[str, str]
    call: tuple[str, dict[str, Any], str]


OTHERS = {
    one.name: one
    for one in (
        Other(
            "node",
            "mcp-server-everything",
            (),
            15,
            {"echo": "+-+-", "gzip-file-as-resource": "--++", "toggle-simulated-logging": "----"},
            ("echo", {"message": "hello"}, "Echo: hello"),
        ),
        Other(
            "node",
            "mcp-server-filesystem",
            ("FOLDER",),
            14,
            {"read_text_file": "+..-", "write_file": "-++-", "move_file": "-+--", "create_directory": "--+-"},
            ("list_directory", {"path": "FOLDER"}, "[FILE] seen.txt"),
        ),
        Other(
            "node",
            "mcp-server-memory",
            (),
            9,
            {"read_graph": "+-+-", "create_entities": "----", "delete_entities": "-++-"},
            ("read_graph", {}, '"entities"'),
        ),
        Other(
            "python",
            "mcp-server-time",
            (),
            2,
            {"get_current_time": "+-+-", "convert_time": "+-+-"},
            ("get_current_time", {"timezone": "Europe/Berlin"}, "Europe/Berlin"),
        ),
        Other(
            "python",
            "mcp-server-git",
            (),
            12,
            {"git_status": "+-+-", "git_reset": "-++-", "git_commit": "----"},
            ("git_status", {"repo_path": "FOLDER"}, ""),
        ),
        Other(
            "python",
            "mcp-server-fetch",
            (),
            1,
            {"fetch": "+-++"},
            ("fetch", {"url": "http://127.0.0.1:9/"}, ""),
        ),
    )
}


def shown(hints: Hints) -> str:
    signs = {True: "+", False: "-", None: "."}
    return "".join(signs[one] for one in (hints.read_only, hints.destructive, hints.idempotent, hints.open_world))


@pytest.fixture
def environ() -> dict[str, str]:
    return node_environ()


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
async def test_a_server_by_others_is_listed_called_and_gone(fleet: Watched, other: Other, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "seen.txt").write_text("seen")
    command = program(other.kind, other.name)
    args = [str(folder) if arg == "FOLDER" else arg for arg in other.args]
    env = {"MEMORY_FILE_PATH": str(tmp_path / "memory.json")}  # one reads it; by it this test knows its own processes
    await fleet.connected("one", command=command, args=args, env=env)
    found = {one.name: one for one in fleet.definitions()}
    assert len(found) == other.tools
    assert {name: shown(found[name].hints) for name in other.hints} == other.hints
    assert [one.flags for one in found.values() if one.flags] == []
    tool, arguments, says = other.call
    given = {key: str(folder) if value == "FOLDER" else value for key, value in arguments.items()}
    assert says in (await fleet.call("one", tool, given)).text
    mine = [pid for pid, environment in environments() if env["MEMORY_FILE_PATH"].encode() in environment]
    living = [one for pid in mine if (one := process(pid)) is not None]
    assert living
    await fleet.drop("one")
    assert [one for one in living if one.lives] == []


async def test_what_a_tool_refuses_is_a_failure(fleet: Watched) -> None:
    await fleet.connected("one", command=program("python", "mcp-server-fetch"))
    result = await fleet.call("one", "fetch", {"url": "http://127.0.0.1:9/"})
    assert result.failed


@contextlib.asynccontextmanager
async def everything(transport: str) -> AsyncIterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    child = await asyncio.create_subprocess_exec(
        program("node", "mcp-server-everything"),
        transport,
        env={**node_environ(), "PORT": str(port)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield port
    finally:
        child.kill()
        await child.wait()


@pytest.mark.parametrize(("transport", "path"), [("streamableHttp", "mcp"), ("sse", "sse")])
async def test_everything_by_url(fleet: Watched, transport: str, path: str) -> None:
    async with everything(transport) as port:
        url = f"http://127.0.0.1:{port}/{path}"
        fleet.with_("one", url=url, transport=transport if transport == "sse" else "http", allow_private=True)
        await fleet.until(lambda: fleet.state("one") == "connected", 30)
        assert "Echo: hello" in (await fleet.call("one", "echo", {"message": "hello"})).text
        result = await fleet.call("one", "get-tiny-image", {})
        assert [(one.mime, one.name) for one in result.files] == [("image/png", "image-1.png")]
        await fleet.drop("one")
