import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.store import mcp_servers
from bot.store.mcp_servers import Server
from channels.config import MASK
from tests.bot.parts import NOW
from tests.bot.web.api.house import House
from tests.fakes.mcp.kit import Kit

HUB: dict[str, Any] = {
    "name": "hub",
    "transport": "streamable_http",
    "url": "https://hub.example.org/mcp?key=made-up",
    "headers": {"Authorization": "Bearer made-up-secret", "X-Team": "${TEAM}"},
    "enabled": False,
}


@pytest.fixture
async def kit(tmp_path: Path) -> Kit:
    return Kit.make(tmp_path / "kit")


@pytest.fixture
async def shelf(house: House, kit: Kit) -> AsyncIterator[str]:
    """A server that is connected, by its address."""
    await house.call("POST", "/api/mcp/servers", {"name": "shelf", **kit.spec})
    told = await house.call("POST", "/api/mcp/servers/shelf/reload")
    assert told.said["status"]["state"] == "connected"
    yield "/api/mcp/servers/shelf"
    await house.call("DELETE", "/api/mcp/servers/shelf")


async def test_a_server_is_made_and_shown_without_its_secrets(house: House) -> None:
    told = await house.call("POST", "/api/mcp/servers", HUB)
    assert told.status == 201
    assert told.said["headers"] == {"Authorization": MASK, "X-Team": "${TEAM}"}
    assert "made-up" not in json.dumps(told.said)
    assert told.said["status"]["state"] == "disabled"
    assert told.said["allowed_persona_ids"] == []
    assert (await house.get("/api/mcp/servers"))["items"] == [told.said]
    assert ("server_added", "hub") in [(what, about) for _who, what, about in await house.audit()]


async def test_a_mask_that_is_sent_back_keeps_what_is_stored(house: House) -> None:
    shown = (await house.call("POST", "/api/mcp/servers", HUB)).said
    changed = {"headers": shown["headers"] | {"X-New": "2"}, "url": shown["url"], "description": "issues"}
    told = await house.call("PATCH", "/api/mcp/servers/hub", changed)
    assert told.said["description"] == "issues"
    stored = await house.store.tx(mcp_servers.find, "hub")
    assert stored is not None
    spec = json.loads(stored.spec)
    assert spec["headers"] == HUB["headers"] | {"X-New": "2"}
    assert spec["url"] == HUB["url"]


async def test_secrets_are_not_carried_to_another_host(house: House) -> None:
    await house.call("POST", "/api/mcp/servers", HUB)
    away = {"url": "https://elsewhere.example.org/mcp"}
    told = await house.call("PATCH", "/api/mcp/servers/hub", away | {"headers": {"Authorization": MASK}})
    assert (told.status, told.said["error"]["code"]) == (422, "headers_elsewhere")
    told = await house.call("PATCH", "/api/mcp/servers/hub", away)
    assert told.said["headers"] == {}
    stored = await house.store.tx(mcp_servers.find, "hub")
    assert stored is not None
    assert "made-up" not in stored.spec


@pytest.mark.parametrize(
    "elsewhere",
    ["${NOPE:-https://elsewhere.example.org}/mcp", "${OTHER}/mcp", "https://${HOST}/other"],
    ids=["a default", "another variable", "another path"],
)
async def test_a_host_that_stands_in_a_variable_counts_as_another(house: House, elsewhere: str) -> None:
    stored = "https://${HOST}/mcp" if elsewhere.startswith("https") else "${ADDRESS}/mcp"
    await house.call("POST", "/api/mcp/servers", HUB | {"url": stored})
    told = await house.call("PATCH", "/api/mcp/servers/hub", {"url": elsewhere})
    assert told.said["headers"] == {}
    told = await house.call("PATCH", "/api/mcp/servers/hub", {"url": stored, "headers": {"Authorization": MASK}})
    assert told.status == 422


