"""Tools of MCP servers as they were when somebody looked at them: what is not so any more is not called."""

from collections.abc import Collection
from dataclasses import asdict, dataclass, fields

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import pins


@dataclass(frozen=True, slots=True)
class Pin:
    """`definition`: the JSON that the server told. `new_since`: it came after all of the server was granted, and asks.
    `told`: the fingerprint of the change that admins have been told of."""

    capability: str
    server: str
    fingerprint: str
    definition: str
    new_since: float | None
    told: str | None
    pinned_by: str
    pinned_at: float


_COLUMNS = tuple(pins.c[field.name] for field in fields(Pin))


def of_servers(tx: Tx, servers: Collection[str]) -> dict[str, Pin]:
    """By capability."""
    if not servers:
        return {}
    rows = tx.execute(sa.select(*_COLUMNS).where(pins.c.server.in_(sorted(servers))))
    return {row.capability: Pin(*row) for row in rows}


def put(tx: Tx, pin: Pin) -> None:
    values = asdict(pin)
    changed = {name: value for name, value in values.items() if name != "capability"}
    tx.execute(tx.insert(pins).values(values).on_conflict_do_update(index_elements=["capability"], set_=changed))


def mark_told(tx: Tx, capability: str, fingerprint: str) -> bool:
    """Admins are told of this change; False if they were before."""
    other = sa.or_(pins.c.told.is_(None), pins.c.told != fingerprint)
    change = sa.update(pins).where(pins.c.capability == capability, other).values(told=fingerprint)
    return tx.execute(change).rowcount == 1


def remove_server(tx: Tx, server: str) -> None:
    tx.execute(sa.delete(pins).where(pins.c.server == server))
