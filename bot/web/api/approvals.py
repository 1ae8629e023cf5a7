"""Approvals: what waits for a person, and deciding it."""

import json
from gettext import gettext as _
from typing import Annotated

from pydantic import Field, JsonValue

from bot.cards import masked
from bot.domain.access import API_ADMIN, Decider
from bot.domain.approval import Approval, ApprovalState
from bot.errors import Unknown
from bot.store import approvals, listings, names
from bot.store.database import Tx
from bot.web.api.desk import Desk
from bot.web.api.endpoint import Asked, ById, Caller, Endpoint, Given, InTx, Nothing, Shown
from bot.web.api.paging import Page, Paged, moment, page
from bot.web.api.values import Person, Reason
from bot.web.errors import Refusal
from channels.events import Conversation, Sender


class CardPlace(Shown):
    """Where it is asked."""

    channel: str
    conversation: str


class ApprovalShown(Shown):
    """`arguments`: exactly what will be used, secrets masked. `effect_text`: what the call will do."""

    id: str
    code: str
    run_id: str
    persona_id: str
    capability_id: str
    arguments: dict[str, JsonValue]
    digest: str
    effect_text: str
    requested_by: str
    state: ApprovalState
    created_at: float
    expires_at: float
    decided_by: str | None
    decided_at: float | None
    reason: str | None
    card: CardPlace


class ApprovalQuery(Paged):
    state: ApprovalState | None = None


class Verdict(Given):
    """`as`: on whose behalf it is decided, such as `tg:4242`, who must have the right; left out: as an admin."""

    reason: Reason | None = None
    on_behalf: Annotated[Person | None, Field(alias="as")] = None


def _shown(desk: Desk, approval: Approval) -> ApprovalShown:
    place = approval.rules.place or approval.conversation
    arguments = masked(json.loads(approval.arguments))
    assert isinstance(arguments, dict)
    return ApprovalShown(
        id=approval.id,
        code=approval.code,
        run_id=approval.run_id,
        persona_id=approval.persona_id,
        capability_id=approval.capability_id,
        arguments=arguments,
        digest=approval.digest,
        effect_text=desk.clean(approval.effect_text),
        requested_by=approval.requested_by,
        state=approval.state,
        created_at=approval.created_at,
        expires_at=approval.expires_at,
        decided_by=approval.decided_by,
        decided_at=approval.decided_at,
        reason=approval.reason,
        card=CardPlace(channel=Conversation.parse(place).channel, conversation=place),
    )


def _all(desk: Desk, tx: Tx, asked: Asked[Nothing, ApprovalQuery, Nothing]) -> Page[ApprovalShown]:
    said = asked.query
    found = listings.approvals(tx, said.state, moment(said.cursor), said.limit + 1)
    return page(
        found, said.limit, lambda approval: _shown(desk, approval), lambda approval: (approval.created_at, approval.id)
    )


def _approve(desk: Desk, tx: Tx, asked: Asked[ById, Nothing, Verdict]) -> ApprovalShown | Refusal:
    return _decide(desk, tx, asked, approve=True)


def _reject(desk: Desk, tx: Tx, asked: Asked[ById, Nothing, Verdict]) -> ApprovalShown | Refusal:
    return _decide(desk, tx, asked, approve=False)


def _decide(desk: Desk, tx: Tx, asked: Asked[ById, Nothing, Verdict], *, approve: bool) -> ApprovalShown | Refusal:
    """What the press of a button would do. A Refusal is returned, not raised: that it was tried is in the audit, and what
    has expired is closed."""
    approval = approvals.find(tx, asked.path.id)
    if approval is None:
        raise Unknown(_("There is no approval {id}.").format(id=asked.path.id), "unknown_approval")
    by = _decider(tx, asked.body.on_behalf, asked.by)
    receipt = desk.approver.take(tx, approval, approve, by, asked.body.reason or None, asked.now)
    fresh = approvals.find(tx, approval.id) or approval
    if not receipt.alert:
        return _shown(desk, fresh)
    if not desk.approver.may_decide(approval, by):
        return Refusal(403, "may_not_decide", receipt.notice or "")
    code = "agreed_before" if fresh.state == "pending" else f"{fresh.state}_before"
    return Refusal(409, code, receipt.notice or "")


def _decider(tx: Tx, on_behalf: str | None, caller: Caller) -> Decider:
    """Nobody here is in a conversation, so the right of its members is nobody's."""
    if on_behalf is None or on_behalf == API_ADMIN:
        channel, _colon, user = API_ADMIN.partition(":")
        return Decider(Sender(channel, user, _("an admin ({token})").format(token=caller.who)))
    channel, _colon, user = on_behalf.partition(":")
    return Decider(Sender(channel, user, names.of(tx, on_behalf)))


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/approvals",
        "What waits for a decision or waited, the newest first",
        "read",
        in_path=Nothing,
        in_query=ApprovalQuery,
        in_body=Nothing,
        answer=Page[ApprovalShown],
        handler=InTx(_all),
    ),
    Endpoint(
        "POST",
        "/api/approvals/{id}/approve",
        "Approve a call that waits",
        "admin",
        in_path=ById,
        in_query=Nothing,
        in_body=Verdict,
        answer=ApprovalShown,
        handler=InTx(_approve),
        refusals=(409,),
    ),
    Endpoint(
        "POST",
        "/api/approvals/{id}/reject",
        "Reject a call that waits",
        "admin",
        in_path=ById,
        in_query=Nothing,
        in_body=Verdict,
        answer=ApprovalShown,
        handler=InTx(_reject),
        refusals=(409,),
    ),
)
