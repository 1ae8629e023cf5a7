"""Sessions: what personas remember in conversations."""

from gettext import gettext as _

from bot.errors import Unknown
from bot.store import listings
from bot.store.database import Tx
from bot.store.sessions import Session
from bot.web.api.desk import Desk
from bot.web.api.endpoint import Asked, ById, Endpoint, InTx, Nothing, Shown
from bot.web.api.paging import Page, Paged, moment, page


class SessionShown(Shown):
    id: str
    conversation: str
    channel: str
    persona_id: str
    created_at: float


def _shown(session: Session) -> SessionShown:
    return SessionShown(
        id=session.id,
        conversation=session.conversation,
        channel=session.channel,
        persona_id=session.persona_id,
        created_at=session.created_at,
    )


def _all(_desk: Desk, tx: Tx, asked: Asked[Nothing, Paged, Nothing]) -> Page[SessionShown]:
    limit = asked.query.limit
    found = listings.sessions(tx, moment(asked.query.cursor), limit + 1)
    return page(found, limit, _shown, lambda session: (session.created_at, session.id))


def _end(desk: Desk, tx: Tx, asked: Asked[ById, Nothing, Nothing]) -> Nothing:
    session = listings.session(tx, asked.path.id)
    if session is None:
        raise Unknown(_("There is no session {id}.").format(id=asked.path.id), "unknown_session")
    desk.closer.end_session(tx, session, asked.by.who, _("the session was ended"), asked.now)
    return Nothing()


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/sessions",
        "The sessions, the newest first",
        "read",
        in_path=Nothing,
        in_query=Paged,
        in_body=Nothing,
        answer=Page[SessionShown],
        handler=InTx(_all),
    ),
    Endpoint(
        "DELETE",
        "/api/sessions/{id}",
        "End a session: its runs, their cards, and what is queued for it",
        "admin",
        in_path=ById,
        in_query=Nothing,
        in_body=Nothing,
        answer=Nothing,
        handler=InTx(_end),
        status=204,
    ),
)