async def test_a_mask_where_nothing_is_stored_is_refused(house: House) -> None:
    told = await house.call("POST", "/api/mcp/servers", HUB | {"headers": {"Authorization": MASK}})
    assert (told.status, told.said["error"]["code"]) == (422, "nothing_stored")
    assert await house.store.tx(mcp_servers.find, "hub") is None


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"url": None}, ""),
        ({"url": "http://[::1"}, ""),
        ({"command": "server"}, ""),
        ({"transport": "carrier-pigeon"}, "transport"),
        ({"secret": "x"}, "secret"),
        ({"name": "a/b"}, "name"),
        ({"timeouts": {"idle_s": 0}}, "timeouts.idle_s"),
    ],
    ids=["no url", "no readable url", "both ways", "unknown way", "unknown field", "bad name", "no time"],
)
async def test_what_cannot_be_is_refused_with_its_field(house: House, change: dict[str, Any], field: str) -> None:
    told = await house.call("POST", "/api/mcp/servers", HUB | change)
    assert told.status == 422
    assert field in [detail["field"] for detail in told.said["error"]["details"]]
    assert await house.store.tx(mcp_servers.everything) == []


@pytest.mark.parametrize("spec", ['{"foo": 1}', '{"url": "http://[::1"}'], ids=["nonsense", "no address"])
async def test_what_a_skill_wished_for_and_cannot_be_spoils_nothing_else(house: House, spec: str) -> None:
    await house.call("POST", "/api/mcp/servers", HUB)
    await house.store.tx(mcp_servers.add, Server("odd", spec, False, "poetry", "skill", NOW))
    assert [each["name"] for each in (await house.get("/api/mcp/servers"))["items"]] == ["hub"]
    ways = [("GET", ""), ("PATCH", ""), ("POST", "/enable"), ("POST", "/test")]
    for method, rest in ways:
        told = await house.call(method, f"/api/mcp/servers/odd{rest}", {"description": "x"} if rest == "" else None)
        assert (told.status, told.said["error"]["code"]) == (422, "not_understood")
    stored = await house.store.tx(mcp_servers.find, "odd")
    assert stored is not None
    assert not stored.enabled


async def test_what_is_only_proposed_is_not_tried(house: House) -> None:
    wished = Server("wish", json.dumps({"command": "python3", "args": ["x.py"]}), False, "poetry", "skill", NOW)
    await house.store.tx(mcp_servers.add, wished)
    told = await house.call("POST", "/api/mcp/servers/wish/test")
    assert (told.status, told.said["error"]["code"]) == (422, "server_proposed")


async def test_a_name_that_is_taken_changes_nothing(house: House) -> None:
    await house.call("POST", "/api/mcp/servers", HUB)
    told = await house.call("POST", "/api/mcp/servers", HUB | {"description": "other"})
    assert (told.status, told.said["error"]["code"]) == (409, "server_taken")
    assert (await house.get("/api/mcp/servers/hub"))["description"] == ""


async def test_what_is_not_there_is_not_found(house: House) -> None:
    for method, rest in (("GET", ""), ("DELETE", ""), ("POST", "/enable"), ("POST", "/test"), ("POST", "/reload")):
        told = await house.call(method, f"/api/mcp/servers/none{rest}")
        assert (told.status, told.said["error"]["code"]) == (404, "unknown_server")


async def test_its_tools_are_listed_only_while_it_is_connected(house: House, shelf: str) -> None:
    [tool] = (await house.get("/api/mcp/tools"))["items"]
    assert tool["capability_id"] == "mcp/shelf/echo"
    assert (tool["mutates_data"], tool["requires_confirmation"]) == (True, True)
    named = [each["capability_id"] for each in (await house.get("/api/skills/tools?limit=200"))["items"]]
    assert "mcp/shelf/echo" in named
    told = await house.call("POST", f"{shelf}/disable")
    assert (told.said["enabled"], told.said["status"]["state"]) == (False, "disabled")
    assert (await house.get("/api/mcp/tools"))["items"] == []
    named = [each["capability_id"] for each in (await house.get("/api/skills/tools?limit=200"))["items"]]
    assert "mcp/shelf/echo" not in named


