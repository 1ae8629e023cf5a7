"""The dispatcher's jobs on PostgreSQL, as far as our own tables must be held against them."""

import sqlalchemy as sa

from bot.store import runs
from bot.store.database import Tx

SWEEP_LOCK = 4_711_002
WORKER_LOCK = 4_711_003
"""The first half of a worker's lock; the second is its number."""


def tell_orphans(tx: Tx) -> None:
    """Wake every conversation that has work and no job. One process sweeps at a time; another one's call does nothing."""
    if not tx.scalar(sa.text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": SWEEP_LOCK}):
        return
    busy = sa.text("SELECT lock FROM procrastinate_jobs WHERE task_name = 'drain' AND status IN ('todo', 'doing')")
    taken = set(tx.execute(busy).scalars())
    for conversation in runs.drivable(tx):
        if conversation not in taken:
            tx.tell("wake", conversation)


def abandoned(tx: Tx) -> list[int]:
    """The jobs in progress whose workers are gone: nobody holds their locks any more (see `lifeline`)."""
    doing = sa.text("SELECT id, worker_id FROM procrastinate_jobs WHERE task_name = 'drain' AND status = 'doing'")
    begun = [(job, worker) for job, worker in tx.execute(doing) if worker is not None]
    free = sa.text("SELECT pg_try_advisory_xact_lock(:room, :worker)")
    gone = {
        worker for worker in {worker for _, worker in begun} if tx.scalar(free, {"room": WORKER_LOCK, "worker": worker})
    }
    return [job for job, worker in begun if worker in gone]
