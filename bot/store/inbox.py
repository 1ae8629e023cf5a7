"""What was accepted, so that a repeat is known as one; and what had to be set aside."""

from dataclasses import dataclass

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import inbox

KEPT_S = 7 * 24 * 3600
"""How long repeats are known: Telegram redelivers for 24 h, Slack for minutes."""

RAW_LIMIT = 64_000
"""Characters kept of a payload that was set aside."""


@dataclass(frozen=True, slots=True)
class SetAside:
    channel: str
    event_id: str
    received_at: float
    trouble: str


def add(tx: Tx, channel: str, event_id: str, now: float) -> bool:
    """Note an event; False if it was noted before: it is a repeat and must have no effect."""
    values = {"channel": channel, "event_id": event_id, "received_at": now}
    return tx.insert_new(inbox, values)


def set_aside(tx: Tx, channel: str, event_id: str, raw: str, trouble: str, now: float) -> bool:
    """Keep a payload that could not be read or handled; False if this event was accepted or set aside before."""
    values = {
        "channel": channel,
        "event_id": event_id,
        "received_at": now,
        "trouble": trouble,
        "raw": raw[:RAW_LIMIT].replace("\x00", "\\u0000"),
    }
    return tx.insert_new(inbox, values)


def keep(tx: Tx, channel: str, delivery_id: str, raw: str, now: float) -> bool:
    """Keep a payload until it can be read; False if it was kept, read or set aside before."""
    values = {"channel": channel, "event_id": delivery_id, "received_at": now, "raw": raw.replace("\x00", "\\u0000")}
    return tx.insert_new(inbox, values)


_KEPT = inbox.c.raw.is_not(None) & inbox.c.trouble.is_(None)


def kept(tx: Tx, channel: str) -> list[tuple[str, str]]:
    """Id and payload of what was kept and not released, oldest first."""
    query = sa.select(inbox.c.event_id, inbox.c.raw).where(inbox.c.channel == channel, _KEPT).order_by(inbox.c.id)
    return [(row[0], row[1]) for row in tx.execute(query)]


def release(tx: Tx, channel: str, delivery_id: str) -> None:
    """What was kept has been read: its id alone is remembered."""
    which = (inbox.c.channel == channel) & (inbox.c.event_id == delivery_id) & _KEPT
    tx.execute(sa.update(inbox).where(which).values(raw=None))


def recent_set_aside(tx: Tx, limit: int) -> list[SetAside]:
    """The latest ones first."""
    rows = tx.execute(
        sa.select(inbox.c.channel, inbox.c.event_id, inbox.c.received_at, inbox.c.trouble)
        .where(inbox.c.trouble.is_not(None))
        .order_by(inbox.c.id.desc())
        .limit(limit)
    )
    return [SetAside(*row) for row in rows]


def forget_old(tx: Tx, now: float) -> int:
    """Drop what is older than any redelivery; the number of rows that went."""
    return tx.execute(sa.delete(inbox).where(inbox.c.received_at < now - KEPT_S)).rowcount
