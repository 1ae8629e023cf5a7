"""What personas may use, over HTTP: overrides, lists of servers, assignments, and why."""

from typing import Any

import pytest

from bot.store import approvals, mcp_servers
from bot.store.database import Tx
from bot.store.mcp_servers import Server
from tests.bot.parts import NOW, begin
from tests.bot.web.api.house import House


def add_servers(tx: Tx) -> None:
    for name in ("git", "wiki"):
        mcp_servers.add(tx, Server(name, "{}", True, None, "test", NOW))


@pytest.fixture
async def served(each_house: House) -> House:
    """With two personas and two MCP servers."""
    await each_house.store.tx(add_servers)
    clerk = {"id": "clerk", "display_name": "Clerk", "model": "main"}
    assert (await each_house.call("POST", "/api/personas", clerk)).status == 201
    return each_house


async def capability(house: House, persona: str, capability_id: str) -> dict[str, Any]:
    said = await house.get(f"/api/personas/{persona}/capabilities")
    [found] = [each for each in said["capabilities"] if each["capability_id"] == capability_id]
    return dict(found)


async def put(house: House, persona: str, overrides: dict[str, Any]) -> Any:
    told = await house.call("PUT", f"/api/personas/{persona}/capabilities", {"overrides": overrides})
    assert told.status == 200, told
    return told.said


async def test_what_no_row_says_is_decided_by_the_default(each_house: House) -> None:
    found = await capability(each_house, "guide", "builtin/add_note")
    assert (found["effect"], found["confirms"], found["mutates_data"], found["available"]) == (
        "allow",
        True,
        True,
        True,
    )
    assert found["decided_by"]["kind"] == "default"
    assert (await each_house.get("/api/personas/guide/capabilities"))["overrides"] == {}


async def test_an_override_is_set_and_cleared(each_house: House) -> None:
    said = await put(each_house, "guide", {"builtin/add_note": False, "builtin/list_notes": True})
    assert said["overrides"] == {"builtin/add_note": False, "builtin/list_notes": True}
    found = await capability(each_house, "guide", "builtin/add_note")
    assert (found["effect"], found["decided_by"]["kind"], found["decided_by"]["made_by"]) == (
        "deny",
        "row",
        "api:admin",
    )
    said = await put(each_house, "guide", {"builtin/add_note": None})
    assert said["overrides"] == {"builtin/list_notes": True}
    assert (await capability(each_house, "guide", "builtin/add_note"))["effect"] == "allow"


async def test_taking_something_closes_what_waits_for_it(each_house: House) -> None:
    run = await each_house.store.tx(begin)
    waiting = await each_house.store.tx(each_house.parts.ask, run)
    await put(each_house, "guide", {"builtin/add_note": False})
    closed = await each_house.store.tx(approvals.find, waiting.id)
    assert closed is not None
    assert (closed.state, closed.reason) == ("cancelled", "revoked by api:admin")


async def test_overrides_of_what_is_not_there_change_nothing(each_house: House) -> None:
    body = {"overrides": {"builtin/add_note": False, "builtin/nothing": True}}
    told = await each_house.call("PUT", "/api/personas/guide/capabilities", body)
    assert (told.status, told.code, told.fields) == (422, "unknown_capability", ["overrides"])
    assert (await each_house.get("/api/personas/guide/capabilities"))["overrides"] == {}
    assert ("api:admin", "revoked", "builtin/add_note") not in await each_house.audit()


@pytest.mark.parametrize("body", [{"overrides": {"add_note": True}}, {"overrides": {"builtin/add_note": "yes"}}, {}])
async def test_overrides_of_another_shape_are_refused(house: House, body: dict[str, Any]) -> None:
    assert (await house.call("PUT", "/api/personas/guide/capabilities", body)).code == "invalid"


async def test_the_lists_of_servers_name_exactly_whom_they_are_told_to(served: House) -> None:
    path = "/api/personas/guide/mcp-grants"
    told = await served.call("PUT", path, {"server_names": ["git"]})
    assert (told.status, told.said) == (200, {"server_names": ["git"], "global": []})
    assert await served.get(path) == {
        "servers": [
            {"name": "git", "authorized": True, "global": False},
            {"name": "wiki", "authorized": False, "global": False},
        ]
    }
    assert (await served.call("PUT", path, {"server_names": ["wiki"]})).said == {"server_names": ["wiki"], "global": []}
    assert (await served.get("/api/personas/clerk/mcp-grants"))["servers"][1]["authorized"] is False


