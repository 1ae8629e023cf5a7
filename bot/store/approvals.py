"""Approvals: decided once, by compare-and-set."""

from dataclasses import fields

import sqlalchemy as sa

from bot.domain.approval import Approval, ApprovalState
from bot.domain.capability import server_of, server_pattern
from bot.store.database import Tx
from bot.store.tables import approvals

_COLUMNS = tuple(approvals.c[field.name] for field in fields(Approval))
_PENDING = approvals.c.state == "pending"


def add(tx: Tx, approval: Approval) -> None:
    tx.execute(sa.insert(approvals), {field.name: getattr(approval, field.name) for field in fields(Approval)})


def find(tx: Tx, approval_id: str) -> Approval | None:
    return _one(tx, approvals.c.id == approval_id)


def by_code(tx: Tx, code: str) -> Approval | None:
    """The one that waits under this code, else the latest that did."""
    query = (
        sa.select(*_COLUMNS)
        .where(approvals.c.code == code)
        .order_by(sa.case((_PENDING, 0), else_=1), approvals.c.created_at.desc())
        .limit(1)
    )
    row = tx.execute(query).first()
    return None if row is None else Approval(*row)


def code_taken(tx: Tx, code: str) -> bool:
    return tx.scalar(sa.select(approvals.c.id).where(approvals.c.code == code, _PENDING)) is not None


def pending_in(tx: Tx, conversation: str) -> list[Approval]:
    """What waits in this conversation, oldest first."""
    return _many(tx, (approvals.c.conversation == conversation) & _PENDING)


def pending_of_run(tx: Tx, run_id: str) -> list[Approval]:
    return _many(tx, (approvals.c.run_id == run_id) & _PENDING)


def pending_for(tx: Tx, capability_id: str) -> list[Approval]:
    """What waits to use this capability."""
    return _many(tx, (approvals.c.capability_id == capability_id) & _PENDING, None)


def pending_of_server(tx: Tx, server: str) -> list[Approval]:
    """What waits to use something of this MCP server."""
    beginning = server_pattern(server).removesuffix("*")
    found = _many(tx, approvals.c.capability_id.startswith(beginning, autoescape=True) & _PENDING, None)
    return [approval for approval in found if server_of(approval.capability_id) == server]


def pending_of_persona(tx: Tx, persona_id: str) -> list[Approval]:
    return _many(tx, (approvals.c.persona_id == persona_id) & _PENDING, None)


def pending(tx: Tx, limit: int) -> list[Approval]:
    return _many(tx, _PENDING, limit)


def due(tx: Tx, now: float, limit: int) -> list[Approval]:
    """Those whose time is up."""
    return _many(tx, _PENDING & (approvals.c.expires_at <= now), limit)


def to_remind(tx: Tx, now: float, limit: int) -> list[Approval]:
    """Those that are due to be shown once more and were not."""
    return _many(tx, _PENDING & approvals.c.reminded_at.is_(None) & (approvals.c.remind_at <= now), limit)


def to_escalate(tx: Tx, now: float, limit: int) -> list[Approval]:
    """Those about which admins are due to be asked."""
    return _many(tx, _PENDING & (approvals.c.escalate_at <= now), limit)


def mark_escalated(tx: Tx, approval_id: str) -> None:
    tx.execute(sa.update(approvals).where(approvals.c.id == approval_id).values(escalate_at=None))


def decide(
    tx: Tx,
    approval_id: str,
    state: ApprovalState,
    now: float,
    by: str | None,
    name: str | None,
    reason: str | None,
) -> bool:
    """The first decision wins; False if there was one."""
    statement = sa.update(approvals).where(approvals.c.id == approval_id, _PENDING)
    values = {"state": state, "decided_at": now, "decided_by": by, "decider_name": name, "reason": reason}
    return tx.execute(statement.values(values)).rowcount == 1


def rewrite(tx: Tx, approval: Approval, edited: Approval) -> bool:
    """Let what waits be about `edited`'s call instead; False if it was decided, or edited by someone else meanwhile."""
    statement = sa.update(approvals).where(
        approvals.c.id == approval.id,
        _PENDING,
        approvals.c.digest == approval.digest,
        approvals.c.code == approval.code,
    )
    values = {
        "code": edited.code,
        "arguments": edited.arguments,
        "digest": edited.digest,
        "effect_text": edited.effect_text,
        "editor_name": edited.editor_name,
    }
    return tx.execute(statement.values(values)).rowcount == 1


def mark_shown(tx: Tx, approval_id: str, now: float) -> None:
    """Its card reached the chat."""
    tx.execute(
        sa.update(approvals).where(approvals.c.id == approval_id, approvals.c.shown_at.is_(None)).values(shown_at=now)
    )


def mark_reminded(tx: Tx, approval_id: str, now: float) -> None:
    tx.execute(sa.update(approvals).where(approvals.c.id == approval_id).values(reminded_at=now))


def agreed_to(tx: Tx, call_id: str, digest: str) -> Approval | None:
    """What a person agreed to, if they agreed to exactly this call."""
    return _one(
        tx, (approvals.c.call_id == call_id) & (approvals.c.digest == digest) & (approvals.c.state == "approved")
    )


def refused_before(tx: Tx, run_id: str, digest: str) -> ApprovalState | None:
    """How the very same call of this run ended without being executed, if it did."""
    query = sa.select(approvals.c.state).where(
        approvals.c.run_id == run_id, approvals.c.digest == digest, approvals.c.state.in_(("rejected", "expired"))
    )
    state: ApprovalState | None = tx.scalar(query)
    return state


def count_pending(tx: Tx) -> int:
    return int(tx.scalar(sa.select(sa.func.count()).select_from(approvals).where(_PENDING)) or 0)


def _one(tx: Tx, which: sa.ColumnElement[bool]) -> Approval | None:
    row = tx.execute(sa.select(*_COLUMNS).where(which)).first()
    return None if row is None else Approval(*row)


def _many(tx: Tx, which: sa.ColumnElement[bool], limit: int | None = 1000) -> list[Approval]:
    query = sa.select(*_COLUMNS).where(which).order_by(approvals.c.created_at, approvals.c.id).limit(limit)
    return [Approval(*row) for row in tx.execute(query)]
