"""Skills by the API: the shapes that others rely on, and what is refused."""

import io
import zipfile
from typing import Any

import pytest

from bot.store import grants, mcp_servers
from skills.limits import Limits
from tests.bot.web.api.house import House, token_for

NEW: dict[str, Any] = {
    "name": "document-check",
    "description": "Checks documents.",
    "instructions": "Quote first, then say what is missing.",
    "prompt_hint": "Check a document",
    "tool_names": ["search_persona_knowledge"],
    "enabled": True,
}
GRANT = {"overrides": {"skill/document-check": True}}


def zipped(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def skill_md(name: str, front: str = "") -> str:
    return f"---\nname: {name}\ndescription: Helps.\n{front}---\n\nDo it.\n"


async def names(house: House) -> list[str]:
    return [each["name"] for each in (await house.get("/api/skills"))["items"] if not each["builtin"]]


async def rows(house: House) -> list[str]:
    return [row.capability for row in await house.store.tx(grants.everything)]


async def test_one_is_made_shown_changed_and_deleted(each_house: House) -> None:
    house = each_house
    made = await house.call("POST", "/api/skills", NEW)
    assert made.status == 201
    expected = NEW | {"builtin": False, "format": "json", "trusted": False, "scripts_enabled": False, "scripts": []}
    assert {key: made.said[key] for key in expected} == expected
    assert (made.said["metadata"], made.said["bind_shells"], "version" in made.said) == ({}, [], False)
    assert await house.get("/api/skills/document-check") == made.said
    trusted = (await house.call("PATCH", "/api/skills/document-check", {"trusted": True})).said
    assert (trusted["enabled"], trusted["trusted"]) == (True, True)
    changed = (await house.call("PATCH", "/api/skills/document-check", {"description": "Looks."})).said
    assert (changed["description"], changed["enabled"], changed["trusted"]) == ("Looks.", True, False)
    again = {"instructions": "Quote.", "trusted": True}
    assert (await house.call("PATCH", "/api/skills/document-check", again)).said["trusted"] is True
    assert (await house.call("DELETE", "/api/skills/document-check")).status == 204
    assert (await house.call("GET", "/api/skills/document-check")).code == "unknown_skill"
    did = [action for _who, action, subject in await house.audit() if subject == "document-check"]
    assert did == [
        "skill_installed",
        "skill_enabled",
        "skill_trusted",
        "skill_changed",
        "skill_changed",
        "skill_trusted",
        "skill_deleted",
    ]


async def test_a_namesake_starts_with_nothing(each_house: House) -> None:
    """M172."""
    house = each_house
    for _round in range(2):
        await house.call("POST", "/api/skills", NEW)
        assert "skill/document-check" not in await rows(house)
        said = await house.get("/api/skills/document-check")
        assert not said["trusted"]
        assert (await house.call("PUT", "/api/personas/guide/capabilities", GRANT)).status == 200
        preloads = {"preload_skills": ["document-check"]}
        assert (await house.call("PATCH", "/api/personas/guide", preloads)).status == 200
        await house.call("PATCH", "/api/skills/document-check", {"trusted": True})
        await house.call("DELETE", "/api/skills/document-check")
        assert (await house.get("/api/personas/guide"))["preload_skills"] == []
    assert await rows(house) == []


async def test_those_of_the_service_are_protected(house: House) -> None:
    """M171: to switch one off is all that can be done to it."""
    builtin = [each for each in (await house.get("/api/skills"))["items"] if each["builtin"]]
    assert {"askfirst-guide", "document-review", "note-keeping", "form-asking"} < {each["name"] for each in builtin}
    assert all(each["enabled"] and each["trusted"] and not each["scripts_enabled"] for each in builtin)
    path = "/api/skills/note-keeping"
    for method, body in (("DELETE", None), ("PATCH", {"description": "x"}), ("PATCH", {"trusted": False})):
        told = await house.call(method, path, body)
        assert (told.status, told.code) == (403, "builtin_protected")
    namesake = await house.call("POST", "/api/skills", NEW | {"name": "note-keeping"})
    assert (namesake.status, namesake.code) == (403, "builtin_protected")
    assert (await house.call("PATCH", path, {"enabled": False})).said["enabled"] is False
    assert (await house.call("PATCH", path, {"enabled": True})).said["enabled"] is True


async def test_a_name_that_is_taken_is_refused(house: House) -> None:
    """M169, M170: also in another case, and by an upload."""
    await house.call("POST", "/api/skills", NEW)
    told = await house.call("POST", "/api/skills", NEW)
    assert (told.status, told.code) == (409, "skill_taken")
    told = await house.upload(zipped({"SKILL.md": skill_md("document-check")}))
    assert (told.status, told.code) == (409, "skill_taken")
    told = await house.call("POST", "/api/skills", NEW | {"name": "Document-Check"})
    assert told.status == 422


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"tool_names": ["search_persona_knowledge", "send_mail"]}, "unknown_tool"),
        ({"name": "two words"}, "name"),
        ({"name": "upload"}, "name_reserved"),
        ({"description": ""}, "description_missing"),
        ({"instructions": "a\u200bb\U000e0041"}, "hidden_text"),
    ],
)
async def test_what_does_not_fit_is_named_and_nothing_is_written(
    house: House, change: dict[str, Any], rule: str
) -> None:
    told = await house.call("POST", "/api/skills", NEW | change)
    assert (told.status, told.code) == (422, "bad_skill")
    assert rule in [each["rule"] for each in told.said["error"]["details"]]
    assert await names(house) == []


