"""Runs for calls of other programs, each of one call: claimed by the process that serves the program, in nobody's queue."""

from dataclasses import dataclass

import sqlalchemy as sa

from bot.domain.approval import ApprovalState
from bot.domain.run import Run
from bot.store import runs as shelf
from bot.store.database import Tx
from bot.store.prepared import Prepared
from bot.store.tables import approvals, runs

_OPEN = runs.c.ended_at.is_(None)
_WITHIN = Prepared(sa.select(runs.c.id).where(runs.c.parent_id == sa.bindparam("parent"), _OPEN).order_by(runs.c.seq))


@dataclass(frozen=True, slots=True)
class Opened:
    """Such a run. `parent_id`: the run within which the program works, if it works within one."""

    id: str
    token_id: str
    parent_id: str | None
    conversation: str
    channel: str
    persona_id: str
    user: str
    user_name: str
    private: bool
    wary_because: str
    """Nobody here knows what the program has read, so nothing that it asks for goes unasked; to go on after "has read"."""
    created_at: float


def add(tx: Tx, opened: Opened) -> Run:
    """It is being worked on from the start, by us."""
    values = {
        "id": opened.id,
        "token_id": opened.token_id,
        "parent_id": opened.parent_id,
        "conversation": opened.conversation,
        "channel": opened.channel,
        "persona_id": opened.persona_id,
        "user": opened.user,
        "user_name": opened.user_name,
        "private": opened.private,
        "tainted": True,
        "wary_because": opened.wary_because,
        "state": "running",
        "epoch": 1,
        "attempts": 1,
        "beat_at": opened.created_at,
        "created_at": opened.created_at,
    }
    tx.execute(sa.insert(runs), values)
    run = shelf.find(tx, opened.id)
    assert run is not None
    return run


def beat(tx: Tx, run_id: str, now: float) -> None:
    """A sign that somebody still sees to it."""
    tx.execute(sa.update(runs).where(runs.c.id == run_id, _OPEN).values(beat_at=now))


def open_within(tx: Tx, parent_id: str) -> list[str]:
    """Ids of those open within a run, oldest first."""
    return list(tx.run(_WITHIN, {"parent": parent_id}).scalars())


def open_in(tx: Tx, conversation: str, persona_id: str) -> list[str]:
    """Ids of those open for a persona in a conversation, oldest first."""
    here = (runs.c.conversation == conversation) & (runs.c.persona_id == persona_id) & runs.c.token_id.is_not(None)
    return list(tx.execute(sa.select(runs.c.id).where(here, _OPEN).order_by(runs.c.seq)).scalars())


def open_with(tx: Tx, token_id: str) -> list[str]:
    """Ids of those open that were made with a token, oldest first."""
    return list(
        tx.execute(sa.select(runs.c.id).where(runs.c.token_id == token_id, _OPEN).order_by(runs.c.seq)).scalars()
    )


def count_by(tx: Tx, token_id: str) -> int:
    """How many are open that were made with a token."""
    query = sa.select(sa.func.count()).where(runs.c.token_id == token_id, _OPEN)
    return int(tx.scalar(query) or 0)


def count_in(tx: Tx, conversation: str) -> int:
    """How many are open in a conversation."""
    here = (runs.c.conversation == conversation) & runs.c.token_id.is_not(None)
    return int(tx.scalar(sa.select(sa.func.count()).where(here, _OPEN)) or 0)


def forsaken(tx: Tx, before: float) -> list[Run]:
    """Those open without a sign of life since then, oldest first."""
    query = sa.select(runs.c.id).where(runs.c.token_id.is_not(None), _OPEN, runs.c.beat_at < before)
    ids = list(tx.execute(query.order_by(runs.c.seq)).scalars())
    return [run for each in ids if (run := shelf.find(tx, each)) is not None]


def refused_before(tx: Tx, token_id: str, parent_id: str | None, digest: str) -> ApprovalState | None:
    """How the very same call ended that was asked for before with this token, or within the same run, without being
    executed, if it did."""
    same = runs.c.token_id == token_id
    if parent_id is not None:
        same |= (runs.c.parent_id == parent_id) | (runs.c.id == parent_id)
    state: ApprovalState | None = tx.scalar(
        sa.select(approvals.c.state)
        .join(runs, runs.c.id == approvals.c.run_id)
        .where(same, approvals.c.digest == digest, approvals.c.state.in_(("rejected", "expired")))
        .limit(1)
    )
    return state


def is_one(tx: Tx, run_id: str) -> bool:
    return tx.scalar(sa.select(runs.c.token_id).where(runs.c.id == run_id)) is not None


def parent_of(tx: Tx, run_id: str) -> str | None:
    """The run within which its program works."""
    found: str | None = tx.scalar(sa.select(runs.c.parent_id).where(runs.c.id == run_id))
    return found
