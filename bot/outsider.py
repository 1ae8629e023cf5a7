"""Lets another program call a tool with a task token: one run of one call, asked about and made like any other."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from gettext import gettext as _
from typing import Any, Literal

from bot.caller import GRACE_S, UNKNOWN_RESTART, Caller, Outcome
from bot.clock import Clock
from bot.closer import SERVICE, Closer
from bot.domain.run import SILENT_EXIT, Call, Run
from bot.domain.task_token import TaskToken
from bot.errors import Fenced
from bot.hatch import Hatch
from bot.log import logger
from bot.replier import Replier
from bot.store import approvals, calls, entries, outside, runs, task_tokens
from bot.store.database import Signal, Store, Tx
from bot.store.entries import Entry
from bot.supervisor import Crash, attempt
from bot.tools.tool import Tool

log = logger("askfirst.outsider")

BEAT_S = 5.0
"""How often a call that waits is looked at although nothing was signalled: on PostgreSQL another machine may have taken
the decision."""

FIRST_TOLD_S = 0.2
"""After this a program is told that its call waits; most are answered sooner."""

FORSAKEN_AFTER_S = 60.0
"""A call without a sign of life for this long belongs to a process that is gone."""

LOOK_S = 15.0

SETTLED: frozenset[str] = frozenset({"rejected", "expired"})
"""Somebody's decision, or none: the run has ended as it should."""

Told = Callable[[str], Awaitable[None]]
"""Hears what a call waits for, again and again while it waits."""


@dataclass(slots=True)
class _Live:
    """A call that is seen to here. `waits_for`: what to tell the program meanwhile."""

    run: Run
    token_id: str
    stirred: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[Outcome] | None" = None
    waits_for: str = ""
    bare: bool = False
    """Its token has ended before it was begun."""


