"""What the configuration has created once: taken away by an admin, it does not come back by itself."""

from collections.abc import Collection
from typing import Literal

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import sown

Kind = Literal["persona", "grant", "server"]


def fresh(tx: Tx, kind: Kind, marks: Collection[str]) -> set[str]:
    """Those that were not created before; from now on they were. What the configuration no longer holds is forgotten, and
    counts as new when it is written there again."""
    had = set(tx.execute(sa.select(sown.c.mark).where(sown.c.kind == kind)).scalars())
    new = set(marks) - had
    for mark in had - set(marks):
        tx.execute(sa.delete(sown).where(sown.c.kind == kind, sown.c.mark == mark))
    if new:
        tx.execute(sa.insert(sown), [{"kind": kind, "mark": mark} for mark in sorted(new)])
    return new
