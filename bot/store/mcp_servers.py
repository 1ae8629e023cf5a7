"""MCP servers that are registered. Who may use them is in the grants."""

from collections.abc import Collection
from dataclasses import dataclass, fields

import sqlalchemy as sa

from bot.store import grants, pins
from bot.store.database import Tx
from bot.store.tables import mcp_servers


@dataclass(frozen=True, slots=True)
class Server:
    """`spec`: JSON, how it is started or reached; it may hold secrets. `proposed_by`: the skill that wishes for it, None
    once an admin has accepted it."""

    name: str
    spec: str
    enabled: bool
    proposed_by: str | None
    made_by: str
    created_at: float

    @property
    def registered(self) -> bool:
        """May it be granted? One that is only proposed may not."""
        return self.proposed_by is None


_COLUMNS = tuple(mcp_servers.c[field.name] for field in fields(Server))


def add(tx: Tx, server: Server) -> bool:
    """False if there is one of that name."""
    return tx.insert_new(mcp_servers, {field.name: getattr(server, field.name) for field in fields(Server)})


def find(tx: Tx, name: str) -> Server | None:
    row = tx.execute(sa.select(*_COLUMNS).where(mcp_servers.c.name == name)).first()
    return None if row is None else Server(*row)


def everything(tx: Tx) -> list[Server]:
    return [Server(*row) for row in tx.execute(sa.select(*_COLUMNS).order_by(mcp_servers.c.name))]


def switched_on(tx: Tx, names: Collection[str]) -> set[str]:
    """Those of these that are registered and enabled."""
    if not names:
        return set()
    on = (mcp_servers.c.name.in_(sorted(names)), mcp_servers.c.enabled, mcp_servers.c.proposed_by.is_(None))
    return set(tx.execute(sa.select(mcp_servers.c.name).where(*on)).scalars())


def change(tx: Tx, server: Server) -> bool:
    """Make the row of this name say this; False if there is none."""
    values = {field.name: getattr(server, field.name) for field in fields(Server) if field.name != "name"}
    return tx.execute(sa.update(mcp_servers).where(mcp_servers.c.name == server.name).values(values)).rowcount == 1


def delete(tx: Tx, name: str) -> bool:
    """With every grant of it and all that was looked at: one of the same name starts with none. False if there is none."""
    grants.remove_server(tx, name)
    pins.remove_server(tx, name)
    return tx.execute(sa.delete(mcp_servers).where(mcp_servers.c.name == name)).rowcount == 1
