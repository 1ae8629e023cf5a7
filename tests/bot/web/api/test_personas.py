"""Personas over HTTP: made, looked at, changed, deleted."""

from dataclasses import replace
from typing import Any

import pytest

from bot.store import grants, personas, runs, sessions
from bot.store.database import Store
from tests.bot.parts import begin, with_skills
from tests.bot.web.api.house import House, open_house

CLERK = {"id": "clerk", "display_name": "Clerk", "model": "main"}
AS_STORED = {
    **CLERK,
    "instructions": "",
    "mode": "direct",
    "default_builtin": "allow",
    "preload_skills": [],
}


async def test_a_persona_is_made_and_found(each_house: House) -> None:
    made = await each_house.call("POST", "/api/personas", CLERK)
    assert (made.status, made.said) == (201, AS_STORED)
    assert await each_house.get("/api/personas/clerk") == AS_STORED
    assert [each["id"] for each in (await each_house.get("/api/personas"))["items"]] == ["clerk", "guide"]


async def test_all_that_a_persona_is_can_be_said(house: House) -> None:
    whole = AS_STORED | {"instructions": "Be “kind”.\n", "mode": "supervisor", "default_builtin": "none"}
    assert (await house.call("POST", "/api/personas", whole)).said == whole


async def test_a_name_that_is_taken_is_refused(house: House) -> None:
    told = await house.call("POST", "/api/personas", CLERK | {"id": "guide"})
    assert (told.status, told.code) == (409, "persona_taken")
    assert (await house.get("/api/personas/guide"))["display_name"] == "Guide"


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"model": "gpt-none"}, "unknown_model", "model"),
        ({"preload_skills": ["poems"]}, "unknown_skill", "preload_skills"),
        ({"display_name": "   "}, "bad_display_name", "display_name"),
    ],
)
async def test_what_a_persona_names_must_exist(house: House, change: dict[str, Any], code: str, field: str) -> None:
    for told in (
        await house.call("POST", "/api/personas", CLERK | change),
        await house.call("PATCH", "/api/personas/guide", change),
    ):
        assert (told.status, told.code, told.fields) == (422, code, [field])


async def test_a_word_that_means_something_else_is_no_name(house: House) -> None:
    told = await house.call("POST", "/api/personas", CLERK | {"id": "group"})
    assert (told.status, told.code) == (422, "bad_name")


async def test_what_is_not_said_stays(each_house: House) -> None:
    changed = await each_house.call("PATCH", "/api/personas/guide", {"instructions": "Be brief.", "mode": None})
    assert changed.status == 200
    assert (changed.said["instructions"], changed.said["mode"]) == ("Be brief.", "direct")
    assert changed.said["display_name"] == "Guide"
    assert (await each_house.call("PATCH", "/api/personas/guide")).said == changed.said


async def test_a_persona_in_use_stays_and_the_channel_is_named(store: Store) -> None:
    parts = replace(with_skills(), answering={"tg": "guide"})
    async with open_house(store, parts) as house:
        told = await house.call("DELETE", "/api/personas/guide")
        assert (told.status, told.code, told.fields) == (409, "in_use", ["id"])
        assert "tg" in told.said["error"]["message"]
        assert (await house.get("/api/personas/guide"))["id"] == "guide"


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_a_persona_that_is_not_there_is_not_found(house: House, method: str) -> None:
    told = await house.call(method, "/api/personas/nobody", {} if method != "GET" else None)
    assert (told.status, told.code) == (404, "unknown_persona")


async def test_deleting_a_persona_ends_what_it_does_and_a_namesake_starts_with_nothing(each_house: House) -> None:
    run = await each_house.store.tx(begin)
    await each_house.store.tx(each_house.parts.ask, run)
    overrides = {"overrides": {"builtin/add_note": False}}
    assert (await each_house.call("PUT", "/api/personas/guide/capabilities", overrides)).status == 200
    deleted = await each_house.call("DELETE", "/api/personas/guide")
    assert (deleted.status, deleted.said) == (204, None)
    assert await each_house.store.tx(personas.everyone) == []
    assert await each_house.store.tx(grants.everything) == []
    assert await each_house.store.tx(sessions.everything, None, 10) == []
    assert not await each_house.store.tx(runs.alive, run.id)
    again = await each_house.call("POST", "/api/personas", CLERK | {"id": "guide"})
    assert again.status == 201
    assert (await each_house.get("/api/personas/guide/capabilities"))["overrides"] == {}
