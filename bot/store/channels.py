"""Channels as admins left them: switched off or not, and those that were configured once."""

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.prepared import Prepared
from bot.store.tables import channels


def note(tx: Tx, name: str) -> None:
    """A configured channel; its row outlives a removal from the config, so that this is noticed."""
    tx.insert_new(channels, {"name": name})


def known(tx: Tx) -> list[str]:
    return list(tx.execute(sa.select(channels.c.name)).scalars())


def forget(tx: Tx, name: str) -> None:
    tx.execute(sa.delete(channels).where(channels.c.name == name))


def disconnect(tx: Tx, name: str, by: str, now: float) -> bool:
    """False if it was off already."""
    statement = sa.update(channels).where(channels.c.name == name, channels.c.disconnected_at.is_(None))
    return tx.execute(statement.values(disconnected_at=now, disconnected_by=by)).rowcount == 1


def connect(tx: Tx, name: str) -> bool:
    """False if it was on already."""
    statement = sa.update(channels).where(channels.c.name == name, channels.c.disconnected_at.is_not(None))
    return tx.execute(statement.values(disconnected_at=None, disconnected_by=None)).rowcount == 1


_OFF = Prepared(
    sa.select(channels.c.disconnected_at).where(channels.c.name == sa.bindparam("name")).with_for_update(read=True)
)


def is_off(tx: Tx, name: str) -> bool:
    """Did an admin switch it off? Holds until the commit: what is accepted meanwhile is not cleared unseen."""
    return tx.run(_OFF, {"name": name}).scalar() is not None


def disconnected(tx: Tx) -> set[str]:
    return set(tx.execute(sa.select(channels.c.name).where(channels.c.disconnected_at.is_not(None))).scalars())
