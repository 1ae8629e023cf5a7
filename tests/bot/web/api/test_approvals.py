"""Deciding over HTTP: the same decision as by a button."""

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.domain.access import House as People
from bot.domain.policy import Rules
from bot.store import approvals, calls, outbox
from bot.store.database import Store, Tx
from tests.bot.parts import NOW, Parts, begin
from tests.bot.web.api.house import House, Told, open_house, token_for


async def asked(house: House, text: str = "milk") -> dict[str, Any]:
    """Something that waits, as the API shows it."""
    run = await house.store.tx(begin)
    waiting = await house.store.tx(house.parts.ask, run, text)
    [found] = [each for each in (await house.get("/api/approvals"))["items"] if each["id"] == waiting.id]
    return dict(found)


async def decide(house: House, waiting: dict[str, Any], verb: str, body: Any = None) -> Told:
    return await house.call("POST", f"/api/approvals/{waiting['id']}/{verb}", body)


async def test_what_waits_is_told_with_all_that_will_be_used(each_house: House) -> None:
    waiting = await asked(each_house)
    assert waiting["arguments"] == {"text": "milk"}
    assert waiting["effect_text"] == "Add the note: “milk”"
    assert (waiting["state"], waiting["decided_by"], waiting["requested_by"]) == ("pending", None, "tg:5")
    assert waiting["expires_at"] == NOW + 3600
    assert waiting["card"] == {"channel": "tg", "conversation": "tg:5"}
    assert len(waiting["code"]) == 4


async def test_an_admin_approves_and_the_call_is_free_to_run(each_house: House) -> None:
    waiting = await asked(each_house)
    told = await decide(each_house, waiting, "approve")
    assert told.status == 200
    assert (told.said["state"], told.said["decided_by"], told.said["decided_at"]) == ("approved", "api:admin", NOW)
    [call] = await each_house.store.tx(calls.of_runs, [waiting["run_id"]])
    assert call.state == "ready"
    [card] = await each_house.store.tx(outbox.about, waiting["id"])
    assert card.message is not None
    assert card.message.rows == ()
    assert "Approved by an admin (api:admin)" in repr(card.message)
    assert (await each_house.audit())[-2:] == [
        ("api:admin", "approval_approved", waiting["id"]),
        ("api:admin", "api_called", f"POST /api/approvals/{waiting['id']}/approve"),
    ]


async def test_a_reason_is_kept_where_it_is_rejected(each_house: House) -> None:
    told = await decide(each_house, await asked(each_house), "reject", {"reason": "not today"})
    assert (told.said["state"], told.said["reason"]) == ("rejected", "not today")


async def test_the_first_decision_counts(each_house: House) -> None:
    waiting = await asked(each_house)
    assert (await decide(each_house, waiting, "reject")).status == 200
    told = await decide(each_house, waiting, "approve")
    assert (told.status, told.code) == (409, "rejected_before")
    assert (await each_house.get("/api/approvals?state=rejected"))["items"][0]["id"] == waiting["id"]
    assert (await each_house.get("/api/approvals?state=pending"))["items"] == []


async def test_it_is_too_late_after_the_end(each_house: House) -> None:
    waiting = await asked(each_house)
    each_house.now[0] = NOW + 3600
    told = await decide(each_house, waiting, "approve")
    assert (told.status, told.code) == (409, "expired_before")
    [found] = (await each_house.get("/api/approvals"))["items"]
    assert found["state"] == "expired"


async def test_somebody_with_the_right_decides_through_us(each_house: House) -> None:
    told = await decide(each_house, await asked(each_house), "approve", {"as": "tg:5"})
    assert (told.status, told.said["decided_by"]) == (200, "tg:5")


async def test_somebody_without_the_right_does_not_and_that_is_kept(each_house: House) -> None:
    waiting = await asked(each_house)
    told = await decide(each_house, waiting, "approve", {"as": "tg:9"})
    assert (told.status, told.code) == (403, "may_not_decide")
    assert (await each_house.get("/api/approvals"))["items"][0]["state"] == "pending"
    assert (await each_house.audit())[-2:] == [
        ("tg:9", "decision_refused", waiting["id"]),
        ("api:admin", "api_refused", f"POST /api/approvals/{waiting['id']}/approve"),
    ]


async def test_where_admins_do_not_decide_the_api_does_not_either(store: Store) -> None:
    parts = Parts(rules=Rules(approvers=("requester",), expire_after=3600.0))
    async with open_house(store, parts) as house:
        told = await decide(house, await asked(house), "approve")
        assert (told.status, told.code) == (403, "may_not_decide")


async def test_where_several_must_agree_the_api_is_one_whatever_the_token(store: Store) -> None:
    parts = Parts(People(frozenset({"tg:1"})), rules=Rules(needed=2, expire_after=3600.0))
    async with open_house(store, parts) as house:
        waiting = await asked(house)
        told = await decide(house, waiting, "approve")
        assert (told.status, told.said["state"]) == (200, "pending")
        _id, secret = await token_for(house, "ci", "admin")
        again = await house.call("POST", f"/api/approvals/{waiting['id']}/approve", token=secret)
        assert (again.status, again.code) == (409, "agreed_before")
        enough = await decide(house, waiting, "approve", {"as": "tg:1"})
        assert (enough.status, enough.said["state"]) == (200, "approved")


async def test_a_token_is_named_on_the_card(house: House) -> None:
    waiting = await asked(house)
    _id, secret = await token_for(house, "ci", "admin")
    told = await house.call("POST", f"/api/approvals/{waiting['id']}/approve", token=secret)
    assert told.said["decided_by"] == "api:admin"
    [card] = await house.store.tx(outbox.about, waiting["id"])
    assert "Approved by an admin (api:ci)" in repr(card.message)
    assert [who for who, action, _ in await house.audit() if action == "api_called"] == ["api:ci"]


@pytest.mark.parametrize("body", [{"as": "nobody"}, {"as": ""}, {"as": "tg:"}, {"reason": 5}, {"because": "x"}])
async def test_a_verdict_of_another_shape_is_refused(house: House, body: dict[str, Any]) -> None:
    waiting = await asked(house)
    assert (await decide(house, waiting, "approve", body)).code == "invalid"
    assert (await house.get("/api/approvals"))["items"][0]["state"] == "pending"


async def test_what_is_called_like_a_secret_is_not_shown(house: House) -> None:
    waiting = await asked(house)
    secret = {"api_key": "made-up", "to": ["ann", {"Password": "made-up"}]}
    await house.store.tx(_ask_with, waiting["id"], json.dumps(secret))
    [shown] = (await house.get("/api/approvals"))["items"]
    assert shown["arguments"] == {"api_key": "********", "to": ["ann", {"Password": "********"}]}


def _ask_with(tx: Tx, approval_id: str, arguments: str) -> None:
    approval = approvals.find(tx, approval_id)
    assert approval is not None
    assert approvals.rewrite(tx, approval, replace(approval, arguments=arguments))
