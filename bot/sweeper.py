"""What must happen although nobody asks: expiry, reminders, forgotten work, old rows."""

import asyncio

from bot.approver import Approver
from bot.asker import Asker
from bot.clock import Clock
from bot.courier import Courier
from bot.dispatch.dispatcher import Dispatcher
from bot.domain.run import RunState
from bot.granter import Granter
from bot.metrics import Metrics
from bot.questioner import Questioner
from bot.store import approvals, buttons, files, inbox, outbox, runs, task_tokens
from bot.store.database import Store, Tx

TICK_S = 1.0
WORK_S = 15.0
TIDY_S = 3600.0
OUTBOX_KEPT_S = 30 * 24 * 3600

OPEN_STATES: tuple[RunState, ...] = ("queued", "running", "waiting_approval", "waiting_input")


class Sweeper:
    def __init__(
        self,
        store: Store,
        granter: Granter,
        asker: Asker,
        approver: Approver,
        questioner: Questioner,
        dispatcher: Dispatcher,
        courier: Courier,
        clock: Clock,
        metrics: Metrics,
    ) -> None:
        self._store = store
        self._granter = granter
        self._asker = asker
        self._approver = approver
        self._questioner = questioner
        self._dispatcher = dispatcher
        self._courier = courier
        self._clock = clock
        self._metrics = metrics

    async def run(self) -> None:
        """Until cancelled."""
        now = self._clock()
        next_work, next_tidy = now + WORK_S, now
        while True:
            now = self._clock()
            await self._store.tx(self._tick, now)
            if now >= next_work:
                await self._dispatcher.sweep()
                await self._courier.sweep()
                next_work = now + WORK_S
            if now >= next_tidy:
                await self._store.tx(_tidy, now)
                next_tidy = now + TIDY_S
            await asyncio.sleep(TICK_S)

    def _tick(self, tx: Tx, now: float) -> None:
        self._granter.end_past(tx, now)
        self._approver.expire(tx, now)
        self._asker.escalate(tx, now)
        self._asker.remind(tx, now)
        self._questioner.expire(tx, now)
        self._questioner.remind(tx, now)

    async def count(self) -> None:
        """Bring the gauges up to date: asked for when they are read."""
        by_state, waiting = await self._store.tx(lambda tx: (runs.count_by_state(tx), approvals.count_pending(tx)))
        for state in OPEN_STATES:
            self._metrics.runs.labels(state).set(by_state.get(state, 0))
        self._metrics.waiting_approvals.set(waiting)


def _tidy(tx: Tx, now: float) -> None:
    inbox.forget_old(tx, now)
    buttons.forget_old(tx, now)
    outbox.forget_old(tx, now - OUTBOX_KEPT_S)
    files.forget_old(tx, now)
    task_tokens.forget_old(tx, now)
