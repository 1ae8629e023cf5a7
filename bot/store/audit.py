"""Who did what: append-only."""

import json

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import audit


def record(tx: Tx, now: float, who: str, action: str, subject: str, detail: dict[str, str | None]) -> None:
    """`who` is a person (`tg:4242`) or `askfirst` itself; `detail` holds no secret."""
    tx.execute(
        sa.insert(audit),
        {
            "at": now,
            "who": who,
            "action": action,
            "subject": subject,
            "detail": json.dumps(
                {key: value for key, value in detail.items() if value is not None}, ensure_ascii=False
            ),
        },
    )
