"""Who has what: everybody and everything at once, and one change at a time."""

from typing import Annotated

from pydantic import Field

from bot.domain.views import AssignedItem, AssignmentsView, Kind
from bot.store.database import Tx
from bot.web.api.desk import Desk
from bot.web.api.endpoint import Asked, Endpoint, Given, InTx, Nothing, Shown
from bot.web.api.values import PersonaId


def _absent(value: object) -> bool:
    return value is None


class PersonaNamed(Shown):
    id: str
    name: str


class ItemShown(Shown):
    """`default_assigned`: what a persona has that the overrides do not name. What does not apply to a kind is left out."""

    kind: Kind
    id: str
    name: str
    group: str
    builtin: bool
    default_assigned: bool
    description: str
    locked: bool
    enabled: bool | None = Field(default=None, exclude_if=_absent)
    trusted: bool | None = Field(default=None, exclude_if=_absent)
    allowed_persona_ids: list[str] | None = Field(default=None, exclude_if=_absent)


class AssignmentsShown(Shown):
    """`overrides`: by persona and capability."""

    personas: list[PersonaNamed]
    items: list[ItemShown]
    overrides: dict[str, dict[str, bool]]


class Assignment(Given):
    """`id`: of an item, as it is listed, or the whole id of its capability."""

    persona_id: PersonaId
    kind: Kind
    id: Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^\s\x00]+$")]
    assigned: bool


def _shown(view: AssignmentsView) -> AssignmentsShown:
    return AssignmentsShown(
        personas=[PersonaNamed(id=each.id, name=each.name) for each in view.personas],
        items=[_item(item) for item in view.items],
        overrides={persona_id: dict(own) for persona_id, own in view.overrides.items()},
    )


def _item(item: AssignedItem) -> ItemShown:
    return ItemShown(
        kind=item.kind,
        id=item.id,
        name=item.name,
        group=item.group,
        builtin=item.builtin,
        default_assigned=item.default_assigned,
        description=item.description,
        locked=item.locked,
        enabled=item.enabled,
        trusted=item.trusted,
        allowed_persona_ids=None if item.allowed_persona_ids is None else list(item.allowed_persona_ids),
    )


def _look(desk: Desk, tx: Tx, asked: Asked[Nothing, Nothing, Nothing]) -> AssignmentsShown:
    return _shown(desk.admin.assignments.view(tx, asked.now))


def _assign(desk: Desk, tx: Tx, asked: Asked[Nothing, Nothing, Assignment]) -> AssignmentsShown:
    wish = asked.body
    desk.admin.assignments.assign(tx, wish.persona_id, wish.kind, wish.id, wish.assigned, asked.by.who, asked.now)
    return _shown(desk.admin.assignments.view(tx, asked.now))


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/capabilities/assignments",
        "Who has what",
        "read",
        in_path=Nothing,
        in_query=Nothing,
        in_body=Nothing,
        answer=AssignmentsShown,
        handler=InTx(_look),
    ),
    Endpoint(
        "PATCH",
        "/api/capabilities/assignments",
        "Let one persona have one item, or not",
        "admin",
        in_path=Nothing,
        in_query=Nothing,
        in_body=Assignment,
        answer=AssignmentsShown,
        handler=InTx(_assign),
        refusals=(404,),
    ),
)
