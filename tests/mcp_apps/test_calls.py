"""Another program calls with a task token: what it may, how it asks, and what it hears."""

import asyncio
import json
import time

import pytest

from bot.closer import SERVICE
from bot.domain.capability import Grant
from bot.store import approvals, audit, calls, entries, grants, outbox, outside, runs, task_tokens
from bot.store.database import Tx
from tests.bot.parts import CHAT, GUIDE, queue
from tests.mcp_apps.stall import ERAS, Stall, said

MILK = {"text": "milk"}


def outside_runs(tx: Tx) -> list[str]:
    return [run.id for run in outside.forsaken(tx, float("inf"))]


@pytest.mark.parametrize("mode", ERAS)
async def test_a_program_lists_and_reads_in_both_eras(stall: Stall, mode: str) -> None:
    token = await stall.token()
    assert await stall.names("notes", token, mode) == ["list_notes", "add_note", "delete_note"]
    result = await stall.call("notes", token, "list_notes", mode=mode)
    assert said(result) == "There are no notes."
    assert not result.is_error


async def test_the_tools_say_what_they_do_and_take(stall: Stall) -> None:
    async with stall.client("notes", await stall.token()) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert client.instructions is not None
    hints = {name: tool.annotations for name, tool in listed.items() if tool.annotations is not None}
    assert (hints["list_notes"].read_only_hint, hints["add_note"].read_only_hint) == (True, False)
    assert hints["delete_note"].destructive_hint
    assert listed["add_note"].input_schema["additionalProperties"] is False


@pytest.mark.parametrize("mode", ERAS)
async def test_a_write_asks_in_the_runs_chat_and_runs_exactly_what_was_shown(stall: Stall, mode: str) -> None:
    token = await stall.token()
    call = asyncio.create_task(stall.call("notes", token, "add_note", MILK, mode))
    approval = await stall.card()
    assert approval.conversation == CHAT.key
    assert (approval.arguments, approval.requested_by) == ('{"text":"milk"}', stall.run.user)
    assert len(await stall.store.tx(outbox.about, approval.id)) == 1, "it has its card"
    assert not call.done()
    assert await stall.kept() == 0
    await stall.decide(approval, approve=True)
    assert "was added" in said(await call)
    assert await stall.kept() == 1
    assert not await stall.store.tx(outside_runs)


async def test_a_rejection_is_told_with_its_reason_and_not_asked_again(stall: Stall) -> None:
    token = await stall.token()
    call = asyncio.create_task(stall.call("notes", token, "add_note", MILK))
    await stall.decide(await stall.card(), approve=False, reason="not now")
    result = await call
    assert result.is_error
    assert "Rejected by Ann (not now). It was not executed." in said(result)
    assert (result.meta or {})["askfirst/failure"] == "rejected"
    again = await stall.call("notes", await stall.token(), "add_note", MILK)
    assert "rejected before" in said(again)
    assert await stall.kept() == 0


async def test_what_nobody_decides_in_time_is_not_done(stall: Stall) -> None:
    call = asyncio.create_task(stall.call("notes", await stall.token(), "add_note", MILK))
    approval = await stall.card()
    await stall.store.tx(stall.parts.approver.expire, approval.expires_at + 1)
    result = await call
    assert result.is_error
    assert "not executed" in said(result)
    assert await stall.kept() == 0


@pytest.mark.parametrize("mode", ERAS)
async def test_a_program_that_hangs_up_withdraws_its_question(stall: Stall, mode: str) -> None:
    call = asyncio.create_task(stall.call("notes", await stall.token(), "add_note", MILK, mode))
    approval = await stall.card()
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    await stall.until(lambda tx: not approvals.pending(tx, 1))
    closed = await stall.store.tx(approvals.find, approval.id)
    assert closed is not None
    assert (closed.state, closed.reason) == ("cancelled", "the program that asked has gone")
    assert (await stall.decide(closed, approve=True)).startswith("Too late: Cancelled")
    assert await stall.kept() == 0


async def test_the_end_of_its_run_ends_a_call_that_waits(stall: Stall) -> None:
    call = asyncio.create_task(stall.call("notes", await stall.token(), "add_note", MILK))
    await stall.card()
    stopped, begun = await stall.store.tx(stall.parts.closer.stop, CHAT.key, "tg:5", time.time())
    assert (stopped, begun) == (1, []), "one message was being worked on: the call is no message"
    result = await call
    assert result.is_error
    assert said(result) == "Cancelled (stopped). It was not executed."
    assert not await stall.store.tx(outside_runs)


