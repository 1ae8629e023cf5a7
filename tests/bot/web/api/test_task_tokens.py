"""Task tokens over HTTP: made for a run or a person, shown once, revoked for good."""

from typing import Any

import pytest

from bot.store import runs, task_tokens
from bot.store.database import Tx
from tests.bot.parts import BOB, GUIDE, NOW, begin
from tests.bot.web.api.house import House, token_for

PERSON = {"persona_id": GUIDE.id, "user": BOB.id, "ttl_s": 60}


async def test_a_token_for_a_run_is_shown_once_and_revoked(each_house: House) -> None:
    house = each_house
    run = await house.store.tx(begin)
    told = await house.call("POST", "/api/tokens/task", {"run_id": run.id, "ttl_s": 60})
    assert told.status == 201
    assert set(told.said) == {"id", "token"}
    token = await house.store.tx(task_tokens.use, told.said["token"], NOW)
    assert token is not None
    assert (token.run_id, token.persona_id, token.user, token.expires_at) == (run.id, GUIDE.id, BOB.id, NOW + 60)
    assert (await house.call("DELETE", f"/api/tokens/task/{told.said['id']}")).status == 204
    assert await house.store.tx(task_tokens.use, told.said["token"], NOW) is None
    again = await house.call("DELETE", f"/api/tokens/task/{told.said['id']}")
    assert (again.status, again.code) == (404, "unknown_token")
    audit = await house.audit()
    assert ("api:admin", "task_token_made", told.said["id"]) in audit
    assert ("api:admin", "task_token_revoked", told.said["id"]) in audit


async def test_a_token_for_a_person_may_be_narrowed(house: House) -> None:
    told = await house.call("POST", "/api/tokens/task", {**PERSON, "capabilities": ["builtin/list_notes"]})
    token = await house.store.tx(task_tokens.use, told.said["token"], NOW)
    assert token is not None
    assert (token.run_id, token.conversation, token.user) == (None, "tg:5", BOB.id)
    assert token.allows("builtin/list_notes")
    assert not token.allows("builtin/add_note")


def _ended(tx: Tx) -> str:
    run = begin(tx)
    runs.end(tx, run.id, "completed", NOW)
    return run.id


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"run_id": "run_x"}, 422, "invalid"),
        ({"user": None}, 422, "invalid"),
        ({"persona_id": None}, 422, "invalid"),
        ({"ttl_s": 0}, 422, "invalid"),
        ({"ttl_s": 604_801}, 422, "invalid"),
        ({"capabilities": []}, 422, "invalid"),
        ({"persona_id": "nobody"}, 404, "unknown_persona"),
        ({"user": "nowhere:5"}, 404, "unknown_channel"),
        ({"capabilities": ["builtin/nothing"]}, 404, "unknown_capability"),
        ({"persona_id": None, "user": None, "run_id": "run_x"}, 404, "unknown_run"),
    ],
    ids=str,
)
async def test_what_no_token_can_be_made_for(house: House, changed: dict[str, Any], status: int, code: str) -> None:
    told = await house.call("POST", "/api/tokens/task", {**PERSON, **changed})
    assert (told.status, told.code) == (status, code)


async def test_a_run_that_has_ended_gets_none(house: House) -> None:
    run_id = await house.store.tx(_ended)
    told = await house.call("POST", "/api/tokens/task", {"run_id": run_id, "ttl_s": 60})
    assert (told.status, told.code) == (422, "run_ended")


async def test_who_may_only_read_makes_and_revokes_none(house: House) -> None:
    _id, secret = await token_for(house, "reader")
    assert (await house.call("POST", "/api/tokens/task", PERSON, token=secret)).status == 403
    assert (await house.call("DELETE", "/api/tokens/task/task_x", token=secret)).status == 403


async def test_a_task_token_opens_nothing_of_the_api(house: House) -> None:
    made = await house.call("POST", "/api/tokens/task", PERSON)
    assert (await house.call("GET", "/api/runs", token=made.said["token"])).status == 401
