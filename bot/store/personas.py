"""Personas."""

from dataclasses import fields

import sqlalchemy as sa

from bot.domain.persona import Persona
from bot.store.database import Tx
from bot.store.prepared import Prepared
from bot.store.tables import personas

_COLUMNS = tuple(personas.c[field.name] for field in fields(Persona))
_FIND = Prepared(sa.select(*_COLUMNS).where(personas.c.id == sa.bindparam("id")))


def find(tx: Tx, persona_id: str) -> Persona | None:
    row = tx.run(_FIND, {"id": persona_id}).first()
    return None if row is None else Persona(*row)


def everyone(tx: Tx) -> list[Persona]:
    return [Persona(*row) for row in tx.execute(sa.select(*_COLUMNS).order_by(personas.c.id))]


def put_missing(tx: Tx, persona: Persona) -> bool:
    """Add it unless there is one of that id; True if it was added."""
    values = {field.name: getattr(persona, field.name) for field in fields(Persona)}
    return tx.insert_new(personas, values)


def put(tx: Tx, persona: Persona) -> None:
    values = {field.name: getattr(persona, field.name) for field in fields(Persona)}
    changed = {name: value for name, value in values.items() if name != "id"}
    tx.execute(tx.insert(personas).values(values).on_conflict_do_update(index_elements=["id"], set_=changed))
