"""Runs, and who drives them. Every write of a driver passes `guard`."""

from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import sqlalchemy as sa

from bot.domain.run import Run, RunState
from bot.errors import Fenced
from bot.store.database import Tx
from bot.store.prepared import Prepared
from bot.store.tables import approvals, runs

_COLUMNS = tuple(runs.c[field.name] for field in fields(Run))
_ADD = Prepared(sa.insert(runs))
_OPEN = runs.c.ended_at.is_(None)
_MESSAGE = runs.c.token_id.is_(None)
"""It is for a message; else for a call of another program (store/outside.py), which waits in no queue."""
_HERE = runs.c.conversation == sa.bindparam("conversation")
_HEAD = Prepared(sa.select(*_COLUMNS).where(_HERE, _OPEN, _MESSAGE).order_by(runs.c.seq).limit(1))
_CLAIM = Prepared(
    sa.update(runs)
    .where(runs.c.id == sa.bindparam("run"), runs.c.epoch == sa.bindparam("held"), _OPEN)
    .values(state="running", epoch=runs.c.epoch + 1, attempts=runs.c.attempts + 1)
)
_QUEUE = Prepared(sa.select(runs.c.id, runs.c.state).where(_HERE, _OPEN, _MESSAGE).order_by(runs.c.seq))
_SILENT = Prepared(sa.select(runs.c.silent).where(runs.c.id == sa.bindparam("run")))
_HISTORY = Prepared(
    sa.select(runs.c.id)
    .where(runs.c.session_id == sa.bindparam("session"), runs.c.seq < sa.bindparam("before"), runs.c.state != "queued")
    .order_by(runs.c.seq.desc())
    .limit(sa.bindparam("most"))
)


@dataclass(frozen=True, slots=True)
class Queued:
    """What a new run needs to know of the message that it answers."""

    id: str
    session_id: str
    conversation: str
    channel: str
    persona_id: str
    user: str
    user_name: str
    private: bool
    message_ref: str | None
    wary_because: str | None
    """What others may have written in it, to go on after "has read"; None for nothing."""
    held_until: float | None
    created_at: float


def add(tx: Tx, run: Queued) -> None:
    values = {field.name: getattr(run, field.name) for field in fields(Queued)}
    tx.run(
        _ADD,
        values
        | {
            "state": "queued",
            "tainted": run.wary_because is not None,
            "epoch": 0,
            "attempts": 0,
            "steps": 0,
            "handoffs": 0,
            "active_s": 0.0,
            "input_tokens": 0,
            "output_tokens": 0,
        },
    )


def first_of(tx: Tx, session_id: str) -> Run | None:
    """The run that a session began with, if it is still known."""
    row = tx.execute(sa.select(*_COLUMNS).where(runs.c.session_id == session_id).order_by(runs.c.seq).limit(1)).first()
    return None if row is None else Run(*row)


def waiting_line(tx: Tx, conversation: str) -> list[tuple[str, RunState]]:
    """The open runs for messages of a conversation, the one that is worked on first."""
    return [(run_id, state) for run_id, state in tx.run(_QUEUE, {"conversation": conversation})]


def claim(tx: Tx, conversation: str) -> Run | None:
    """Take the oldest open run of a conversation, unless it waits for a person. The epoch grows: an older driver is out."""
    row = tx.run(_HEAD, {"conversation": conversation}).first()
    if row is None:
        return None
    run = Run(*row)
    if run.state not in ("queued", "running"):
        return None
    if tx.run(_CLAIM, {"run": run.id, "held": run.epoch}).rowcount != 1:
        return None
    return replace(run, state="running", epoch=run.epoch + 1, attempts=run.attempts + 1)


def guard(tx: Tx, run: Run, **values: Any) -> str:
    """Write `values` if this driver still holds the run; raises Fenced if not, which undoes the whole transaction.

    Returns the conversation that the run belongs to by now: a chat may move under a run.
    """
    values = values or {"state": "running"}
    bound = {"run": run.id, "held": run.epoch, **_bound(values)}
    conversation: str | None = tx.run(_guarded(frozenset(values)), bound).scalar()
    if conversation is None:
        raise Fenced("This run was taken over or has ended.")
    return conversation


@cache
def _guarded(columns: frozenset[str]) -> Prepared:
    """Made once for each set of columns: to make a statement takes longer than to run it."""
    held = (runs.c.id == sa.bindparam("run"), runs.c.epoch == sa.bindparam("held"), runs.c.state == "running")
    written: dict[str, sa.BindParameter[Any]] = {name: sa.bindparam(f"new_{name}") for name in columns}
    return Prepared(sa.update(runs).where(*held).values(written).returning(runs.c.conversation))


def _bound(values: dict[str, Any]) -> dict[str, Any]:
    return {f"new_{name}": value for name, value in values.items()}


def take_back(tx: Tx, run_id: str, held_until: float | None) -> bool:
    """Put a run that has not been answered at all back into the queue, out of the hands of whoever drives it; False if
    it has got further."""
    statement = sa.update(runs).where(
        runs.c.id == run_id, runs.c.state.in_(("queued", "running")), runs.c.steps == 0, _OPEN
    )
    epoch = sa.case((runs.c.state == "running", runs.c.epoch + 1), else_=runs.c.epoch)
    return tx.execute(statement.values(state="queued", epoch=epoch, attempts=0, held_until=held_until)).rowcount == 1


