"""The log of a run: append-only lines, each with a kind and a JSON body."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.prepared import Prepared
from bot.store.tables import entries

EntryKind = Literal[
    "queued",
    "started",
    "model_called",
    "tool_started",
    "tool_finished",
    "approval_requested",
    "approval_decided",
    "input_requested",
    "input_given",
    "completed",
    "failed",
    "cancelled",
]


@dataclass(frozen=True, slots=True)
class Entry:
    """`frame`: the call that opened the worker it belongs to, None for the run itself."""

    run_id: str
    kind: EntryKind
    frame: str | None
    at: float
    body: dict[str, Any]


_ADD = Prepared(sa.insert(entries))
_COLUMNS = (entries.c.run_id, entries.c.kind, entries.c.frame, entries.c.at, entries.c.body)
_OF_RUNS = sa.select(*_COLUMNS).where(entries.c.run_id.in_(sa.bindparam("runs", expanding=True))).order_by(entries.c.id)
_OF_KINDS = _OF_RUNS.where(entries.c.kind.in_(sa.bindparam("kinds", expanding=True)))


def add(tx: Tx, entry: Entry) -> None:
    tx.run(
        _ADD,
        {
            "run_id": entry.run_id,
            "kind": entry.kind,
            "frame": entry.frame,
            "at": entry.at,
            "body": json.dumps(entry.body, ensure_ascii=False, separators=(",", ":")),
        },
    )


def of_runs(tx: Tx, run_ids: Iterable[str], kinds: Iterable[EntryKind] | None = None) -> list[Entry]:
    """In the order they were written; of these kinds only, if any are named."""
    if kinds is None:
        rows = tx.execute(_OF_RUNS, {"runs": list(run_ids)})
    else:
        rows = tx.execute(_OF_KINDS, {"runs": list(run_ids), "kinds": list(kinds)})
    return [Entry(run_id, kind, frame, at, json.loads(body)) for run_id, kind, frame, at, body in rows]


def rewrite_queued(tx: Tx, run_id: str, body: dict[str, Any]) -> None:
    """The words of a message that was edited before its run began: the one line that may change."""
    tx.execute(
        sa.update(entries)
        .where(entries.c.run_id == run_id, entries.c.kind == "queued")
        .values(body=json.dumps(body, ensure_ascii=False, separators=(",", ":")))
    )