async def test_unknown_tools_are_named(house: House) -> None:
    told = await house.call("POST", "/api/skills", NEW | {"tool_names": ["send_mail", "fly"]})
    assert "send_mail, fly" in told.said["error"]["details"][0]["message"]
    await house.call("POST", "/api/skills", NEW)
    told = await house.call("PATCH", "/api/skills/document-check", {"tool_names": ["fly"]})
    assert told.status == 422
    assert (await house.get("/api/skills/document-check"))["tool_names"] == NEW["tool_names"]


async def test_a_bundle_is_installed_whole_with_its_switches_off(each_house: House) -> None:
    """M177, M191: folder names are kept, foreign tools are named and do nothing."""
    files = {
        "one/SKILL.md": skill_md("one", "allowed-tools: Read, Bash(git:*)\nenabled: true\n"),
        "one/scripts/a.py": "print(1)",
        "two/SKILL.md": skill_md("two", "version: 1.2\n"),
        "__MACOSX/one/._SKILL.md": "junk",
    }
    told = await each_house.upload(zipped(files))
    assert (told.status, told.said["installed"]) == (200, ["one", "two"])
    assert "one: allowed-tools names tools of other services" in " ".join(told.said["warnings"])
    one, two = [await each_house.get(f"/api/skills/{name}") for name in ("one", "two")]
    assert (one["enabled"], one["trusted"], one["scripts_enabled"]) == (False, False, False)
    assert (one["scripts"], two["version"], one["format"]) == (["scripts/a.py"], "1.2", "skillmd")


@pytest.mark.parametrize(
    ("content", "status", "entry"),
    [
        (b"no archive", 400, ""),
        (zipped({"../SKILL.md": skill_md("one")}), 400, "../SKILL.md"),
        (zipped({"one/SKILL.md": skill_md("one"), "two/SKILL.md": "no front matter"}), 422, "two/SKILL.md"),
        (zipped({"one/notes.md": "x"}), 422, "one"),
        (zipped({"one/SKILL.md": skill_md("one", "tool-names: [fly]\n")}), 422, ""),
    ],
    ids=["no archive", "a path out of it", "one of two is bad", "no skill", "unknown tool"],
)
async def test_a_bad_archive_is_refused_with_entry_and_rule(
    house: House, content: bytes, status: int, entry: str
) -> None:
    told = await house.upload(content)
    assert told.status == status
    [detail] = told.said["error"]["details"]
    assert detail["entry"] == entry
    assert detail["rule"]
    assert await names(house) == []


async def test_an_archive_over_the_limit_is_refused_unread(house: House) -> None:
    """M188."""
    house.desk.librarian.limits = Limits(zip_mb=1)
    told = await house.upload(b"PK\x03\x04" + bytes(3 << 20))
    assert (told.status, told.code) == (400, "bad_archive")


async def test_only_a_form_with_one_file_is_an_upload(house: House) -> None:
    assert (await house.call("POST", "/api/skills/upload", {"file": "x"})).status == 415
    form = {"Content-Type": "multipart/form-data; boundary=b"}
    assert (await house.call("POST", "/api/skills/upload", raw=b"nothing", headers=form)).status == 400
    assert (await house.call("POST", "/api/skills/upload", raw=b"--b--\r\n", headers=form)).status in (400, 422)
    assert (await house.upload(b"x", field="other")).status == 422


async def test_servers_that_a_skill_wishes_for_are_proposed_and_no_more(each_house: House) -> None:
    """Placeholders are stored as they stand; an accepted one stays when the skill goes."""
    front = (
        "mcpServers:\n  forms:\n    type: streamable-http\n    url: '${{backend_url}}/mcp/forms'\n"
        "    headers: {Authorization: 'Bearer ${{task_token}}'}\n  'bad name': {url: x}\n"
    )
    told = await each_house.upload(zipped({"SKILL.md": skill_md("one", front)}))
    assert "its MCP server is not proposed" in " ".join(told.said["warnings"])
    server = await each_house.store.tx(mcp_servers.find, "forms")
    assert server is not None
    assert (server.enabled, server.registered, server.proposed_by) == (False, False, "one")
    assert "Bearer ${{task_token}}" in server.spec
    assert "mcp/forms/*" not in str(await each_house.get("/api/capabilities/assignments"))
    await each_house.call("DELETE", "/api/skills/one")
    assert await each_house.store.tx(mcp_servers.find, "forms") is None


async def test_a_token_that_reads_changes_no_skill(house: House) -> None:
    _id, secret = await token_for(house, "reader")
    assert (await house.call("POST", "/api/skills", NEW, token=secret)).status == 403
    assert (await house.upload(zipped({"SKILL.md": skill_md("one")}), token=secret)).status == 403
    assert await names(house) == []


async def test_why_tells_of_a_skill_step_by_step(house: House) -> None:
    await house.call("POST", "/api/skills", NEW | {"enabled": False})
    path = "/api/personas/guide/why?capability=skill/document-check"
    for change, remedy in (
        ({}, "skill enable document-check"),
        ({"enabled": True}, "skill trust document-check"),
        ({"trusted": True}, "grant guide skill/document-check"),
    ):
        await house.call("PATCH", "/api/skills/document-check", change)
        assert (await house.get(path))["remedy"] == remedy
    await house.call("PUT", "/api/personas/guide/capabilities", GRANT)
    assert (await house.get(path))["holds"] is True
