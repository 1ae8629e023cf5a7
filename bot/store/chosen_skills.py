"""Skills that people chose for a conversation with one persona."""

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.prepared import Prepared
from bot.store.tables import chosen_skills

_OF = Prepared(
    sa.select(chosen_skills.c.skill)
    .where(
        chosen_skills.c.conversation == sa.bindparam("conversation"),
        chosen_skills.c.persona_id == sa.bindparam("persona"),
    )
    .order_by(chosen_skills.c.skill)
)


def of(tx: Tx, conversation: str, persona_id: str) -> list[str]:
    """By name."""
    return tx.run(_OF, {"conversation": conversation, "persona": persona_id}).scalars()


def choose(tx: Tx, conversation: str, persona_id: str, skill: str) -> bool:
    """False if it was chosen before."""
    return tx.insert_new(chosen_skills, {"conversation": conversation, "persona_id": persona_id, "skill": skill})


def drop(tx: Tx, conversation: str, persona_id: str, skill: str) -> bool:
    """False if it was not chosen."""
    there = (
        (chosen_skills.c.conversation == conversation)
        & (chosen_skills.c.persona_id == persona_id)
        & (chosen_skills.c.skill == skill)
    )
    return tx.execute(sa.delete(chosen_skills).where(there)).rowcount == 1
