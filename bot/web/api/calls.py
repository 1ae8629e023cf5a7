"""The calls of a run, with all that their tools gave: what was cut for the model is whole here."""

import json
from typing import Any

from pydantic import Field, JsonValue

from bot.cards import masked
from bot.domain.run import Call, CallState
from bot.store import calls
from bot.store.database import Tx
from bot.web.api.desk import Desk
from bot.web.api.endpoint import Asked, ById, Endpoint, InTx, Nothing, Shown
from bot.web.api.paging import Page, Paged, listed
from bot.web.api.runs import known


class CallShown(Shown):
    """`arguments`: secrets masked. `result`: what the model was told, `whole`: all that there was, where that is more.
    `failure`: null for success, or for a call that is not answered yet."""

    id: str
    tool: str
    capability_id: str
    arguments: dict[str, JsonValue]
    digest: str
    state: CallState
    result: str | None
    whole: str | None = Field(default=None, exclude_if=lambda whole: whole is None)
    failure: str | None


def _all(desk: Desk, tx: Tx, asked: Asked[ById, Paged, Nothing]) -> Page[CallShown]:
    known(tx, asked.path.id)
    made = {f"{call.turn:06}.{call.place:06}": call for call in calls.of_runs(tx, [asked.path.id])}
    return listed(list(made), asked.query, lambda place: _shown(desk, tx, made[place]), lambda place: place)


def _shown(desk: Desk, tx: Tx, call: Call) -> CallShown:
    arguments: Any = masked(json.loads(call.arguments))
    whole = calls.whole(tx, call.id)
    return CallShown(
        id=call.id,
        tool=call.tool,
        capability_id=call.capability_id,
        arguments=arguments,
        digest=call.digest,
        state=call.state,
        result=None if call.result is None else desk.clean(call.result),
        whole=None if whole is None else desk.clean(whole),
        failure=call.failure,
    )


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/runs/{id}/calls",
        "The calls of a run, in their order, with all that their tools gave",
        "read",
        in_path=ById,
        in_query=Paged,
        in_body=Nothing,
        answer=Page[CallShown],
        handler=InTx(_all),
    ),
)
