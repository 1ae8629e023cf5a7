"""Buttons: what each token stands for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.tables import buttons

Action = Literal[
    "approve",
    "reject",
    "reject_with",
    "edit",
    "approve_all",
    "answer",
    "let_in",
    "ignore",
    "confirm_grant",
    "cancel_grant",
    "accept_server",
    "refuse_server",
    "accept_tool",
]

KEPT_S = 90 * 24 * 3600
"""How long an old button still explains itself."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """`subject`: an approval's id, a person's id, `question/blank/what` of a question, or the JSON of what is to be done."""

    action: Action
    subject: str


def add(tx: Tx, token: str, meaning: Meaning, now: float) -> None:
    tx.execute(
        sa.insert(buttons),
        {
            "token": token,
            "action": meaning.action,
            "subject": meaning.subject,
            "created_at": now,
        },
    )


def find(tx: Tx, token: str) -> Meaning | None:
    row = tx.execute(sa.select(buttons.c.action, buttons.c.subject).where(buttons.c.token == token)).first()
    return None if row is None else Meaning(*row)


def tokens_of(tx: Tx, subject: str) -> dict[str, str]:
    """Action -> token, for the buttons of one subject."""
    query = sa.select(buttons.c.action, buttons.c.token).where(buttons.c.subject == subject)
    return {row[0]: row[1] for row in tx.execute(query)}


def standing_for(tx: Tx, action: Action, subjects: Sequence[str]) -> dict[str, str]:
    """Subject -> token, of those that have one."""
    query = sa.select(buttons.c.subject, buttons.c.token).where(
        buttons.c.subject.in_(subjects), buttons.c.action == action
    )
    return {row[0]: row[1] for row in tx.execute(query)}


def remove_subject(tx: Tx, subject: str) -> bool:
    """Use the buttons of one subject up; False if that was done before."""
    return tx.execute(sa.delete(buttons).where(buttons.c.subject == subject)).rowcount > 0


def forget_old(tx: Tx, now: float) -> int:
    return tx.execute(sa.delete(buttons).where(buttons.c.created_at < now - KEPT_S)).rowcount
