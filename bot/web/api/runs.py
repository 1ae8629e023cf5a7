"""Runs: how the work for each message stands, and an end to it."""

from collections.abc import Callable
from gettext import gettext as _

from pydantic import Field

from bot.domain.run import RunState
from bot.errors import Unknown
from bot.store import listings
from bot.store.database import Tx
from bot.store.listings import Work
from bot.web.api.desk import Desk
from bot.web.api.endpoint import Asked, ById, Endpoint, InTx, Nothing, Shown
from bot.web.api.paging import Page, Paged, number, page
from bot.web.errors import refused


def _absent(value: object) -> bool:
    return value is None


class RunError(Shown):
    code: str
    message: str


class Usage(Shown):
    """Tokens."""

    input_tokens: int
    output_tokens: int


class RunShown(Shown):
    """`session_id` null: the session has ended. `cost`: in dollars, where the model says it. `task_token`: it is no message
    but the call of a program that holds this token, `within` the run that the token belongs to, if it belongs to one."""

    id: str
    session_id: str | None
    persona_id: str
    channel: str
    conversation: str
    user: str
    state: RunState
    created_at: float
    ended_at: float | None
    error: RunError | None = Field(default=None, exclude_if=_absent)
    usage: Usage
    cost: str | None = Field(default=None, exclude_if=_absent)
    task_token: str | None = Field(default=None, exclude_if=_absent)
    within: str | None = Field(default=None, exclude_if=_absent)


class RunQuery(Paged):
    state: RunState | None = None


def _shown(work: Work, clean: Callable[[str], str]) -> RunShown:
    error = None
    if work.error_code is not None:
        error = RunError(code=work.error_code, message=clean(work.error_message or ""))
    return RunShown(
        id=work.id,
        session_id=work.session_id,
        persona_id=work.persona_id,
        channel=work.channel,
        conversation=work.conversation,
        user=work.user,
        state=work.state,
        created_at=work.created_at,
        ended_at=work.ended_at,
        error=error,
        usage=Usage(input_tokens=work.input_tokens, output_tokens=work.output_tokens),
        cost=work.cost,
        task_token=work.token_id,
        within=work.parent_id,
    )


def known(tx: Tx, run_id: str) -> Work:
    """Raises Unknown."""
    work = listings.work(tx, run_id)
    if work is None:
        raise Unknown(_("There is no run {id}.").format(id=run_id), "unknown_run")
    return work


def _all(desk: Desk, tx: Tx, asked: Asked[Nothing, RunQuery, Nothing]) -> Page[RunShown]:
    said = asked.query
    found = listings.runs(tx, said.state, number(said.cursor), said.limit + 1)
    return page(found, said.limit, lambda work: _shown(work, desk.clean), lambda work: work.seq)


def _one(desk: Desk, tx: Tx, asked: Asked[ById, Nothing, Nothing]) -> RunShown:
    return _shown(known(tx, asked.path.id), desk.clean)


def _cancel(desk: Desk, tx: Tx, asked: Asked[ById, Nothing, Nothing]) -> RunShown:
    known(tx, asked.path.id)
    if not desk.closer.cancel(tx, asked.path.id, asked.by.who, _("cancelled by an admin"), asked.now):
        raise refused(409, "run_ended", _("This run has ended, so nothing was done."))
    return _shown(known(tx, asked.path.id), desk.clean)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/runs",
        "The runs, the newest first",
        "read",
        in_path=Nothing,
        in_query=RunQuery,
        in_body=Nothing,
        answer=Page[RunShown],
        handler=InTx(_all),
    ),
    Endpoint(
        "GET",
        "/api/runs/{id}",
        "One run",
        "read",
        in_path=ById,
        in_query=Nothing,
        in_body=Nothing,
        answer=RunShown,
        handler=InTx(_one),
    ),
    Endpoint(
        "POST",
        "/api/runs/{id}/cancel",
        "End a run, and close its cards",
        "admin",
        in_path=ById,
        in_query=Nothing,
        in_body=Nothing,
        answer=RunShown,
        handler=InTx(_cancel),
        refusals=(409,),
    ),
)
