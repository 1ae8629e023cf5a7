"""Calls of tools: each step is a compare-and-set, so that a call is begun once whoever asks for it."""

from collections.abc import Iterable
from dataclasses import fields

import sqlalchemy as sa

from bot.domain.run import Call, CallState
from bot.store.database import Tx
from bot.store.tables import calls, runs

_COLUMNS = tuple(calls.c[field.name] for field in fields(Call))
_ADD = sa.insert(calls)
_OF_RUNS = (
    sa.select(*_COLUMNS)
    .where(calls.c.run_id.in_(sa.bindparam("runs", expanding=True)))
    .order_by(calls.c.turn, calls.c.place)
)


def add(tx: Tx, call: Call) -> None:
    tx.execute(_ADD, {field.name: getattr(call, field.name) for field in fields(Call)})


def of_runs(tx: Tx, run_ids: Iterable[str]) -> list[Call]:
    """In the order in which the model asked for them."""
    return [Call(*row) for row in tx.execute(_OF_RUNS, {"runs": list(run_ids)})]


def find(tx: Tx, call_id: str) -> Call | None:
    row = tx.execute(sa.select(*_COLUMNS).where(calls.c.id == call_id)).first()
    return None if row is None else Call(*row)


def last_failure(tx: Tx, persona_id: str, capability_id: str) -> Call | None:
    """The latest call of this capability by this persona, if it failed."""
    query = (
        sa.select(*_COLUMNS)
        .join(runs, runs.c.id == calls.c.run_id)
        .where(runs.c.persona_id == persona_id, calls.c.capability_id == capability_id, calls.c.result.is_not(None))
        .order_by(runs.c.seq.desc(), calls.c.turn.desc(), calls.c.place.desc())
        .limit(1)
    )
    row = tx.execute(query).first()
    return None if row is None or row.failure is None else Call(*row)


def step(tx: Tx, call_id: str, was: CallState, becomes: CallState) -> bool:
    """Compare-and-set; False if the call is not (any more) where it was thought to be."""
    statement = sa.update(calls).where(calls.c.id == call_id, calls.c.state == was)
    return tx.execute(statement.values(state=becomes)).rowcount == 1


def rewrite(tx: Tx, call_id: str, arguments: str, digest: str) -> bool:
    """Let a waiting call be made with other arguments; False if it does not wait (any more)."""
    statement = sa.update(calls).where(calls.c.id == call_id, calls.c.state == "waiting")
    return tx.execute(statement.values(arguments=arguments, digest=digest)).rowcount == 1


def answer(
    tx: Tx,
    call_id: str,
    was: CallState,
    becomes: CallState,
    result: str,
    failure: str | None,
    whole: str | None = None,
) -> bool:
    """Give a call its result and its last state but one; False as in `step`. `whole`: where the result is a part of it."""
    statement = sa.update(calls).where(calls.c.id == call_id, calls.c.state == was)
    return tx.execute(statement.values(state=becomes, result=result, failure=failure, whole=whole)).rowcount == 1


def whole(tx: Tx, call_id: str) -> str | None:
    """All that the tool gave, where the result is a part of it."""
    return tx.execute(sa.select(calls.c.whole).where(calls.c.id == call_id)).scalar()


def mark_sent(tx: Tx, call_ids: Iterable[str]) -> None:
    """The model is told these results now."""
    tx.execute(sa.update(calls).where(calls.c.id.in_(tuple(call_ids))).values(state="sent"))