async def test_a_call_ends_with_its_run_alone(stall: Stall) -> None:
    mine = asyncio.create_task(stall.call("notes", await stall.token(), "add_note", MILK))
    approval = await stall.card()
    others = asyncio.create_task(stall.call("notes", await stall.personal(), "add_note", {"text": "tea"}))
    await stall.until(lambda tx: len(approvals.pending(tx, 9)) == 2)
    await stall.store.tx(stall.parts.closer.cancel, stall.run.id, "api:admin", "enough", time.time())
    assert said(await mine) == "Cancelled (enough). It was not executed."
    [left] = await stall.store.tx(approvals.pending, 9)
    assert left.id != approval.id
    await stall.decide(left, approve=True)
    assert not (await others).is_error


async def test_a_call_of_another_program_stands_in_nobodys_way(stall: Stall) -> None:
    """It is no part of the queue: neither is it claimed, nor does a message wait behind it."""
    token = await stall.personal()
    call = asyncio.create_task(stall.call("notes", token, "add_note", MILK))
    approval = await stall.card()
    assert await stall.store.tx(runs.waiting_line, CHAT.key) == [(stall.run.id, "running")]
    claimed = await stall.store.tx(runs.claim, CHAT.key)
    assert claimed is not None
    assert claimed.id == stall.run.id
    assert CHAT.key in await stall.store.tx(runs.drivable)
    await stall.store.tx(runs.end, stall.run.id, "completed", time.time())
    assert await stall.store.tx(runs.drivable) == []
    assert await stall.store.tx(runs.claim, CHAT.key) is None
    later = await stall.store.tx(queue)
    claimed = await stall.store.tx(runs.claim, CHAT.key)
    assert claimed is not None
    assert claimed.id == later, "what was asked for before it is no message before it"
    await stall.store.tx(runs.end, later, "completed", time.time())
    assert await stall.store.tx(stall.parts.closer.stop, CHAT.key, "tg:5", time.time()) == (1, [])
    assert (await call).is_error
    assert approval.run_id not in await stall.store.tx(outside_runs)


async def test_a_program_that_asks_for_progress_hears_what_it_waits_for(stall: Stall) -> None:
    heard: list[str | None] = []
    waits = asyncio.Event()

    async def note(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)
        waits.set()

    async with stall.client("notes", await stall.token()) as client:
        call = asyncio.create_task(client.call_tool("add_note", MILK, progress_callback=note))
        approval = await stall.card()
        await asyncio.wait_for(waits.wait(), 10)
        await stall.decide(approval, approve=True)
        await call
    assert heard[0] == f"Waiting for a decision in the chat, code {approval.code}."


async def test_grants_act_at_the_call_and_hide_what_is_denied(stall: Stall) -> None:
    token = await stall.token()
    await stall.store.tx(stall.parts.granter.revoke, GUIDE.id, "builtin/list_notes", "tg:1", time.time())
    assert await stall.names("notes", token) == ["add_note", "delete_note"]
    assert await stall.refusal("notes", token, "list_notes") == "Unknown tool: list_notes. Nothing was done."
    [entry] = [link for link in await stall.store.tx(audit.latest, 20) if link.action == "outside_call_refused"]
    assert entry.subject == "list_notes"


async def test_what_is_revoked_while_it_waits_is_not_done(stall: Stall) -> None:
    call = asyncio.create_task(stall.call("notes", await stall.token(), "add_note", MILK))
    await stall.card()
    await stall.store.tx(stall.parts.granter.revoke, GUIDE.id, "builtin/add_note", "tg:1", time.time())
    result = await call
    assert result.is_error
    assert await stall.kept() == 0


async def test_what_was_asked_for_with_a_token_that_has_ended_since_is_not_done(stall: Stall) -> None:
    token = await stall.token()
    made = await stall.store.tx(task_tokens.use, token, time.time())
    assert made is not None
    call = asyncio.create_task(stall.call("notes", token, "add_note", MILK))
    approval = await stall.card()
    await stall.store.tx(task_tokens.revoke, made.id, time.time())
    await stall.decide(approval, approve=True)
    result = await call
    assert said(result) == "Cancelled (the task token has ended). It was not executed."
    assert await stall.kept() == 0


async def test_a_token_that_is_revoked_closes_what_waits_for_it_alone(stall: Stall) -> None:
    mine, others = await stall.token(), await stall.token()
    made = await stall.store.tx(task_tokens.use, mine, time.time())
    assert made is not None
    call = asyncio.create_task(stall.call("notes", mine, "add_note", MILK))
    approval = await stall.card()
    other = asyncio.create_task(stall.call("notes", others, "add_note", {"text": "tea"}))
    await stall.until(lambda tx: len(approvals.pending(tx, 9)) == 2)
    await stall.store.tx(stall.parts.closer.token_gone, made.id, "api:admin", "revoked", time.time())
    assert said(await call) == "Cancelled (revoked). It was not executed."
    assert (await stall.decide(approval, approve=True)).startswith("Too late")
    [left] = await stall.store.tx(approvals.pending, 9)
    await stall.decide(left, approve=True)
    assert not (await other).is_error


