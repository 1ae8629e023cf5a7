"""The conformance suites of the protocol against our bridge, and its inspector against our apps: programs by others."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.mcp_apps.bridge import Bridge
from bot.web.errors import refused
from bot.web.hosts import Hosts, from_our_pages
from bot.web.server import Parts, build
from scripts.mcp_servers import NODE_HOME, node_environ, node_program
from scripts.services import NotHere
from tests.mcp_apps.conforming import conforming
from tests.mcp_apps.stall import Stall

HOSTS = Hosts("")

NEEDS_A_WAY_BACK = {
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
}
"""Where the server asks the client in the middle of a call. Without sessions there is no way to do so: our own tools ask in
the chat instead."""


def by_others(name: str) -> str:
    """Where a package from npm is."""
    try:
        node_program("node")
    except NotHere as missing:
        pytest.skip(str(missing))
    home: Path = NODE_HOME
    script = home / "node_modules" / name / "dist/index.js"
    if not script.exists():
        pytest.skip(f"{name} is not installed. `python -m scripts.mcp_servers` says why.")
    return str(script)


async def running(*command: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *command, env=node_environ(), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    said, _ = await asyncio.wait_for(process.communicate(), 90)
    assert process.returncode is not None
    return process.returncode, said.decode()


async def _fine(_request: web.Request) -> web.StreamResponse:
    return web.json_response({"ok": True})


async def _anybody(request: web.Request) -> Mapping[str, Any]:
    """The suite has no token. Pages of other sites are told no here as everywhere."""
    if not from_our_pages(request, HOSTS):
        raise refused(403, "foreign_origin", "no")
    return {}


@contextlib.asynccontextmanager
async def mounted(*, stateless: bool) -> AsyncIterator[str]:
    """The address of the suite's own server behind our bridge."""
    bridge = Bridge(conforming(), _anybody, stateless=stateless)
    routes = [web.route("*", "/mcp/conforming", bridge.serve)]
    runner = web.AppRunner(build(Parts(HOSTS, _fine, _fine, _fine, routes)), shutdown_timeout=2)
    await runner.setup()
    await bridge.start()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/mcp/conforming"
    finally:
        await bridge.stop()
        await runner.cleanup()


async def checked(suite: str, *options: str, stateless: bool) -> tuple[int, set[str], str]:
    """How many checks passed, the scenarios that have one that did not, and all that was said."""
    script = by_others(suite)
    async with mounted(stateless=stateless) as url:
        _status, said = await running(str(node_program("node")), script, "server", "--url", url, *options)
    total = re.search(r"Total: (\d+) passed, (\d+) failed", said)
    assert total is not None, said[-3000:]
    failed = set(re.findall(r"✗ ([a-z0-9-]+):", said))
    assert bool(failed) == (total[2] != "0"), said[-3000:]
    return int(total[1]), failed, said[-3000:]


async def test_with_sessions_the_suite_of_2025_passes_whole() -> None:
    passed, failed, said = await checked("@modelcontextprotocol/conformance", "--suite", "all", stateless=False)
    assert (passed, failed) == (44, set()), said


async def test_without_sessions_only_what_needs_a_way_back_is_missing() -> None:
    """As our apps are served."""
    passed, failed, said = await checked("@modelcontextprotocol/conformance", "--suite", "all", stateless=True)
    assert (passed, failed) == (30, NEEDS_A_WAY_BACK), said


async def test_the_suite_of_2026_passes_whole() -> None:
    passed, failed, said = await checked("conformance-next", "--spec-version", "2026-07-28", stateless=True)
    assert (passed, failed) == (41, set()), said


async def inspected(stall: Stall, token: str, *options: str) -> tuple[int, str]:
    try:
        inspector = str(node_program("inspector"))
    except NotHere as missing:
        pytest.skip(str(missing))
    where = ("--cli", f"{stall.url}/mcp/notes", "--transport", "http")
    return await running(inspector, *where, "--header", f"Authorization: Bearer {token}", *options)


async def test_the_inspector_lists_and_calls_with_a_token_and_is_refused_without(sqlite_stall: Stall) -> None:
    stall = sqlite_stall
    token = await stall.token()
    status, said = await inspected(stall, token, "--method", "tools/list")
    assert status == 0, said
    assert [tool["name"] for tool in _json(said)["tools"]] == ["list_notes", "add_note", "delete_note"]
    status, said = await inspected(stall, token, "--method", "tools/call", "--tool-name", "list_notes")
    assert status == 0, said
    assert _json(said)["content"][0]["text"] == "There are no notes."
    call = ("--method", "tools/call", "--tool-name", "add_note", "--tool-arg", "text=milk", "--protocol-era", "modern")
    asked = asyncio.create_task(inspected(stall, token, *call))
    await stall.decide(await stall.card(), approve=True)
    status, said = await asked
    assert status == 0, said
    assert "was added" in said
    status, said = await inspected(stall, "askfirst_task_wrong", "--method", "tools/list")
    assert status != 0
    assert "list_notes" not in said


def _json(said: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said[said.index("{") : said.rindex("}") + 1])
    return found
