"""One-time links for the browser chat. Only the SHA-256 of a link is stored."""

import hashlib

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import signin_links as t

KEEP_S = 86_400.0
"""A link that is used or too old is remembered for this long after its end."""


def add(tx: Tx, secret: str, name: str, expires_at: float, now: float) -> None:
    """Remember a link, and forget those that ended long ago."""
    tx.execute(sa.delete(t).where(t.c.expires_at < now - KEEP_S))
    tx.execute(sa.insert(t).values(digest=_digest(secret), name=name, expires_at=expires_at, used_at=None))


def use(tx: Tx, secret: str, now: float) -> str | None:
    """The name that the link is for, once; None for a link that is unknown, used or too old."""
    mine = t.c.digest == _digest(secret)
    usable = sa.and_(mine, t.c.used_at.is_(None), t.c.expires_at > now)
    if tx.execute(sa.update(t).where(usable).values(used_at=now)).rowcount != 1:
        return None
    name = tx.scalar(sa.select(t.c.name).where(mine))
    assert isinstance(name, str)
    return name


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
