"""An MCP server asks in the middle of a call: the requester answers, or it hears that nobody did."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from bot.caller import Caller
from bot.closer import status_key
from bot.domain.capability import Capability, Grant
from bot.domain.question import Question
from bot.domain.run import Call, Run
from bot.elicitor import Elicitor
from bot.llm.port import Offer
from bot.mcp_client.spoken import Accepted, Answer, Cancelled, Declined
from bot.patience import Patience
from bot.presence import Presence
from bot.reach import Reach
from bot.store import calls, grants, mcp_servers, outbox, pins, questions
from bot.store.buttons import Meaning
from bot.store.database import Store, Tx
from bot.store.mcp_servers import Server
from bot.store.pins import Pin
from bot.toolbox import Toolbox
from bot.tools.registry import BUILT_IN
from bot.tools.spec import ToolContext
from bot.tools.tool import Output, Tool
from channels.adapter import Receipt
from tests.bot.parts import BOB, CHAT, NOW, Parts, begin, by
from tests.bot.stages import Platform

ASK = "mcp/files/ask"
SCHEMA = {
    "type": "object",
    "properties": {
        "size": {"type": "string", "enum": ["s", "l"], "enumNames": ["Small", "Large"]},
        "sure": {"type": "boolean"},
    },
    "required": ["size"],
}
PATIENCE_S = 10.0
Handle = Callable[[ToolContext, Any], Awaitable[Output]]


def tool(handle: Handle) -> Tool:
    return Tool(
        name="mcp__files__ask",
        short="ask",
        capability=Capability(ASK, reads=True),
        specialist="files",
        server="files",
        description="Asks.",
        schema={"type": "object", "properties": {}},
        definition="f1",
        pinned="f1",
        offer=Offer("mcp__files__ask", "Asks.", {}),
        given=lambda arguments: arguments,
        effect=lambda _tx, _context, _given: "",
        handle=handle,
        limit_s=None,
    )


@dataclass(frozen=True, slots=True)
class Asking:
    """A call that is under way. `elicitor` is what it asks through."""

    store: Store
    parts: Parts
    run: Run
    call: Call
    elicitor: Elicitor

    @property
    async def question(self) -> Question:
        """What is asked; this waits until something is."""
        async with asyncio.timeout(PATIENCE_S):
            while not (found := await self.store.tx(questions.pending_of_call, self.call.id)):  # noqa: ASYNC110
                await asyncio.sleep(0.01)  # a row has no event to wait for
        return found[0]

    async def press(self, question: Question, what: str) -> Receipt:
        meaning = Meaning("answer", f"{question.id}/{what}")
        return await self.store.tx(self.parts.hearer.press, meaning, by(BOB, CHAT), None, NOW)

    async def card(self, question: Question) -> str:
        posts = await self.store.tx(outbox.about, question.id)
        assert posts[-1].message is not None
        return str(posts[-1].message.blocks)

    def asks(self, schema: Mapping[str, Any] = SCHEMA) -> "asyncio.Task[Answer]":
        return asyncio.create_task(self.elicitor.asking(self.run, self.call, "files").form("For the order.", schema))


def entered(tx: Tx) -> Run:
    """The tool is granted as it is."""
    grants.put(tx, Grant("*", ASK, "allow", None, "", "tg:1", NOW))
    mcp_servers.add(tx, Server("files", "{}", True, None, "config", NOW))
    pins.put(tx, Pin(ASK, "files", "f1", "{}", None, None, "tg:1", NOW))
    return begin(tx)


async def nothing(_context: ToolContext, _given: Any) -> Output:
    return Output("done")


@asynccontextmanager
async def asking(store: Store) -> AsyncIterator[Asking]:
    tools = (tool(nothing),)
    parts = Parts(toolbox=Toolbox(BUILT_IN, lambda: tools))
    run = await store.tx(entered)
    call = await store.tx(parts.call, run, "mcp__files__ask", {}, "started")
    elicitor = parts.elicitor(store)
    store.listen(elicitor.heed)
    yield Asking(store, parts, run, call, elicitor)
    await elicitor.stop()


async def test_what_is_answered_has_the_types_of_the_schema(store: Store) -> None:
    async with asking(store) as at:
        answer = at.asks()
        question = await at.question
        card = await at.card(question)
        assert "The MCP server files asks" in card
        assert "These are its words, not ours." in card
        await at.press(question, "0/1")
        assert not answer.done()
        await at.press(question, "1/1")
        assert await answer == Accepted({"size": "l", "sure": False})
        assert "✓ Answered by Bob" in await at.card(question)
        found = await store.tx(calls.find, at.call.id)
        assert found is not None
        assert found.state == "started", "the call itself goes on"


async def test_what_is_left_out_is_not_among_the_answers(store: Store) -> None:
    async with asking(store) as at:
        answer = at.asks()
        question = await at.question
        await at.press(question, "0/0")
        await at.press(question, "1/skip")
        assert await answer == Accepted({"size": "s"})


async def test_a_no_is_told_to_the_server(store: Store) -> None:
    async with asking(store) as at:
        answer = at.asks()
        await at.press(await at.question, "-/decline")
        assert await answer == Declined()


async def test_what_nobody_answers_is_told_as_that(store: Store) -> None:
    async with asking(store) as at:
        answer = at.asks()
        question = await at.question
        await store.tx(at.parts.questioner.expire, question.expires_at)
        assert await answer == Cancelled()


async def test_a_run_that_is_stopped_takes_its_question_with_it(store: Store) -> None:
    async with asking(store) as at:
        answer = at.asks()
        question = await at.question
        await store.tx(at.parts.closer.cancel, at.run.id, BOB.id, "stopped", NOW)
        assert await answer == Cancelled()
        assert "Cancelled" in await at.card(question)
        assert await at.asks() == Cancelled(), "nothing is asked for a run that is over"


async def test_a_call_that_is_cut_off_withdraws_its_question(store: Store) -> None:
    async with asking(store) as at:
        answer = at.asks()
        question = await at.question
        answer.cancel()
        await asyncio.gather(answer, return_exceptions=True)
        await at.elicitor.stop()
        found = await store.tx(questions.find, question.id)
        assert found is not None
        assert (found.state, found.reason) == ("cancelled", "nobody waits for the answer any more")
        assert await at.asks() == Cancelled(), "nothing is asked while the service stops"


async def test_a_service_that_stops_withdraws_what_waits(store: Store) -> None:
    async with asking(store) as at:
        answer = at.asks()
        await at.question
        await at.elicitor.stop()
        assert await answer == Cancelled()


async def test_secrets_are_declined_at_once_and_the_requester_is_told(store: Store) -> None:
    async with asking(store) as at:
        secret = {"type": "object", "properties": {"x": {"type": "string", "title": "Your password"}}}
        assert await at.asks(secret) == Declined()
        assert await at.asks({"type": "object", "properties": {"x": {"type": "object"}}}) == Declined()
        told = [post.message for post in await store.tx(outbox.about, at.run.id) if post.key.startswith("turned-down:")]
        assert "asked for “Your password”. A chat is no place for secrets" in str(told[0])
        assert "asked for something that cannot be asked here" in str(told[1])
        assert not await store.tx(questions.pending_of_call, at.call.id)


async def test_an_address_is_shown_whole_and_agreed_to_or_not(store: Store) -> None:
    async with asking(store) as at:
        asks = at.elicitor.asking(at.run, at.call, "files")
        url = "http://user@xn--pypal-4ve.com:8080/sign-in?next=%2F"
        answer = asyncio.create_task(asks.url("Sign in first.", url))
        question = await at.question
        card = await at.card(question)
        assert url in card
        assert "xn--pypal-4ve.com:8080" in card
        for warning in ("may imitate others", "before the host", "not encrypted", "never will"):
            assert warning in card, warning
        assert "href=None" in card
        assert "href='" not in card
        await at.press(question, "-/agree")
        assert await answer == Accepted({})
        assert "✓ Agreed by Bob" in await at.card(question)
        answer = asyncio.create_task(asks.url("Sign in first.", "https://example.org/"))
        question = await at.question
        assert "⚠" not in await at.card(question)
        await at.press(question, "-/decline")
        assert await answer == Declined()


async def test_a_restart_in_the_middle_closes_the_question_and_its_call_is_made_again_only_if_it_reads(
    store: Store,
) -> None:
    async with asking(store) as at:
        answer = at.asks()
        question = await at.question
        dead = replace(at.call, repeatable=False)
        await at.parts.caller(store).make(at.run, dead)  # as the next process finds it
        assert await answer == Cancelled()
        found = await store.tx(questions.find, question.id)
        call = await store.tx(calls.find, at.call.id)
        assert found is not None
        assert call is not None
        assert (found.state, found.reason, call.failure) == ("cancelled", "the service restarted", "unknown_outcome")


async def test_a_tool_of_a_server_asks_and_reports_through_its_context(store: Store) -> None:
    """In the status line, in one line, and no words of a server longer than that."""
    seen: list[Answer] = []

    async def handle(context: ToolContext, _given: Any) -> Output:
        assert context.ask is not None
        assert context.progress is not None
        seen.append(await context.ask.form("For the order.", SCHEMA))
        await context.progress(3, 10, "copying\n\u202efiles " + "x" * 200)
        return Output("done")

    tools = (tool(handle),)
    parts = Parts(toolbox=Toolbox(BUILT_IN, lambda: tools))
    run = await store.tx(entered)
    call = await store.tx(parts.call, run, "mcp__files__ask", {})
    elicitor = parts.elicitor(store)
    store.listen(elicitor.heed)
    caller = Caller(store, parts.toolbox, parts.skillsets, parts.asker, parts.questioner, elicitor, lambda: NOW)
    made = asyncio.create_task(caller.make(run, call))
    at = Asking(store, parts, run, call, elicitor)
    question = await at.question
    await at.press(question, "0/0")
    await at.press(question, "1/0")
    await made
    assert seen == [Accepted({"size": "s", "sure": True})]


async def test_progress_stands_in_the_status_line(store: Store) -> None:
    platform = Platform()
    presence = Presence(store, lambda _channel: Reach.of(platform), lambda: NOW)
    elicitor = Elicitor(store, Parts().questioner, presence, Patience(), lambda: NOW)
    run = await store.tx(begin)
    call = await store.tx(Parts().call, run, "list_notes", {}, "started")
    assert await store.tx(outbox.find, status_key(run.id)) is None

    async def work() -> None:
        presence.now(run, "acting", call.tool)
        await elicitor.progress(run, call, "ask")(3, 10, "copying\n\u202efiles " + "x" * 200)
        assert presence.line(run) == ("… ask: 3 of 10, copying \\u202efiles " + "x" * 200)[:121] + "…"
        await elicitor.progress(run, call, "ask")(float("nan"), None, "counting")
        assert presence.line(run) == "… ask: counting"
        presence.now(run, "thinking", None)
        assert presence.line(run) == "… thinking"

    await presence.during(run, work())


async def test_the_time_of_a_run_stands_still_while_it_waits_for_a_person() -> None:
    patience = Patience()
    waited = []

    async def work() -> None:
        async with patience.limit("run_1", 0.1):
            with patience.waiting("run_1"), patience.waiting("run_1"):
                await asyncio.sleep(0.3)  # longer than the limit
            waited.append(patience.waited_s("run_1"))
            await asyncio.Event().wait()  # what was left of it runs on

    with pytest.raises(TimeoutError):
        await work()
    assert 0.29 < waited[0] < PATIENCE_S
    with patience.waiting("run_1"):
        assert patience.waited_s("run_1") == 0.0
