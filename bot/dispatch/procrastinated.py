"""Many machines: procrastinate runs one job at a time for each conversation, deferred in the accepting transaction."""

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import procrastinate
from procrastinate.exceptions import ConnectorException

from bot.dispatch.dispatcher import Dispatcher, Take
from bot.errors import StoreUnavailable
from bot.log import logger
from bot.store import jobs
from bot.store.database import PostgresStore, Signal
from bot.store.lifeline import Lifeline

log = logger("askfirst.dispatch")

HEARTBEAT_S = 2.0
STALLED_AFTER_S = 6.0
POLL_S = 2.0
"""A retried job is not notified (only an inserted one is), so this bounds how long it waits."""


class Procrastinated:
    def __init__(self, store: PostgresStore, parallel: int) -> None:
        self._store = store
        self._parallel = parallel
        self._take: Take | None = None
        self._app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=store.libpq_url))
        self._job = self._app.task(name="drain", pass_context=True)(self._drain)
        self._lifeline = Lifeline(store.libpq_url)
        self._worker: asyncio.Task[None] | None = None
        store.before_commit = self._defer

    async def start(self, take: Take) -> None:
        self._take = take
        await self._app.open_async()
        await self.sweep()
        self._worker = asyncio.create_task(
            self._app.run_worker_async(
                concurrency=self._parallel,
                update_heartbeat_interval=HEARTBEAT_S,
                stalled_worker_timeout=STALLED_AFTER_S,
                fetch_job_polling_interval=POLL_S,
                delete_jobs="successful",
                install_signal_handlers=False,
                shutdown_graceful_timeout=0,
            ),
            name="procrastinate worker",
        )

    def heed(self, signal: Signal) -> None:
        """Nothing to do: the job was deferred within the transaction."""

    async def sweep(self) -> None:
        """What a process that is gone had begun is retried, and what a frozen one let stall; a conversation with work
        and no job gets one. One process sweeps at a time."""
        await self._lifeline.renew()
        manager = self._app.job_manager
        try:
            for job_id in await self._store.tx(jobs.abandoned):
                await manager.retry_job_by_id_async(job_id, datetime.now(UTC))
            for job in await manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_AFTER_S):
                await manager.retry_job(job)
        except ConnectorException as error:
            raise StoreUnavailable("The database cannot be used just now.") from error
        await self._store.tx(jobs.tell_orphans)

    async def stop(self) -> None:
        self._take = None
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        await self._lifeline.close()
        await self._app.close_async()

    async def _drain(self, context: procrastinate.JobContext, conversation: str) -> None:
        if context.job.worker_id is not None:
            await self._lifeline.hold(context.job.worker_id)
        while self._take is not None and await self._take(conversation):
            pass

    async def _defer(self, connection: Any, signal: Signal) -> None:
        """In the transaction that tells it: run and job hold together or not at all."""
        if signal.topic != "wake":
            return
        raw = (await connection.get_raw_connection()).driver_connection
        await self._job.configure(lock=signal.subject, connection=raw).defer_async(conversation=signal.subject)


if TYPE_CHECKING:
    _: type[Dispatcher] = Procrastinated