def suspend(tx: Tx, run: Run) -> None:
    """Let go of the run until a person decides or answers. A wait is not an attempt."""
    pending = sa.select(approvals.c.id).where(approvals.c.run_id == run.id, approvals.c.state == "pending").limit(1)
    state: RunState = "waiting_input" if tx.scalar(pending) is None else "waiting_approval"
    guard(tx, run, state=state, attempts=0)


def resume(tx: Tx, run_id: str) -> None:
    """A person decided or answered: the run may go on, if it waits and is alive."""
    hold(tx, run_id)
    waits = runs.c.state.in_(("waiting_approval", "waiting_input"))
    tx.execute(sa.update(runs).where(runs.c.id == run_id, waits, _OPEN).values(state="running"))


def hold(tx: Tx, run_id: str) -> None:
    """From here to the commit nobody else changes this run (on SQLite nobody does in any case). Whoever decides about
    a run and reads what it hangs on must hold it first: else a decision and a suspension pass each other unseen."""
    tx.execute(sa.select(runs.c.id).where(runs.c.id == run_id).with_for_update())


def release(tx: Tx, run: Run) -> None:
    """Let go of the run in an orderly stop, so that it does not count as an attempt."""
    statement = sa.update(runs).where(runs.c.id == run.id, runs.c.epoch == run.epoch, _OPEN)
    tx.execute(statement.values(attempts=0))


def end(tx: Tx, run_id: str, state: RunState, now: float, code: str | None = None, message: str | None = None) -> bool:
    """Close a run from outside its driver (stop, disconnect); False if it had ended."""
    statement = sa.update(runs).where(runs.c.id == run_id, _OPEN)
    values = {"state": state, "ended_at": now, "error_code": code, "error_message": message}
    return tx.execute(statement.values(values)).rowcount == 1


def find(tx: Tx, run_id: str) -> Run | None:
    row = tx.execute(sa.select(*_COLUMNS).where(runs.c.id == run_id)).first()
    return None if row is None else Run(*row)


def taint(tx: Tx, run_id: str, because: str) -> None:
    """The run has read what strangers may have written: nothing it does goes unasked any more. `because` names it, to go
    on after "has read"."""
    tx.execute(sa.update(runs).where(runs.c.id == run_id).values(tainted=True, wary_because=because))


def wary_because(tx: Tx, run_id: str) -> str | None:
    """What of that this run has read, or one before it in its session, whose log it reads again; None for nothing."""
    session = sa.select(runs.c.session_id).where(runs.c.id == run_id).scalar_subquery()
    here = (runs.c.id == run_id) | (runs.c.session_id == session)
    read = sa.select(runs.c.wary_because).where(runs.c.tainted, here).order_by(runs.c.seq.desc()).limit(1)
    row = tx.execute(read).first()
    return None if row is None else row[0] or "what others wrote"


def silence(tx: Tx, run_id: str) -> bool:
    """Let a run end without a reply; False if it has ended."""
    return tx.execute(sa.update(runs).where(runs.c.id == run_id, _OPEN).values(silent=True)).rowcount == 1


def silent(tx: Tx, run_id: str) -> bool:
    """Is it to end without a reply?"""
    return bool(tx.run(_SILENT, {"run": run_id}).scalar())


def why_ended(tx: Tx, run_id: str) -> str:
    """What ended it from outside, in words; empty for what ended by itself."""
    return str(tx.scalar(sa.select(runs.c.error_message).where(runs.c.id == run_id)) or "")


def alive(tx: Tx, run_id: str) -> bool:
    return tx.scalar(sa.select(runs.c.id).where(runs.c.id == run_id, _OPEN)) is not None


def by_message(tx: Tx, conversation: str, message_ref: str) -> Run | None:
    """The latest run that answers this message."""
    row = tx.execute(
        sa.select(*_COLUMNS)
        .where(runs.c.conversation == conversation, runs.c.message_ref == message_ref)
        .order_by(runs.c.seq.desc())
        .limit(1)
    ).first()
    return None if row is None else Run(*row)


def open_in(tx: Tx, conversations: list[str]) -> list[str]:
    """Ids of the open runs of these conversations, oldest first."""
    query = sa.select(runs.c.id).where(runs.c.conversation.in_(conversations), _OPEN).order_by(runs.c.seq)
    return list(tx.execute(query).scalars())


def open_in_session(tx: Tx, session_id: str) -> list[str]:
    """Ids of the open runs of a session, oldest first."""
    query = sa.select(runs.c.id).where(runs.c.session_id == session_id, _OPEN).order_by(runs.c.seq)
    return list(tx.execute(query).scalars())


def open_of(tx: Tx, persona_id: str) -> list[str]:
    """Ids of the open runs of a persona, oldest first."""
    query = sa.select(runs.c.id).where(runs.c.persona_id == persona_id, _OPEN).order_by(runs.c.seq)
    return list(tx.execute(query).scalars())


def drivable(tx: Tx) -> list[str]:
    """Conversations with a run that can be worked on now."""
    working = runs.c.state.in_(("queued", "running"))
    query = sa.select(runs.c.conversation).where(working, _OPEN, _MESSAGE).distinct()
    return list(tx.execute(query).scalars())


def count_by_state(tx: Tx) -> dict[str, int]:
    """Of open runs only."""
    query = sa.select(runs.c.state, sa.func.count()).where(_OPEN).group_by(runs.c.state)
    return {row[0]: row[1] for row in tx.execute(query)}


def history(tx: Tx, session_id: str, before: int, limit: int) -> list[str]:
    """Ids of the session's runs before this one that were begun, oldest first, the newest `limit` of them."""
    parameters = {"session": session_id, "before": before, "most": limit}
    return list(tx.run(_HISTORY, parameters).scalars())[::-1]