async def test_disabling_answers_when_the_process_is_gone(house: House, kit: Kit) -> None:
    kit.plan(faults=["ignores SIGTERM", "ignores EOF"])
    await house.call("POST", "/api/mcp/servers", {"name": "stubborn", **kit.spec})
    await house.call("POST", "/api/mcp/servers/stubborn/reload")
    assert _running(kit)
    await house.call("POST", "/api/mcp/servers/stubborn/disable")
    assert not _running(kit)


async def test_who_may_use_it_is_set_exactly(house: House, shelf: str) -> None:
    told = await house.call("PATCH", f"{shelf}/grants", {"allowed_persona_ids": ["guide"]})
    assert told.said["allowed_persona_ids"] == ["guide"]
    assert (await house.get("/api/personas/guide/mcp-grants"))["servers"] == [
        {"name": "shelf", "authorized": True, "global": False}
    ]
    told = await house.call("PATCH", f"{shelf}/grants", {"allowed_persona_ids": ["nobody"]})
    assert (told.status, told.said["error"]["code"]) == (422, "unknown_persona")


async def test_a_test_connects_without_registering_anything(house: House, kit: Kit) -> None:
    await house.call("POST", "/api/mcp/servers", {"name": "shelf", "enabled": False, **kit.spec})
    told = (await house.call("POST", "/api/mcp/servers/shelf/test")).said
    assert told["ok"]
    assert [tool["name"] for tool in told["tools"]] == ["echo"]
    assert (await house.get("/api/mcp/tools"))["items"] == []
    assert not _running(kit)
    kit.plan(faults=["exits"], stderr="the key is missing\n")
    told = (await house.call("POST", "/api/mcp/servers/shelf/test")).said
    assert not told["ok"]
    assert "the key is missing" in told["error"]


async def test_what_went_wrong_is_told_with_its_exit_code_and_the_end_of_its_words(house: House, kit: Kit) -> None:
    kit.plan(faults=["exits"], stderr="cannot open the door with made-up-secret\n")
    spec = {"name": "shelf", **kit.spec, "env": {"KEY": "made-up-secret"}}
    await house.call("POST", "/api/mcp/servers", spec)
    await house.call("POST", "/api/mcp/servers/shelf/reload")
    status = (await house.get("/api/mcp/servers/shelf"))["status"]
    assert (status["state"], status["exit_code"]) == ("error", 5)
    assert "cannot open the door" in status["stderr_tail"]
    assert "made-up-secret" not in json.dumps(status)


async def test_a_deleted_server_leaves_no_grants_to_a_namesake(house: House, shelf: str, kit: Kit) -> None:
    await house.call("PATCH", f"{shelf}/grants", {"allowed_persona_ids": ["*"]})
    assert (await house.call("DELETE", shelf)).status == 204
    made = await house.call("POST", "/api/mcp/servers", {"name": "shelf", **kit.spec})
    assert made.said["allowed_persona_ids"] == []


async def test_one_that_a_skill_wishes_for_runs_only_after_it_was_accepted(house: House, kit: Kit) -> None:
    wished = Server("shelf", json.dumps(kit.spec), False, "poems", "skill", NOW)
    await house.store.tx(mcp_servers.add, wished)
    shown = await house.get("/api/mcp/servers/shelf")
    assert (shown["proposed_by"], shown["status"]["state"]) == ("poems", "disabled")
    told = (await house.call("POST", "/api/mcp/servers/shelf/enable")).said
    assert (told["proposed_by"], told["enabled"]) == (None, True)
    await house.call("DELETE", "/api/mcp/servers/shelf")


def _running(kit: Kit) -> bool:
    """Is there a process with this plan?"""
    plan = str(kit.folder / "plan.json").encode()
    return any(plan in _command(process) for process in Path("/proc").iterdir() if process.name.isdigit())


def _command(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""
