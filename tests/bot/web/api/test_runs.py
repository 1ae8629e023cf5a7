"""Sessions and runs over HTTP: looked at, and ended."""

import pytest

from bot.store import approvals, calls, runs, sessions
from bot.store.database import Tx
from bot.store.runs import Queued
from channels.events import Conversation
from tests.bot.parts import CHAT, NOW, begin, queue
from tests.bot.web.api.house import SECRET, House

OTHER = Conversation("tg", "6")


async def test_a_run_says_how_it_stands(each_house: House) -> None:
    run = await each_house.store.tx(begin)
    said = await each_house.get(f"/api/runs/{run.id}")
    assert said == {
        "id": run.id,
        "session_id": run.session_id,
        "persona_id": "guide",
        "channel": "tg",
        "conversation": "tg:5",
        "user": "tg:5",
        "state": "running",
        "created_at": NOW,
        "ended_at": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
    assert (await each_house.get("/api/runs"))["items"] == [said]


async def test_what_went_wrong_is_told_without_secrets(each_house: House) -> None:
    run = await each_house.store.tx(begin)
    await each_house.store.tx(runs.end, run.id, "failed", NOW + 1, "model_denied", f"bad key {SECRET}")
    said = await each_house.get(f"/api/runs/{run.id}")
    assert (said["state"], said["ended_at"]) == ("failed", NOW + 1)
    assert said["error"] == {"code": "model_denied", "message": "bad key ********"}


async def test_runs_are_listed_by_state(each_house: House) -> None:
    run = await each_house.store.tx(begin)
    queued = await each_house.store.tx(queue)
    assert [each["id"] for each in (await each_house.get("/api/runs"))["items"]] == [queued, run.id]
    assert [each["id"] for each in (await each_house.get("/api/runs?state=queued"))["items"]] == [queued]
    assert (await each_house.get("/api/runs?state=failed"))["items"] == []


async def test_a_run_is_cancelled_once_with_its_card(each_house: House) -> None:
    run = await each_house.store.tx(begin)
    waiting = await each_house.store.tx(each_house.parts.ask, run)
    told = await each_house.call("POST", f"/api/runs/{run.id}/cancel")
    assert (told.status, told.said["state"], told.said["error"]["code"]) == (200, "cancelled", "cancelled")
    closed = await each_house.store.tx(approvals.find, waiting.id)
    assert closed is not None
    assert closed.state == "cancelled"
    again = await each_house.call("POST", f"/api/runs/{run.id}/cancel")
    assert (again.status, again.code) == (409, "run_ended")
    calls = [entry for entry in await each_house.audit() if entry[1] == "api_called"]
    assert calls == [("api:admin", "api_called", f"POST /api/runs/{run.id}/cancel")]


def _two_chats(tx: Tx) -> tuple[str, str, str]:
    run = begin(tx)
    return run.id, queue(tx), queue(tx, OTHER)


async def test_ending_a_session_ends_its_runs_and_its_queue_and_nothing_else(each_house: House) -> None:
    running, queued, elsewhere = await each_house.store.tx(_two_chats)
    session = (await each_house.get(f"/api/runs/{running}"))["session_id"]
    assert (await each_house.call("DELETE", f"/api/sessions/{session}")).status == 204
    states = {each["id"]: each["state"] for each in (await each_house.get("/api/runs"))["items"]}
    assert states == {running: "cancelled", queued: "cancelled", elsewhere: "queued"}
    [left] = (await each_house.get("/api/sessions"))["items"]
    assert (left["conversation"], left["persona_id"], left["created_at"]) == (OTHER.key, "guide", NOW)
    assert ("api:admin", "sessions_ended", "tg:5") in await each_house.audit()
    told = await each_house.call("DELETE", f"/api/sessions/{session}")
    assert (told.status, told.code) == (404, "unknown_session")


async def test_a_session_of_another_persona_there_goes_on(each_house: House) -> None:
    running, _queued, _elsewhere = await each_house.store.tx(_two_chats)
    theirs = await each_house.store.tx(_of_another_persona)
    session = (await each_house.get(f"/api/runs/{running}"))["session_id"]
    await each_house.call("DELETE", f"/api/sessions/{session}")
    left = (await each_house.get("/api/sessions"))["items"]
    assert {each["persona_id"] for each in left if each["conversation"] == CHAT.key} == {"clerk"}
    assert (await each_house.get(f"/api/runs/{theirs}"))["state"] == "queued"


def _of_another_persona(tx: Tx) -> str:
    session = sessions.open_for(tx, CHAT.key, "tg", "clerk", "ses_clerk", NOW)
    run = Queued("run_clerk", session, CHAT.key, "tg", "clerk", "tg:5", "Bob", True, "12", None, None, NOW)
    runs.add(tx, run)
    return run.id


@pytest.mark.parametrize("path", ["/api/runs/run_none", "/api/runs/run_none/events"])
async def test_a_run_that_is_not_there_is_not_found(house: House, path: str) -> None:
    told = await house.call("GET", path)
    assert (told.status, told.code) == (404, "unknown_run")


async def test_the_calls_of_a_run_are_shown_whole_and_without_secrets(each_house: House) -> None:
    def made(tx: Tx) -> str:
        run = begin(tx)
        call = each_house.parts.call(tx, run, "list_notes", {})
        calls.step(tx, call.id, "ready", "started")
        calls.answer(tx, call.id, "started", "done", f"cut {SECRET}", None, f"all of it {SECRET}")
        return run.id

    run_id = await each_house.store.tx(made)
    [said] = (await each_house.get(f"/api/runs/{run_id}/calls"))["items"]
    assert (said["tool"], said["state"], said["failure"]) == ("list_notes", "done", None)
    assert (said["result"], said["whole"]) == ("cut ********", "all of it ********")
    assert (await each_house.call("GET", "/api/runs/run_none/calls")).status == 404
