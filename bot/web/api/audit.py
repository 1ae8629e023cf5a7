"""The audit: who did what, the newest first."""

import json

from bot.domain.chain import Link
from bot.store import listings
from bot.store.database import Tx
from bot.web.api.desk import Desk
from bot.web.api.endpoint import Asked, Endpoint, InTx, Nothing, Shown
from bot.web.api.paging import Page, Paged, number, page


class EntryShown(Shown):
    """`hash`: over this entry and the one before it."""

    id: int
    at: float
    who: str
    action: str
    subject: str
    detail: dict[str, str]
    hash: str


def _shown(link: Link) -> EntryShown:
    return EntryShown(
        id=link.id,
        at=link.at,
        who=link.who,
        action=link.action,
        subject=link.subject,
        detail=json.loads(link.detail),
        hash=link.hash,
    )


def _all(_desk: Desk, tx: Tx, asked: Asked[Nothing, Paged, Nothing]) -> Page[EntryShown]:
    limit = asked.query.limit
    return page(listings.audit(tx, number(asked.query.cursor), limit + 1), limit, _shown, lambda link: link.id)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/audit",
        "The audit, the newest entry first",
        "read",
        in_path=Nothing,
        in_query=Paged,
        in_body=Nothing,
        answer=Page[EntryShown],
        handler=InTx(_all),
    ),
)