async def test_nothing_that_another_program_writes_goes_unasked(stall: Stall) -> None:
    """Whatever it has read may have led it: `auto` is for what is asked for in the chat."""
    now = time.time()
    row = Grant(GUIDE.id, "builtin/add_note", "auto", now + 3600, "", "tg:1", now)
    await stall.store.tx(grants.put, row)
    call = asyncio.create_task(stall.call("notes", await stall.token(), "add_note", MILK))
    approval = await stall.card()
    assert await stall.store.tx(runs.wary_because, approval.run_id) == "what another program sent"
    await stall.decide(approval, approve=True)
    await call


@pytest.mark.parametrize(
    "arguments", [{}, {"text": 3}, {"text": "x", "more": 1}], ids=["missing", "another kind", "unknown"]
)
async def test_arguments_that_do_not_fit_are_refused_before_anybody_is_asked(
    stall: Stall, arguments: dict[str, object]
) -> None:
    result = await stall.call("notes", await stall.token(), "add_note", arguments)
    assert result.is_error
    assert "Nothing was done" in said(result)
    assert not await stall.store.tx(approvals.pending, 1)


async def test_a_tool_of_another_app_is_not_here(stall: Stall) -> None:
    assert "Unknown tool" in await stall.refusal("notes", await stall.token(), "read_persona_memories")


async def test_silent_exit_ends_the_run_of_the_token_without_a_reply(stall: Stall) -> None:
    result = await stall.call("system", await stall.token(), "silent_exit")
    assert not result.is_error
    assert await stall.store.tx(runs.silent, stall.run.id)


async def test_silent_exit_without_a_run_ends_nothing_and_says_so(stall: Stall) -> None:
    result = await stall.call("system", await stall.personal(), "silent_exit")
    assert result.is_error
    assert "belongs to no run" in said(result)


async def test_a_call_that_was_left_behind_is_ended_honestly(stall: Stall) -> None:
    """By the next start, or when its process has shown no sign of life for a minute."""
    now = time.time()

    def left_behind(tx: Tx) -> str:
        opened = outside.Opened(
            "run_left", "task_x", None, CHAT.key, "tg", GUIDE.id, "tg:5", "Bob", True, "x", now - 600
        )
        run = outside.add(tx, opened)
        call = stall.parts.call(tx, run, "add_note", {"text": "milk"}, "started")
        return call.id

    call_id = await stall.store.tx(left_behind)
    await stall.outsider.settle(now - 60)
    call = await stall.store.tx(calls.find, call_id)
    assert call is not None
    assert call.failure == "unknown_outcome"
    assert not await stall.store.tx(runs.alive, "run_left")
    [post] = await stall.store.tx(outbox.about, "run_left")
    assert "Unknown outcome" in str(post.body)


async def test_a_call_that_this_process_sees_to_is_not_taken_for_left_behind(stall: Stall) -> None:
    call = asyncio.create_task(stall.call("notes", await stall.token(), "add_note", MILK))
    approval = await stall.card()
    await stall.outsider.settle(time.time() + 3600)
    assert await stall.store.tx(runs.alive, approval.run_id)
    await stall.store.tx(stall.parts.closer.cancel, approval.run_id, SERVICE, "enough", time.time())
    assert (await call).is_error


async def test_a_service_that_stops_withdraws_what_waits_and_says_so(stall: Stall) -> None:
    call = asyncio.create_task(stall.call("notes", await stall.token(), "add_note", MILK))
    approval = await stall.card()
    async with asyncio.timeout(5):
        await stall.mounts.stop()
        result = await call
    assert said(result) == "Cancelled (the service stopped). It was not executed."
    closed = await stall.store.tx(approvals.find, approval.id)
    assert closed is not None
    assert closed.state == "cancelled"


async def test_the_log_of_a_call_names_its_token_and_its_run(stall: Stall) -> None:
    await stall.call("notes", await stall.token(), "list_notes")
    links = await stall.store.tx(audit.latest, 20)
    assert [link.subject for link in links if link.action == "tool_called"] == ["builtin/list_notes"]
    made = next(link for link in links if link.action == "task_token_made")
    run_id = json.loads(next(link for link in links if link.action == "tool_called").detail)["run"]
    assert stall.run.id in made.detail
    [begun] = await stall.store.tx(entries.of_runs, [run_id], ("started",))
    assert (begun.body["token"], begun.body["within"]) == (made.subject, stall.run.id)
