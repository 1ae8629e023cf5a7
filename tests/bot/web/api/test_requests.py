"""What bad requests get: a status, a stable code, the place; never a traceback."""

import gzip
import json
from collections.abc import Sequence
from typing import Any

import pytest

from bot.inventory import KnownSkill
from bot.store.database import Store, Tx
from bot.web.server import BODY
from tests.bot.parts import Parts
from tests.bot.web.api.house import House, open_house

NEW = {"id": "clerk", "display_name": "Clerk", "model": "main"}


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        pytest.param({}, ["id", "display_name", "model"], id="nothing"),
        pytest.param({**NEW, "colour": "red"}, ["colour"], id="a field that is not known"),
        pytest.param({**NEW, "display_name": 5}, ["display_name"], id="a number for a text"),
        pytest.param({**NEW, "display_name": None}, ["display_name"], id="null for a text"),
        pytest.param({**NEW, "display_name": ""}, ["display_name"], id="an empty text"),
        pytest.param({**NEW, "display_name": "x" * 65}, ["display_name"], id="a text that is too long"),
        pytest.param({**NEW, "display_name": "a\0b"}, ["display_name"], id="a text that cannot be stored"),
        pytest.param({**NEW, "id": "Clerk"}, ["id"], id="a capital letter"),
        pytest.param({**NEW, "id": "clerk\n"}, ["id"], id="a line break behind a name"),
        pytest.param({**NEW, "mode": "tyrant"}, ["mode"], id="a word that is none of those"),
        pytest.param({**NEW, "preload_skills": "poems"}, ["preload_skills"], id="a text for a list"),
        pytest.param({**NEW, "preload_skills": [1]}, ["preload_skills.0"], id="a number in a list of texts"),
        pytest.param([], [""], id="a list"),
        pytest.param("clerk", [""], id="a text"),
        pytest.param(True, [""], id="true"),
    ],
)
async def test_a_body_that_does_not_fit_is_told_where(house: House, body: Any, fields: list[str]) -> None:
    told = await house.call("POST", "/api/personas", body)
    assert (told.status, told.code, told.fields) == (422, "invalid", fields)
    assert len((await house.get("/api/personas"))["items"]) == 1


async def test_a_secret_that_was_sent_in_the_wrong_place_is_not_echoed(house: House) -> None:
    told = await house.call("POST", "/api/personas", {**NEW, "model": ["hunter2hunter2"], "mode": "hunter2hunter2"})
    assert told.status == 422
    assert "hunter2hunter2" not in json.dumps(told.said)


async def test_so_many_mistakes_are_not_all_told(house: House) -> None:
    told = await house.call("POST", "/api/personas", {f"{'x' * 300}{n}": n for n in range(1000)})
    assert len(told.fields) == 20
    assert max(map(len, told.fields)) == 100


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"{", id="half an object"),
        pytest.param(b"{'id': 'clerk'}", id="quotes that are none"),
        pytest.param(b'{"id": "clerk"} {}', id="two objects"),
        pytest.param(b"\xff\xfe{\x00}\x00", id="UTF-16"),
        pytest.param(b'{"id": "\xff"}', id="no UTF-8"),
        pytest.param(b'{"id": "\\ud800"}', id="half a character"),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, id="very deep"),
        pytest.param(b'{"id": 1' + b"0" * 5000 + b"}", id="a number that is too long"),
    ],
)
async def test_what_is_no_json_is_told(house: House, raw: bytes) -> None:
    told = await house.call("POST", "/api/personas", raw=raw)
    assert (told.status, told.code) == (400, "bad_json")


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/json; charset=latin-1",
        "x",
    ],
)
async def test_another_kind_of_content_is_not_taken(house: House, content_type: str) -> None:
    told = await house.call("POST", "/api/personas", NEW, headers={"Content-Type": content_type})
    assert (told.status, told.code) == (415, "wrong_content_type")


async def test_json_with_its_charset_is_taken(house: House) -> None:
    headers = {"Content-Type": "application/json; charset=UTF-8"}
    assert (await house.call("POST", "/api/personas", NEW, headers=headers)).status == 201


async def test_a_body_that_is_too_large_is_not_taken(house: House) -> None:
    told = await house.call("POST", "/api/personas", {**NEW, "instructions": "x" * BODY})
    assert (told.status, told.code) == (413, "too_long")


async def test_a_small_body_that_unpacks_to_a_large_one_is_not_taken(house: House) -> None:
    packed = gzip.compress(b" " * (BODY * 50))
    told = await house.call("POST", "/api/personas", raw=packed, headers={"Content-Encoding": "gzip"})
    assert (told.status, told.code) == (413, "too_long")


async def test_a_body_that_cannot_be_unpacked_is_told(house: House) -> None:
    told = await house.call("POST", "/api/personas", raw=b"this is not packed", headers={"Content-Encoding": "gzip"})
    assert (told.status, told.code) == (400, "bad_body")