class Outsider:
    def __init__(
        self, store: Store, hatch: Hatch, caller: Caller, closer: Closer, replier: Replier, clock: Clock
    ) -> None:
        self._store = store
        self._hatch = hatch
        self._caller = caller
        self._closer = closer
        self._replier = replier
        self._clock = clock
        self._live: dict[str, _Live] = {}
        self._leaving: set[asyncio.Task[bool | None]] = set()
        self._stopping = False

    async def admit(self, secret: str) -> TaskToken | None:
        """The token that this is the secret of, if it is alive."""
        return await self._store.light(self._hatch.admit, secret, self._clock())

    async def offered(self, token: TaskToken, names: Collection[str]) -> tuple[Tool, ...]:
        """Those of these tools that may be called with it now."""
        return await self._store.light(self._hatch.offered, token.id, names, self._clock())

    async def call(
        self, token: TaskToken, names: Collection[str], tool: str, arguments: dict[str, Any], told: Told
    ) -> Outcome | None:
        """Call one of these tools and wait for its end, which may be a person's decision. None: it is not offered.

        Whoever stops waiting withdraws what was not begun: the card is closed.
        """
        if self._stopping:
            return Outcome(_("The service is stopping. Nothing was done."), "unavailable")
        opened = await self._store.tx(self._hatch.open, token.id, names, tool, arguments, self._clock())
        if opened is None or isinstance(opened, Outcome):
            return opened
        live = _Live(opened, token.id)
        self._live[opened.id] = live
        live.task = asyncio.create_task(self._see_to(live), name=f"outside call {tool}")
        pause = FIRST_TOLD_S
        try:
            while not live.task.done():
                await asyncio.wait([live.task], timeout=pause)
                pause = BEAT_S
                if not live.task.done() and live.waits_for:
                    await told(live.waits_for)
        finally:
            if not live.task.done():
                self._withdraw(live, _("the program that asked has gone"))
        return live.task.result()

    def heed(self, signal: Signal) -> None:
        """A call was decided, or its run was ended."""
        live = self._live.get(signal.subject)
        if live is not None and signal.topic in ("decided", "cancel"):
            live.stirred.set()

    async def run(self) -> None:
        """End what belongs to processes that are gone, until cancelled."""
        while True:
            await self.settle(self._clock() - FORSAKEN_AFTER_S)
            await asyncio.sleep(LOOK_S)

    async def settle(self, before: float) -> None:
        """End what had no sign of life since then: its program hears nothing any more."""
        await self._store.tx(self._settle, before, frozenset(self._live), self._clock())

    async def stop(self) -> None:
        """What waits is withdrawn, what was begun is given a moment to end."""
        self._stopping = True
        tasks: list[asyncio.Task[Any]] = [live.task for live in self._live.values() if live.task is not None]
        for live in self._live.values():
            self._withdraw(live, _("the service stopped"))
        tasks += self._leaving
        if tasks:
            await asyncio.wait(tasks, timeout=GRACE_S)

    async def _see_to(self, live: _Live) -> Outcome:
        done = await attempt(f"outside call {live.run.id}", self._to_the_end(live))
        del self._live[live.run.id]
        if not isinstance(done, Crash):
            return done
        words = _(
            "Something broke on our side. Look whether it was done. An admin finds the cause in the log under {run}."
        )
        said = words.format(run=live.run.id)
        await attempt(f"end {live.run.id}", self._store.tx(self._broken, live.run, said))
        return Outcome(said, "unknown_outcome")

    async def _to_the_end(self, live: _Live) -> Outcome:
        while True:
            live.stirred.clear()
            call = await self._store.light(self._look, live)
            if call is None or call.answered:
                return await self._store.tx(self._end, live.run, call)
            if live.bare:
                await self._store.tx(self._cancel_unbegun, live.run, _("the task token has ended"))
                continue
            if call.state != "waiting":
                live.waits_for = ""
                await self._make(live.run, call)
                continue
            try:
                async with asyncio.timeout(BEAT_S):
                    await live.stirred.wait()
            except TimeoutError:
                continue

    async def _make(self, run: Run, call: Call) -> None:
        try:
            await self._caller.make(run, call)
        except Fenced:  # it was ended from outside: what is known of it is read again
            return

    def _look(self, tx: Tx, live: _Live) -> Call | None:
        """The call as it stands, the run let go of while a person decides; None where the run was ended."""
        now = self._clock()
        run = live.run
        runs.hold(tx, run.id)
        if not runs.alive(tx, run.id):
            return None
        outside.beat(tx, run.id, now)
        [call] = calls.of_runs(tx, [run.id])
        live.bare = call.state in ("waiting", "ready") and task_tokens.alive(tx, live.token_id, now) is None
        if call.state == "waiting":
            fresh = runs.find(tx, run.id)
            if fresh is not None and fresh.state == "running":
                runs.suspend(tx, run)
            live.waits_for = _waits_for(tx, run)
        return call

    def _end(self, tx: Tx, run: Run, seen: Call | None) -> Outcome:
        """The run ends with its call, in words that the program can rely on."""
        now = self._clock()
        [call] = calls.of_runs(tx, [run.id])
        if seen is None or not runs.alive(tx, run.id):
            return _ended_from_outside(call, runs.why_ended(tx, run.id))
        failed = call.failure is not None and call.failure not in SETTLED
        message = call.result if failed else None
        code = call.failure if failed else None
        if call.tool == SILENT_EXIT and call.failure is None:
            self._hatch.silence(tx, run)
        state: Literal["failed", "completed"] = "failed" if failed else "completed"
        runs.end(tx, run.id, state, now, code, message)
        body = {"code": code, "message": message} if failed else {"silent": True}
        entries.add(tx, Entry(run.id, state, None, now, body))
        tx.tell("ended", f"{state} {run.id}")
        if failed and approvals.agreed_to(tx, call.id, call.digest) is not None:
            words = _("{tool} was approved and not done: {why}")
            if call.failure == "unknown_outcome":
                words = _("{tool} was approved. {why}")
            self._replier.sentence(tx, run, words.format(tool=call.tool, why=call.result), now)
        return Outcome(call.result or "", call.failure)  # type: ignore[arg-type]  # written by Caller, from its codes

    def _broken(self, tx: Tx, run: Run, said: str) -> None:
        self._closer.cancel(tx, run.id, SERVICE, said, self._clock())

    def _withdraw(self, live: _Live, reason: str) -> None:
        """In a task of its own: whoever waited may be on its way out."""
        task = asyncio.create_task(
            self._store.tx(self._cancel_unbegun, live.run, reason), name=f"withdraw {live.run.id}"
        )
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    def _cancel_unbegun(self, tx: Tx, run: Run, reason: str) -> bool:
        runs.hold(tx, run.id)
        begun = any(call.state == "started" for call in calls.of_runs(tx, [run.id]))
        return not begun and self._closer.cancel(tx, run.id, SERVICE, reason, self._clock())

    def _settle(self, tx: Tx, before: float, ours: frozenset[str], now: float) -> None:
        for run in outside.forsaken(tx, before):
            if run.id in ours:
                continue
            for call in calls.of_runs(tx, [run.id]):
                if call.state == "started" and not call.repeatable:
                    self._unknown(tx, run, call, now)
            self._closer.cancel(tx, run.id, SERVICE, _("the service restarted"), now)

    def _unknown(self, tx: Tx, run: Run, call: Call, now: float) -> None:
        """It was begun, and nobody knows how it ended: the program is gone, so the chat is told."""
        calls.answer(tx, call.id, "started", "done", UNKNOWN_RESTART, "unknown_outcome")
        body = {"call": call.id, "tool": call.tool, "failure": "unknown_outcome"}
        entries.add(tx, Entry(run.id, "tool_finished", None, now, body))
        self._replier.sentence(tx, run, f"{call.tool}: {_(UNKNOWN_RESTART)}", now)


def _waits_for(tx: Tx, run: Run) -> str:
    for approval in approvals.pending_of_run(tx, run.id):
        return _("Waiting for a decision in the chat, code {code}.").format(code=approval.code)
    return _("Waiting for an answer in the chat.")


def _ended_from_outside(call: Call, why: str) -> Outcome:
    if call.answered and call.result is not None:
        return Outcome(call.result, call.failure)  # type: ignore[arg-type]  # written by Caller, from its codes
    if call.state == "started" and not call.repeatable:
        words = _("Unknown outcome: the run was ended during this call ({why}). It may or may not have happened.")
        return Outcome(words.format(why=why), "unknown_outcome")
    return Outcome(_("Cancelled ({why}). It was not executed.").format(why=why), "cancelled")
