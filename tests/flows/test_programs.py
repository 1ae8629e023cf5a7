"""Another program uses our MCP servers with a task token: what it writes asks in the chat, and dies with its run."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from tests.fakes.model.script import Reply, Rule
from tests.flows.house import House
from tests.flows.stage import Stage
from tests.flows.test_api import HTTP, TOKEN, Program

MILK = {"text": "milk"}
HELD = (Rule(contains="work", reply=Reply(text="All done.", hold="work")), Rule(reply=Reply(text="Good day.")))
"""The model thinks until it is let go, so that the run is open meanwhile."""


@dataclass(frozen=True, slots=True)
class Outside:
    """A program that holds a task token, beside the API that makes them."""

    house: House
    api: Program

    async def token(self, stage: Stage) -> str:
        """For the run of what somebody just wrote."""
        await stage.say("work")
        await stage.model.wait_request(1, 40)
        [run] = (await self.api.call("GET", "/api/runs?state=running"))["items"]
        made = await self.api.call("POST", "/api/tokens/task", {"run_id": run["id"], "ttl_s": 600}, 201)
        return str(made["token"])

    async def personal(self, person: str) -> str:
        wanted = {"persona_id": "guide", "user": person, "ttl_s": 600}
        return str((await self.api.call("POST", "/api/tokens/task", wanted, 201))["token"])

    async def use(self, token: str, app: str, tool: str, arguments: dict[str, Any] | None = None) -> str:
        """What the tool said, after `failed: ` where it failed."""
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(60)) as http,
            Client(streamable_http_client(f"{self.house.url}mcp/{app}", http_client=http)) as client,
        ):
            result = await client.call_tool(tool, arguments or {})
        assert isinstance(result, CallToolResult)
        [content] = result.content
        assert content.type == "text"
        return f"failed: {content.text}" if result.is_error else content.text

    async def status(self, token: str) -> int:
        headers = {"Authorization": f"Bearer {token}"}
        url = f"{self.house.url}mcp/notes"
        async with aiohttp.ClientSession() as session, session.post(url, json={}, headers=headers) as answer:
            return answer.status


@asynccontextmanager
async def programs(stage: Stage, **values: Any) -> AsyncIterator[Outside]:
    (stage.directory / ".env").write_text(f"ASKFIRST_ADMIN_TOKEN={TOKEN}\n")
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        stage.service(extra=HTTP, **values) as house,
        aiohttp.ClientSession(headers=headers) as session,
    ):
        yield Outside(house, Program(house, session))
    assert "askfirst_task_" not in house.log.read_text()


async def test_a_program_of_a_run_asks_in_its_chat_and_does_what_was_approved(stage: Stage, database: str) -> None:
    await stage.model.rules(*HELD)
    async with programs(stage, database=database) as outside:
        token = await outside.token(stage)
        assert await outside.use(token, "notes", "list_notes") == "There are no notes."
        asked = asyncio.create_task(outside.use(token, "notes", "add_note", MILK))
        card = await stage.card()
        assert "milk" in card.text
        assert "Look twice: this conversation has read what another program sent" in card.text
        assert (await outside.api.waiting())["arguments"] == MILK
        await stage.say("/status")
        await stage.reads("Calls of other programs")
        assert await stage.press(card, "Approve") == "Approved."
        assert "was added" in await asked
        await stage.settled(card, "Approved by Ann")
        asked = asyncio.create_task(outside.use(token, "notes", "add_note", {"text": "tea"}))
        card = await stage.card(containing="tea")
        assert await stage.press(card, "Reject") == "Rejected. It will not be done."
        assert (await asked).startswith("failed: Rejected by Ann. It was not executed.")
        asked = asyncio.create_task(outside.use(token, "notes", "add_note", {"text": "salt"}))
        card = await stage.card(containing="salt")
        await stage.model.release("work")
        await stage.reads("All done.")
        assert (await asked).startswith("failed: Cancelled (the run it belonged to has ended).")
        await stage.settled(card, "the run it belonged to has ended")
        assert await outside.status(token) == 401, "its run has ended"


async def test_stop_ends_what_a_program_asks_for(stage: Stage) -> None:
    await stage.model.rules(*HELD)
    async with programs(stage) as outside:
        token = await outside.token(stage)
        asked = asyncio.create_task(outside.use(token, "notes", "add_note", MILK))
        card = await stage.card()
        await stage.say("/stop")
        await stage.reads("Stopped.")
        assert await asked == "failed: Cancelled (stopped). It was not executed."
        assert (await stage.press_old(card)).startswith("Too late: Cancelled")
        assert await outside.status(token) == 401
        said = await stage.say("hello")
        await stage.reads("Good day.", after=said)


async def test_a_program_of_a_person_asks_in_their_private_chat_until_the_channel_goes(stage: Stage) -> None:
    """Nothing of the person's own waits behind it."""
    async with programs(stage, model_url="") as outside:
        token = await outside.personal(f"tg:{stage.ann.id}")
        asked = asyncio.create_task(outside.use(token, "memory", "save_persona_memory", {"text": "likes tea"}))
        card = await stage.card(containing="likes tea")
        said = await stage.say("show my notes")
        await stage.reads("There are no notes", after=said)
        await outside.api.call("POST", "/api/channels/tg/disconnect")
        assert (await asked).startswith("failed: Cancelled (the channel was disconnected).")
        assert await outside.status(token) == 401
        await outside.api.call("POST", "/api/channels/tg/connect")
        assert await outside.status(token) == 401
        assert (await stage.press_old(card)).startswith("Too late: Cancelled")


async def test_silent_exit_of_a_program_lets_its_run_end_without_a_word(stage: Stage) -> None:
    await stage.model.rules(*HELD)
    async with programs(stage) as outside:
        token = await outside.token(stage)
        assert not (await outside.use(token, "system", "silent_exit")).startswith("failed")
        await stage.model.release("work")
        await outside.house.at_rest()
        said = await stage.say("hello")
        await stage.reads("Good day.", after=said)
        assert not any("All done." in text for text in await stage.there())


async def test_what_waited_when_the_service_was_killed_is_closed_at_the_next_start(stage: Stage) -> None:
    await stage.model.rules(*HELD)
    async with programs(stage) as outside:
        token = await outside.personal(f"tg:{stage.ann.id}")
        asked = asyncio.create_task(outside.use(token, "notes", "add_note", MILK))
        card = await stage.card()
        said = await stage.say("/pending")
        await stage.reads("Decide with", after=said)  # what was sent before is noted by now
        await outside.house.kill()
        await asyncio.gather(asked, return_exceptions=True)
    async with programs(stage) as outside:
        await stage.settled(card, "the service restarted")
        assert await outside.use(token, "notes", "list_notes") == "There are no notes."
