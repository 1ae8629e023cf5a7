"""Who did what: append-only, each entry chained to the one before it."""

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from bot.domain.chain import BEGINNING, Link, link_hash
from bot.store.database import Tx
from bot.store.prepared import Prepared
from bot.store.tables import audit, audit_head

_COLUMNS = (audit.c.id, audit.c.at, audit.c.who, audit.c.action, audit.c.subject, audit.c.detail, audit.c.hash)
_ADD = Prepared(sa.insert(audit))
_HEAD = Prepared(sa.select(audit_head.c.hash))
_MOVE = Prepared(sa.update(audit_head).values(hash=sa.bindparam("now")))

PAGE = 500


def record(tx: Tx, now: float, who: str, action: str, subject: str, detail: dict[str, str | None]) -> None:
    """`who` is a person (`tg:4242`) or `askfirst` itself; `detail` holds no secret."""
    given = {key: value for key, value in detail.items() if value is not None}
    values = {"at": now, "who": who, "action": action, "subject": subject}
    tx.ends.append(lambda tx: _append(tx, values | {"detail": json.dumps(given, ensure_ascii=False)}))


def _append(tx: Tx, values: dict[str, Any]) -> None:
    """At the end of the transaction: whoever writes to the chain makes the others wait until the commit."""
    if tx.postgres:
        tx.execute(sa.text("LOCK TABLE audit_head IN EXCLUSIVE MODE"))
    made = link_hash(head(tx), **values)
    tx.run(_ADD, values | {"hash": made})
    if tx.run(_MOVE, {"now": made}).rowcount == 0:
        tx.execute(sa.insert(audit_head), {"hash": made})


def head(tx: Tx) -> str:
    """The hash that the last entry must have."""
    return str(tx.run(_HEAD, {}).scalar() or BEGINNING)


def latest(tx: Tx, limit: int) -> list[Link]:
    """The newest first."""
    return [Link(*row) for row in tx.execute(sa.select(*_COLUMNS).order_by(audit.c.id.desc()).limit(limit))]


def page(tx: Tx, after: int, limit: int = PAGE) -> list[Link]:
    """In order, those with a higher id than `after`."""
    query = sa.select(*_COLUMNS).where(audit.c.id > after).order_by(audit.c.id).limit(limit)
    return [Link(*row) for row in tx.execute(query)]


def everything(tx: Tx) -> Iterator[Link]:
    """In order, read in pages."""
    found = page(tx, 0)
    while found:
        yield from found
        found = page(tx, found[-1].id)
