"""Task tokens. Only the SHA-256 of each is stored; one that belongs to a run ends with it."""

import hashlib
import hmac
import json
from collections.abc import Collection

import sqlalchemy as sa

from bot.domain.task_token import TaskToken
from bot.store.database import Tx
from bot.store.tables import runs
from bot.store.tables import task_tokens as t

_COLUMNS = (
    t.c.id,
    t.c.run_id,
    t.c.persona_id,
    t.c.user,
    t.c.conversation,
    t.c.capabilities,
    t.c.made_by,
    t.c.created_at,
    t.c.expires_at,
)

KEPT_S = 30 * 24 * 3600.0
"""How long one that has ended is remembered, for whoever reads the audit."""


def add(tx: Tx, token: TaskToken, secret: str) -> None:
    allowed = None if token.capabilities is None else json.dumps(sorted(token.capabilities))
    values = {
        "id": token.id,
        "hash": _digest(secret),
        "run_id": token.run_id,
        "persona_id": token.persona_id,
        "user": token.user,
        "conversation": token.conversation,
        "capabilities": allowed,
        "made_by": token.made_by,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
    }
    tx.execute(sa.insert(t), values)


def use(tx: Tx, secret: str, now: float) -> TaskToken | None:
    """The token that this is the secret of, if it is alive."""
    digest = _digest(secret)
    row = tx.execute(_alive(now).add_columns(t.c.hash).where(t.c.hash == digest)).first()
    if row is None or not hmac.compare_digest(row.hash, digest):
        return None
    return _read(row[:-1])


def alive(tx: Tx, token_id: str, now: float) -> TaskToken | None:
    """The token, if it is alive: neither revoked nor past its end, and its run is open."""
    row = tx.execute(_alive(now).where(t.c.id == token_id)).first()
    return None if row is None else _read(tuple(row))


def revoke(tx: Tx, token_id: str, now: float) -> bool:
    """False if none of this name was alive."""
    if alive(tx, token_id, now) is None:
        return False
    return _revoke(tx, t.c.id == token_id, now) == 1


def revoke_in(tx: Tx, conversations: Collection[str], now: float, persona_id: str | None = None) -> int:
    """Those for people in these private chats (of one persona, or all); how many there were."""
    which = t.c.conversation.in_(list(conversations))
    return _revoke(tx, which if persona_id is None else which & (t.c.persona_id == persona_id), now)


def revoke_on(tx: Tx, channel: str, now: float) -> int:
    """Those for people on a channel; how many there were."""
    return _revoke(tx, t.c.conversation.startswith(f"{channel}:", autoescape=True), now)


def revoke_of_persona(tx: Tx, persona_id: str, now: float) -> int:
    return _revoke(tx, t.c.persona_id == persona_id, now)


def forget_old(tx: Tx, now: float) -> None:
    tx.execute(sa.delete(t).where(t.c.expires_at < now - KEPT_S))


def _alive(now: float) -> "sa.Select[*tuple[object, ...]]":
    ended = sa.exists().where(runs.c.id == t.c.run_id, runs.c.ended_at.is_not(None))
    return sa.select(*_COLUMNS).where(t.c.revoked_at.is_(None), t.c.expires_at > now, ~ended)


def _revoke(tx: Tx, which: sa.ColumnElement[bool], now: float) -> int:
    return tx.execute(sa.update(t).where(which, t.c.revoked_at.is_(None)).values(revoked_at=now)).rowcount


def _read(row: "tuple[object, ...]") -> TaskToken:
    token_id, run_id, persona_id, user, conversation, allowed, made_by, created_at, expires_at = row
    capabilities = None if allowed is None else frozenset(json.loads(str(allowed)))
    return TaskToken(
        str(token_id),
        None if run_id is None else str(run_id),
        str(persona_id),
        str(user),
        None if conversation is None else str(conversation),
        capabilities,
        str(made_by),
        float(str(created_at)),
        float(str(expires_at)),
    )


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
