"""Tokens for the HTTP API. Only the SHA-256 of each is stored."""

import hashlib
import hmac
from dataclasses import dataclass, fields
from typing import Literal

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import api_tokens as t

Scope = Literal["read", "admin"]

USED_EVERY_S = 60.0
"""How exactly it is known when a token was last used: a write for every request would be too much."""


@dataclass(frozen=True, slots=True)
class Token:
    """Times in seconds since the epoch. `scope`: may it only look (read), or change things (admin)?"""

    id: str
    name: str
    scope: Scope
    made_by: str
    created_at: float
    used_at: float | None = None
    revoked_at: float | None = None


_COLUMNS = tuple(t.c[field.name] for field in fields(Token))
_LIVE = t.c.revoked_at.is_(None)


def add(tx: Tx, token: Token, secret: str) -> bool:
    """False if a token of this name is in use: the audit names whoever calls by it."""
    if tx.postgres:
        tx.execute(sa.text("LOCK TABLE api_tokens IN EXCLUSIVE MODE"))
    if tx.scalar(sa.select(t.c.id).where(t.c.name == token.name, _LIVE)) is not None:
        return False
    values = {field.name: getattr(token, field.name) for field in fields(Token)}
    tx.execute(sa.insert(t), values | {"hash": _digest(secret)})
    return True


def use(tx: Tx, secret: str, now: float) -> Token | None:
    """The token that this is the secret of, unless it was revoked."""
    digest = _digest(secret)
    row = tx.execute(sa.select(*_COLUMNS, t.c.hash).where(t.c.hash == digest, _LIVE)).first()
    if row is None or not hmac.compare_digest(row.hash, digest):
        return None
    token = Token(*row[:-1])
    if token.used_at is None or token.used_at < now - USED_EVERY_S:
        tx.execute(sa.update(t).where(t.c.id == token.id).values(used_at=now))
    return token


def in_use(tx: Tx, token_id: str) -> bool:
    """Was it not revoked?"""
    return tx.scalar(sa.select(t.c.id).where(t.c.id == token_id, _LIVE)) is not None


def everything(tx: Tx) -> list[Token]:
    """In the order in which they were made."""
    return [Token(*row) for row in tx.execute(sa.select(*_COLUMNS).order_by(t.c.created_at, t.c.id))]


def revoke(tx: Tx, token_id: str, now: float) -> Token | None:
    """The token as it was, if there is one that was not revoked."""
    row = tx.execute(sa.select(*_COLUMNS).where(t.c.id == token_id, _LIVE)).first()
    if row is None:
        return None
    tx.execute(sa.update(t).where(t.c.id == token_id).values(revoked_at=now))
    return Token(*row)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