async def test_where_nothing_is_to_be_said_something_is_too_much(house: House) -> None:
    assert (await house.call("POST", "/api/channels/web/connect", {})).status == 200
    told = await house.call("POST", "/api/channels/web/connect", {"force": True})
    assert (told.status, told.fields) == (422, ["force"])


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("limit=0", ["limit"]),
        ("limit=201", ["limit"]),
        ("limit=-1", ["limit"]),
        ("limit=1.0", ["limit"]),
        ("limit=1_0", ["limit"]),
        ("limit=%201", ["limit"]),
        ("limit=9999999999999999999999", ["limit"]),
        ("limit=", ["limit"]),
        ("limit=1&limit=2", ["limit"]),
        ("cursor=", ["cursor"]),
        ("cursor=%00", ["cursor"]),
        ("cursor=WzFd", ["cursor"]),
        ("cursor=abc", ["cursor"]),
        ("state=alive", ["state"]),
        ("page=2", ["page"]),
    ],
)
@pytest.mark.parametrize("path", ["/api/runs", "/api/approvals"])
async def test_a_query_that_does_not_fit_is_told_where(house: House, path: str, query: str, fields: list[str]) -> None:
    told = await house.call("GET", f"{path}?{query}")
    assert (told.status, told.code, told.fields) == (422, "invalid", fields)


@pytest.mark.parametrize(
    "cursor",
    [
        pytest.param("OTIyMzM3MjAzNjg1NDc3NTgwOA", id="beyond what a database counts to"),
        pytest.param("LTE", id="below nothing"),
        pytest.param("dHJ1ZQ", id="true"),
        pytest.param("MS4w", id="a fraction"),
        pytest.param("MQ=", id="with what is left out"),
        pytest.param("MR", id="not quite as it was given"),
        pytest.param("W1tbW1tbW1tb", id="no JSON"),
    ],
)
async def test_a_made_up_cursor_is_refused(house: House, cursor: str) -> None:
    told = await house.call("GET", f"/api/audit?cursor={cursor}")
    assert (told.status, told.fields) == (422, ["cursor"])


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/nothing"),
        ("GET", "/api/"),
        ("POST", "/api/personas/"),
        ("GET", "/api/personas/guide/nothing"),
        ("GET", "/api/personas/nobody"),
        ("GET", "/api/personas/%00"),
        ("GET", "/api/personas/%2E%2E%2F"),
        ("GET", "/api/personas/%FF"),
        ("GET", f"/api/personas/{'x' * 500}"),
        ("DELETE", "/api/sessions/nothing"),
        ("POST", "/api/runs/nothing/cancel"),
        ("GET", "/api/runs/nothing/events"),
        ("POST", "/api/approvals/nothing/approve"),
        ("POST", "/api/channels/nothing/disconnect"),
        ("GET", "/api/workers/manifests/nobody"),
    ],
)
async def test_what_is_not_there_is_not_found(house: House, method: str, path: str) -> None:
    told = await house.call(method, path, {} if method != "GET" else None)
    assert told.status == 404
    assert told.code in ("not_found", f"unknown_{told.code.removeprefix('unknown_')}")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/api/personas", {"GET", "HEAD", "POST"}),
        ("POST", "/api/personas/guide", {"GET", "HEAD", "PATCH", "DELETE"}),
        ("GET", "/api/runs/run_1/cancel", {"POST"}),
        ("DELETE", "/api/skills/tools", {"GET", "HEAD"}),
        ("TRACE", "/api/audit", {"GET", "HEAD"}),
        ("OPTIONS", "/api/audit", {"GET", "HEAD"}),
    ],
)
async def test_a_method_that_an_address_does_not_know_is_told_with_those_it_knows(
    house: House, method: str, path: str, allowed: set[str]
) -> None:
    told = await house.call(method, path)
    assert (told.status, told.code) == (405, "method_not_allowed")
    assert set(told.headers["Allow"].split(",")) == allowed


async def test_a_head_is_a_get_without_its_body(house: House) -> None:
    told = await house.call("HEAD", "/api/personas")
    assert (told.status, told.said) == (200, None)


async def test_a_browser_too_is_answered_in_json_here(house: House) -> None:
    told = await house.call("GET", "/api/nothing", headers={"Accept": "text/html"})
    assert told.code == "not_found"


async def test_a_database_that_cannot_be_used_is_told(house: House) -> None:
    await house.store.close()
    told = await house.call("GET", "/api/personas")
    assert (told.status, told.code) == (503, "store_unavailable")


def _broken(_tx: Tx) -> Sequence[KnownSkill]:
    raise ZeroDivisionError("the particulars")


async def test_a_bug_is_told_without_its_particulars(store: Store) -> None:
    async with open_house(store, Parts(skills=_broken)) as house:
        told = await house.call("GET", "/api/skills/tools")
        assert (told.status, told.code) == (500, "failed")
        assert "particulars" not in json.dumps(told.said)
