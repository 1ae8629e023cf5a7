"""Takes runs, one at a time per conversation, and sees each to its end, its wait, or its successor's hands."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from gettext import gettext as _
from typing import TypeVar

import structlog

from bot.agent import Agent, Position
from bot.answers import Answers
from bot.clock import Clock
from bot.domain.run import MAX_ATTEMPTS, Run
from bot.errors import AskfirstError, Fenced, StoreUnavailable
from bot.log import logger
from bot.metrics import Metrics
from bot.presence import Presence
from bot.store import entries, runs
from bot.store.database import Signal, Store, Tx
from bot.store.entries import Entry
from bot.supervisor import Crash, attempt

log = logger("askfirst.runner")

T = TypeVar("T")

STORE_PAUSE_S = 1.0
"""Before a run is taken up again after the database failed in the middle of it."""


class _Driven(AskfirstError):
    """The run is being worked on right here, under the id that its chat had before."""

    def __init__(self, run_id: str) -> None:
        super().__init__(run_id)
        self.run_id = run_id


@dataclass(frozen=True, slots=True)
class _Live:
    task: "asyncio.Task[None]"
    decided: asyncio.Event


class Runner:
    def __init__(
        self, store: Store, agent: Agent, answers: Answers, presence: Presence, clock: Clock, metrics: Metrics
    ) -> None:
        self._store = store
        self._agent = agent
        self._answers = answers
        self._presence = presence
        self._clock = clock
        self._metrics = metrics
        self._live: dict[str, _Live] = {}
        self._early: dict[str, list[Signal]] = {}
        """What was signalled while a conversation's run is claimed, which may be about that run."""

    async def take(self, conversation: str) -> bool:
        """Work on the next run of a conversation; False if there is none that can be worked on."""
        self._early[conversation] = []
        try:
            claimed = await self._next(conversation)
            if claimed is None:
                return False
            await self._drive(*claimed, self._early.pop(conversation))
        except _Driven as driven:
            live = self._live.get(driven.run_id)
            if live is not None:
                await asyncio.wait([live.task])
        except StoreUnavailable as error:
            log.error("the database failed", conversation=conversation, cause=repr(error.__cause__)[:300])
            await asyncio.sleep(STORE_PAUSE_S)
        finally:
            self._early.pop(conversation, None)
        return True

    def heed(self, signal: Signal) -> None:
        """A call of a run was decided, or a run has ended."""
        if signal.topic == "ended":
            self._metrics.runs_ended.labels(signal.subject.partition(" ")[0]).inc()
        for early in self._early.values():
            early.append(signal)
        self._wake(signal)

    def _wake(self, signal: Signal) -> None:
        live = self._live.get(signal.subject)
        if live is None:
            return
        if signal.topic == "decided":
            live.decided.set()
        if signal.topic == "cancel":
            live.task.cancel()

    async def _next(self, conversation: str) -> tuple[Run, Position | None] | None:
        """Claim a run and look where it stands in one commit; if looking fails, the claim is made alone, so that the
        attempt counts and the failure is the run's."""
        claimed = await attempt("claim", _foreseen(self._store.light(self._claim_and_look, conversation)))
        if isinstance(claimed, _Driven | StoreUnavailable):
            raise claimed
        if not isinstance(claimed, Crash):
            return claimed
        run = await self._store.light(self._claim, conversation)
        return None if run is None else (run, None)

    def _claim_and_look(self, tx: Tx, conversation: str) -> tuple[Run, Position] | None:
        run = self._claim(tx, conversation)
        return None if run is None else (run, self._agent.look(tx, run))

    def _claim(self, tx: Tx, conversation: str) -> Run | None:
        while (run := runs.claim(tx, conversation)) is not None:
            if run.id in self._live:
                raise _Driven(run.id)
            if run.attempts <= MAX_ATTEMPTS:
                if run.epoch == 1:
                    entries.add(tx, Entry(run.id, "started", None, self._clock(), {}))
                return run
            message = _("Working on this message brought the service down {count} times, so I gave up on it.")
            self._answers.fail(tx, run, "crashed", message.format(count=MAX_ATTEMPTS), self._clock())
        return None

    async def _drive(self, run: Run, at: Position | None, early: list[Signal]) -> None:
        with structlog.contextvars.bound_contextvars(run=run.id, session=run.session_id, conversation=run.conversation):
            decided = asyncio.Event()
            task = asyncio.create_task(self._work(run, at, decided), name=f"run {run.id}")
            self._live[run.id] = _Live(task, decided)
            for signal in early:
                self._wake(signal)
            try:
                outcome = await attempt("run", asyncio.shield(task))
            except asyncio.CancelledError:
                await self._cancelled(run, task)
                return
            finally:
                del self._live[run.id]
            if isinstance(outcome, Crash):
                await self._crashed(run, outcome)

    async def _work(self, run: Run, at: Position | None, decided: asyncio.Event) -> None:
        try:
            await self._presence.during(run, self._agent.drive(run, at, decided))
        except Fenced:  # someone else drives the run, or it has ended: there is nothing left to do
            log.info("a run was taken over or ended meanwhile")

    async def _cancelled(self, run: Run, task: "asyncio.Task[None]") -> None:
        """The run was ended from outside (its task is done), or we are to stop (then the run is let go of)."""
        if task.cancelled():
            return
        task.cancel()
        await asyncio.wait([task])
        await self._store.tx(runs.release, run)
        raise asyncio.CancelledError

    async def _crashed(self, run: Run, crash: Crash) -> None:
        if isinstance(crash.error, StoreUnavailable):
            await asyncio.sleep(STORE_PAUSE_S)
            await self._store.tx(runs.release, run)  # the database's trouble is no fault of the run
            raise crash.error
        message = _(
            "Something broke on our side, so this was not finished. An admin finds the cause in the log under {run}."
        )
        try:
            await self._store.tx(self._answers.fail, run, "internal", message.format(run=run.id), self._clock())
        except Fenced:
            return


async def _foreseen(claim: Awaitable[T]) -> T | _Driven | StoreUnavailable:
    """These two are no crash of the claim."""
    try:
        return await claim
    except (_Driven, StoreUnavailable) as error:
        return error
