"""The HTTP API of the running service: what it changes is so in the chats, at once."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from tests.flows.house import House
from tests.flows.stage import Stage

TOKEN = "made-up-for-the-flow"
HTTP = {"http": {"admin_token": "${ASKFIRST_ADMIN_TOKEN}"}}


class Program:
    """Calls the API with the configured token."""

    def __init__(self, house: House, session: aiohttp.ClientSession) -> None:
        self._url = house.url.rstrip("/")
        self._session = session

    async def call(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        async with self._session.request(method, self._url + path, json=body) as answer:
            text = await answer.text()
            assert answer.status == status, text
            return json.loads(text) if text else None

    async def waiting(self) -> dict[str, Any]:
        """The one thing that waits for a decision."""
        [found] = (await self.call("GET", "/api/approvals?state=pending"))["items"]
        return dict(found)

    async def follow(self, run_id: str) -> AsyncIterator[str]:
        """The names of a run's events as they happen, to the end of the stream."""
        headers = {"Accept": "text/event-stream"}
        async with self._session.get(f"{self._url}/api/runs/{run_id}/events", headers=headers) as stream:
            async for raw in stream.content:
                if raw.startswith(b"event: "):
                    yield raw.decode().strip().removeprefix("event: ")


@asynccontextmanager
async def serving(stage: Stage) -> AsyncIterator[tuple[House, Program]]:
    """The service with the offline planner, and a program at its API."""
    (stage.directory / ".env").write_text(f"ASKFIRST_ADMIN_TOKEN={TOKEN}\n")
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        stage.service(model_url="", extra=HTTP, telegram={"switching": True}) as house,
        aiohttp.ClientSession(headers=headers) as session,
    ):
        yield house, Program(house, session)
    assert TOKEN not in house.log.read_text()


async def test_a_write_that_waits_is_approved_by_a_program_and_done(stage: Stage) -> None:
    async with serving(stage) as (_house, program):
        await stage.say("add a note: milk")
        card = await stage.card()
        waiting = await program.waiting()
        assert (waiting["capability_id"], waiting["arguments"]) == ("builtin/add_note", {"text": "milk"})
        assert (await program.call("GET", f"/api/runs/{waiting['run_id']}"))["state"] == "waiting_approval"
        happening = program.follow(waiting["run_id"])
        assert await anext(happening) == "queued"
        decided = await program.call("POST", f"/api/approvals/{waiting['id']}/approve", {})
        assert (decided["state"], decided["decided_by"]) == ("approved", "api:admin")
        await stage.settled(card, "Approved by an admin (api:admin)")
        async with asyncio.timeout(20):
            told = [name async for name in happening]
        assert told[-1] == "completed"
        steps = ("approval_requested", "approval_decided", "tool_started", "tool_finished")
        assert [name for name in told if name in steps] == list(steps)
        said = await stage.say("show my notes")
        assert "1 note" in (await stage.reads("milk", after=said)).text
        assert "Too late" in await stage.press_old(card)


async def test_a_persona_is_made_granted_and_revoked_while_it_talks(stage: Stage) -> None:
    async with serving(stage) as (_house, program):
        helper = {"id": "helper", "display_name": "Helper", "model": "main", "default_builtin": "none"}
        await program.call("POST", "/api/personas", helper, 201)
        said = await stage.say("/persona helper")
        await stage.reads("Helper talks here", after=said)
        said = await stage.say("/tools")
        await stage.reads("Helper may use no tool here", after=said)
        grant = {"overrides": {"builtin/add_note": True}}
        await program.call("PUT", "/api/personas/helper/capabilities", grant)
        await stage.say("add a note: tea")
        card = await stage.card()
        taken = {"persona_id": "helper", "kind": "tool", "id": "add_note", "assigned": False}
        await program.call("PATCH", "/api/capabilities/assignments", taken)
        await stage.settled(card, "Cancelled")
        why = await program.call("GET", "/api/personas/helper/why?capability=builtin/add_note")
        assert (why["holds"], why["remedy"]) == (False, "grant helper builtin/add_note")
        await program.call("DELETE", "/api/personas/helper", status=204)
        said = await stage.say("/persona")
        assert "You are talking to guide" in (await stage.reads("You are talking to", after=said)).text


async def test_a_channel_is_switched_off_and_on_by_a_program(stage: Stage) -> None:
    async with serving(stage) as (house, program):
        await stage.say("add a note: milk")
        card = await stage.card()
        run = (await program.waiting())["run_id"]
        assert (await program.call("POST", "/api/channels/tg/disconnect"))["state"] == "disconnected"
        await stage.settled(card, "Cancelled")
        await house.until(lambda parts: parts["channel:tg"]["state"] == "disconnected")
        assert (await program.call("GET", f"/api/runs/{run}"))["state"] == "cancelled"
        assert (await program.call("GET", "/api/sessions"))["items"] == []
        await program.call("POST", "/api/channels/tg/connect")
        await house.until(lambda parts: parts["channel:tg"]["state"] == "connected")
        said = await stage.say("what time is it")
        await stage.reads("UTC", after=said)


@pytest.mark.parametrize("extra", [{}, HTTP], ids=["closed", "open"])
async def test_without_its_token_the_api_tells_nothing(stage: Stage, extra: dict[str, Any]) -> None:
    (stage.directory / ".env").write_text(f"ASKFIRST_ADMIN_TOKEN={TOKEN}\n")
    async with stage.service(model_url="", extra=extra) as house, aiohttp.ClientSession() as session:
        for path in ("api/personas", "api/openapi.json", "api/nothing"):
            async with session.get(house.url + path) as answer:
                assert answer.status == 401
                assert (await answer.json())["error"]["code"] == ("unauthorized" if extra else "api_closed")


async def test_a_stop_does_not_wait_for_those_who_follow_a_run(stage: Stage) -> None:
    async with serving(stage) as (house, program):
        await stage.say("add a note: milk")
        await stage.card()
        happening = program.follow((await program.waiting())["run_id"])
        assert await anext(happening) == "queued"
        assert await house.stop() == 0
        assert [name async for name in happening][-1] == "approval_requested"
