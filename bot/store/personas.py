"""Personas."""

import json
from dataclasses import fields, replace
from typing import Any

import sqlalchemy as sa

from bot.domain.persona import Persona
from bot.store.database import Tx
from bot.store.prepared import Prepared, Row
from bot.store.tables import chosen_skills, conversations, documents, memories, personas

_NAMES = tuple(field.name for field in fields(Persona))
_COLUMNS = tuple(personas.c[name] for name in _NAMES)
_FIND = Prepared(sa.select(*_COLUMNS).where(personas.c.id == sa.bindparam("id")))


def find(tx: Tx, persona_id: str) -> Persona | None:
    row = tx.run(_FIND, {"id": persona_id}).first()
    return None if row is None else _read(row)


def everyone(tx: Tx) -> list[Persona]:
    return [_read(tuple(row)) for row in tx.execute(sa.select(*_COLUMNS).order_by(personas.c.id))]


def ids(tx: Tx) -> list[str]:
    return list(tx.execute(sa.select(personas.c.id).order_by(personas.c.id)).scalars())


def put_missing(tx: Tx, persona: Persona) -> bool:
    """Add it unless there is one of that id; True if it was added."""
    return tx.insert_new(personas, _written(persona))


def put(tx: Tx, persona: Persona) -> None:
    values = _written(persona)
    changed = {name: value for name, value in values.items() if name != "id"}
    tx.execute(tx.insert(personas).values(values).on_conflict_do_update(index_elements=["id"], set_=changed))


def delete(tx: Tx, persona_id: str) -> bool:
    """With what it knows, remembers and was chosen for: one of the same id starts with nothing. Its grants, sessions and
    runs are not of this shelf. False if there is none."""
    for table in (documents, memories, chosen_skills):
        tx.execute(sa.delete(table).where(table.c.persona_id == persona_id))
    tx.execute(sa.update(conversations).where(conversations.c.persona_id == persona_id).values(persona_id=None))
    return tx.execute(sa.delete(personas).where(personas.c.id == persona_id)).rowcount == 1


def forget_skill(tx: Tx, name: str) -> None:
    """Nobody preloads this skill any more, and no conversation has it chosen."""
    for persona in everyone(tx):
        if name in persona.preload_skills:
            put(tx, replace(persona, preload_skills=tuple(each for each in persona.preload_skills if each != name)))
    tx.execute(sa.delete(chosen_skills).where(chosen_skills.c.skill == name))


def _written(persona: Persona) -> dict[str, Any]:
    values = {name: getattr(persona, name) for name in _NAMES}
    return values | {"preload_skills": json.dumps(persona.preload_skills)}


def _read(row: Row) -> Persona:
    given = dict(zip(_NAMES, row, strict=True))
    return Persona(**given | {"preload_skills": tuple(json.loads(given["preload_skills"]))})
