"""Personas: named characters with a model and instructions of their own."""

from pydantic import ConfigDict, Field
from pydantic.config import JsonDict

from bot.domain.capability import DefaultBuiltin
from bot.domain.persona import Mode, Persona
from bot.errors import Unknown
from bot.registrar import PersonaChanges
from bot.store import personas
from bot.store.database import Tx
from bot.web.api.desk import Desk
from bot.web.api.endpoint import Asked, ById, Endpoint, Given, InTx, Nothing, Shown
from bot.web.api.paging import Page, Paged, listed
from bot.web.api.values import DisplayName, Instructions, Name, PersonaId

EXAMPLE: JsonDict = {"id": "clerk", "display_name": "Clerk", "model": "main", "instructions": "Keep it short."}


class PersonaShown(Shown):
    id: str
    display_name: str
    model: str
    instructions: str
    mode: Mode
    default_builtin: DefaultBuiltin
    preload_skills: list[str]


class NewPersona(Given):
    """`model`: a name under `models` in the configuration."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    id: PersonaId
    display_name: DisplayName
    model: Name
    instructions: Instructions = ""
    mode: Mode = "direct"
    default_builtin: DefaultBuiltin = "allow"
    preload_skills: list[Name] = Field(default_factory=list)


class PersonaPatch(Given):
    """What is left out, or null, stays as it is."""

    display_name: DisplayName | None = None
    model: Name | None = None
    instructions: Instructions | None = None
    mode: Mode | None = None
    default_builtin: DefaultBuiltin | None = None
    preload_skills: list[Name] | None = None


def _shown(persona: Persona) -> PersonaShown:
    return PersonaShown(
        id=persona.id,
        display_name=persona.display_name,
        model=persona.model,
        instructions=persona.instructions,
        mode=persona.mode,
        default_builtin=persona.default_builtin,
        preload_skills=list(persona.preload_skills),
    )


def known(tx: Tx, persona_id: str) -> Persona:
    """Raises Unknown."""
    persona = personas.find(tx, persona_id)
    if persona is None:
        raise Unknown(f"There is no persona {persona_id}.", "unknown_persona")
    return persona


def _all(_desk: Desk, tx: Tx, asked: Asked[Nothing, Paged, Nothing]) -> Page[PersonaShown]:
    return listed(personas.everyone(tx), asked.query, _shown, lambda persona: persona.id)


def _one(_desk: Desk, tx: Tx, asked: Asked[ById, Nothing, Nothing]) -> PersonaShown:
    return _shown(known(tx, asked.path.id))


def _make(desk: Desk, tx: Tx, asked: Asked[Nothing, Nothing, NewPersona]) -> PersonaShown:
    given = asked.body
    persona = Persona(
        given.id,
        given.display_name,
        given.model,
        given.instructions,
        given.mode,
        given.default_builtin,
        tuple(given.preload_skills),
    )
    desk.admin.registrar.create_persona(tx, persona, asked.by.who, asked.now)
    return _shown(persona)


def _change(desk: Desk, tx: Tx, asked: Asked[ById, Nothing, PersonaPatch]) -> PersonaShown:
    given = asked.body
    changes = PersonaChanges(
        given.display_name,
        given.model,
        given.instructions,
        given.mode,
        given.default_builtin,
        None if given.preload_skills is None else tuple(given.preload_skills),
    )
    return _shown(desk.admin.registrar.change_persona(tx, asked.path.id, changes, asked.by.who, asked.now))


def _delete(desk: Desk, tx: Tx, asked: Asked[ById, Nothing, Nothing]) -> Nothing:
    desk.admin.registrar.delete_persona(tx, asked.path.id, asked.by.who, asked.now)
    return Nothing()


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/personas",
        "The personas",
        "read",
        in_path=Nothing,
        in_query=Paged,
        in_body=Nothing,
        answer=Page[PersonaShown],
        handler=InTx(_all),
    ),
    Endpoint(
        "POST",
        "/api/personas",
        "Make a persona",
        "admin",
        in_path=Nothing,
        in_query=Nothing,
        in_body=NewPersona,
        answer=PersonaShown,
        handler=InTx(_make),
        status=201,
        refusals=(409,),
    ),
    Endpoint(
        "GET",
        "/api/personas/{id}",
        "One persona",
        "read",
        in_path=ById,
        in_query=Nothing,
        in_body=Nothing,
        answer=PersonaShown,
        handler=InTx(_one),
    ),
    Endpoint(
        "PATCH",
        "/api/personas/{id}",
        "Change a persona",
        "admin",
        in_path=ById,
        in_query=Nothing,
        in_body=PersonaPatch,
        answer=PersonaShown,
        handler=InTx(_change),
    ),
    Endpoint(
        "DELETE",
        "/api/personas/{id}",
        "Delete a persona with its grants, sessions and runs",
        "admin",
        in_path=ById,
        in_query=Nothing,
        in_body=Nothing,
        answer=Nothing,
        handler=InTx(_delete),
        status=204,
        refusals=(409,),
    ),
)
