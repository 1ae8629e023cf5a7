"""What the service must remember about itself, such as the key that signs cookies."""

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import settings


def get_or_put(tx: Tx, name: str, fresh: str) -> str:
    """The stored value; `fresh` is stored and returned if there is none."""
    tx.insert_new(settings, {"name": name, "value": fresh})
    return str(tx.scalar(sa.select(settings.c.value).where(settings.c.name == name)))
