"""Lists that are read a page at a time. What is after a page is asked for by the key of its last row."""

import json
from dataclasses import dataclass, fields

import sqlalchemy as sa

from bot.domain.approval import Approval, ApprovalState
from bot.domain.chain import Link
from bot.domain.run import RunState
from bot.store.database import Tx
from bot.store.entries import Entry
from bot.store.sessions import Session
from bot.store.tables import approvals as a
from bot.store.tables import audit as au
from bot.store.tables import entries as e
from bot.store.tables import runs as r
from bot.store.tables import sessions as s

Moment = tuple[float, str]
"""A time, and an id among what has the same time."""


@dataclass(frozen=True, slots=True)
class Work:
    """A run as it is told of to those who look on. Times in seconds since the epoch. `token_id`: it is a call of another
    program that holds this task token, `parent_id`: within that run."""

    seq: int
    id: str
    session_id: str | None
    persona_id: str
    channel: str
    conversation: str
    user: str
    state: RunState
    created_at: float
    ended_at: float | None
    error_code: str | None
    error_message: str | None
    input_tokens: int
    output_tokens: int
    cost: str | None
    token_id: str | None
    parent_id: str | None


_WORK = tuple(r.c[field.name] for field in fields(Work))
_SESSION = tuple(s.c[field.name] for field in fields(Session))
_APPROVAL = tuple(a.c[field.name] for field in fields(Approval))
_LINK = tuple(au.c[field.name] for field in fields(Link))


def work(tx: Tx, run_id: str) -> Work | None:
    row = tx.execute(sa.select(*_WORK).where(r.c.id == run_id)).first()
    return None if row is None else Work(*row)


def runs(tx: Tx, state: RunState | None, before: int | None, limit: int) -> list[Work]:
    """The newest first; those with a lower `seq` than `before`."""
    query = sa.select(*_WORK).order_by(r.c.seq.desc()).limit(limit)
    if state is not None:
        query = query.where(r.c.state == state)
    if before is not None:
        query = query.where(r.c.seq < before)
    return [Work(*row) for row in tx.execute(query)]


def entries(tx: Tx, run_id: str, after: int, limit: int) -> list[tuple[int, Entry]]:
    """The log of a run in its order, each line with its id; those with a higher id than `after`."""
    query = sa.select(e.c.id, e.c.kind, e.c.frame, e.c.at, e.c.body)
    query = query.where(e.c.run_id == run_id, e.c.id > after).order_by(e.c.id).limit(limit)
    return [(row.id, Entry(run_id, row.kind, row.frame, row.at, json.loads(row.body))) for row in tx.execute(query)]


def session(tx: Tx, session_id: str) -> Session | None:
    row = tx.execute(sa.select(*_SESSION).where(s.c.id == session_id)).first()
    return None if row is None else Session(*row)


def sessions(tx: Tx, before: Moment | None, limit: int) -> list[Session]:
    """The newest first."""
    query = sa.select(*_SESSION).order_by(s.c.created_at.desc(), s.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(sa.tuple_(s.c.created_at, s.c.id) < before)
    return [Session(*row) for row in tx.execute(query)]


def approvals(tx: Tx, state: ApprovalState | None, before: Moment | None, limit: int) -> list[Approval]:
    """The newest first."""
    query = sa.select(*_APPROVAL).order_by(a.c.created_at.desc(), a.c.id.desc()).limit(limit)
    if state is not None:
        query = query.where(a.c.state == state)
    if before is not None:
        query = query.where(sa.tuple_(a.c.created_at, a.c.id) < before)
    return [Approval(*row) for row in tx.execute(query)]


def audit(tx: Tx, before: int | None, limit: int) -> list[Link]:
    """The newest first; those with a lower id than `before`."""
    query = sa.select(*_LINK).order_by(au.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(au.c.id < before)
    return [Link(*row) for row in tx.execute(query)]