async def test_a_list_of_everyone_stays_one_and_is_named(served: House) -> None:
    assign = served.desk.admin.assignments
    await served.store.tx(assign.set_allowed, "git", ["*"], "test", NOW)
    told = await served.call("PUT", "/api/personas/guide/mcp-grants", {"server_names": []})
    assert told.said == {"server_names": [], "global": ["git"]}
    assert await served.store.tx(assign.allowed, "git", NOW) == ["*"]


async def test_a_server_that_is_not_there_is_named(served: House) -> None:
    told = await served.call("PUT", "/api/personas/guide/mcp-grants", {"server_names": ["git", "none"]})
    assert (told.status, told.code, told.fields) == (422, "unknown_server", ["server_names"])
    assert not (await served.get("/api/personas/guide/mcp-grants"))["servers"][0]["authorized"]


async def test_taking_one_off_everyone_leaves_the_others_known_now(served: House) -> None:
    assign = served.desk.admin.assignments
    await served.store.tx(assign.set_allowed, "git", ["*"], "test", NOW)
    body = {"persona_id": "clerk", "kind": "mcp", "id": "git", "assigned": False}
    told = await served.call("PATCH", "/api/capabilities/assignments", body)
    assert told.status == 200
    [item] = [each for each in told.said["items"] if each["id"] == "git"]
    assert item["allowed_persona_ids"] == ["guide"]
    assert told.said == await served.get("/api/capabilities/assignments")


async def test_a_tool_is_assigned_and_taken(each_house: House) -> None:
    body = {"persona_id": "guide", "kind": "tool", "id": "add_note", "assigned": False}
    told = await each_house.call("PATCH", "/api/capabilities/assignments", body)
    assert told.said["personas"] == [{"id": "guide", "name": "Guide"}]
    assert told.said["overrides"] == {"guide": {"builtin/add_note": False}}
    [item] = [each for each in told.said["items"] if each["name"] == "add_note"]
    assert (item["kind"], item["group"], item["builtin"], item["locked"]) == ("tool", "notes_worker", True, False)
    assert not {"enabled", "trusted", "allowed_persona_ids"} & set(item)
    again = await each_house.call("PATCH", "/api/capabilities/assignments", body | {"assigned": True})
    assert again.said["overrides"] == {"guide": {"builtin/add_note": True}}


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"persona_id": "nobody"}, 404, "unknown_persona"),
        ({"id": "nothing"}, 404, "unknown_item"),
        ({"kind": "skill"}, 404, "unknown_item"),
        ({"kind": "mcp", "id": "mcp/git/look"}, 422, "assign_by_server"),
        ({"kind": "tool", "id": "mcp/git/look"}, 422, "assign_by_server"),
        ({"kind": "persona"}, 422, "invalid"),
        ({"assigned": "no"}, 422, "invalid"),
        ({"id": ""}, 422, "invalid"),
    ],
)
async def test_what_cannot_be_assigned_is_told(served: House, change: dict[str, Any], status: int, code: str) -> None:
    body = {"persona_id": "guide", "kind": "tool", "id": "add_note", "assigned": False} | change
    told = await served.call("PATCH", "/api/capabilities/assignments", body)
    assert (told.status, told.code) == (status, code)
    assert (await served.get("/api/capabilities/assignments"))["overrides"] == {"clerk": {}, "guide": {}}


async def test_why_tells_the_chain_and_what_to_do(each_house: House) -> None:
    path = "/api/personas/guide/why?capability="
    said = await each_house.get(f"{path}builtin/add_note")
    assert (said["holds"], said["remedy"]) == (True, "")
    assert [step["link"] for step in said["steps"]] == ["registered", "granted", "confirmation"]
    await put(each_house, "guide", {"builtin/add_note": False})
    said = await each_house.get(f"{path}builtin/add_note")
    assert (said["holds"], said["remedy"]) == (False, "grant guide builtin/add_note")
    said = await each_house.get(f"{path}builtin/nothing")
    assert [(step["link"], step["ok"]) for step in said["steps"]] == [("registered", False)]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/personas/nobody/why?capability=builtin/add_note", 404),
        ("/api/personas/guide/why", 422),
        ("/api/personas/guide/why?capability=add_note", 422),
        ("/api/personas/guide/why?capability=builtin/%00", 422),
    ],
)
async def test_why_must_be_asked_of_something(house: House, path: str, status: int) -> None:
    assert (await house.call("GET", path)).status == status
