"""Task tokens: with one, another program uses what a persona may use, over MCP."""

from gettext import gettext as _
from typing import Annotated

from pydantic import Field

from bot import minter
from bot.errors import Unknown
from bot.store.database import Tx
from bot.web.api import reading
from bot.web.api.desk import Desk
from bot.web.api.endpoint import ID, Asked, ById, Endpoint, Given, InTx, Nothing, Shown
from bot.web.api.values import CapabilityId, Person, PersonaId

MOST_CAPABILITIES = 100

Seconds = Annotated[int, Field(ge=1, le=int(minter.LONGEST_S))]


class TokenWanted(Given):
    """Within a run (`run_id`), or for one person with a persona (`persona_id` and `user`), who is asked in their private
    chat. Without `capabilities` it may use all that the persona is granted."""

    run_id: Annotated[str, Field(pattern=ID)] | None = None
    persona_id: PersonaId | None = None
    user: Person | None = None
    capabilities: Annotated[list[CapabilityId], Field(min_length=1, max_length=MOST_CAPABILITIES)] | None = None
    ttl_s: Seconds


class TokenMade(Shown):
    """`token` is shown this once."""

    id: str
    token: str


def _make(desk: Desk, tx: Tx, asked: Asked[Nothing, Nothing, TokenWanted]) -> TokenMade:
    said, who, now = asked.body, asked.by.who, asked.now
    for capability in said.capabilities or ():
        if desk.toolbox.by_capability(capability) is None:
            words = _("There is no {id} that could be used with a task token, so no token was made.")
            raise Unknown(words.format(id=capability), "unknown_capability", "capabilities")
    if said.run_id is not None and said.persona_id is None and said.user is None:
        token, secret = minter.for_run_named(tx, said.run_id, said.capabilities, who, now, said.ttl_s)
    elif said.run_id is None and said.persona_id is not None and said.user is not None:
        token, secret = minter.for_person(tx, said.persona_id, said.user, said.capabilities, who, now, said.ttl_s)
    else:
        words = _("say either run_id, or persona_id and user")
        raise reading.invalid("run_id", "one_of", words)
    return TokenMade(id=token.id, token=secret)


def _revoke(desk: Desk, tx: Tx, asked: Asked[ById, Nothing, Nothing]) -> Nothing:
    minter.revoke(tx, asked.path.id, asked.by.who, asked.now)
    desk.closer.token_gone(tx, asked.path.id, asked.by.who, _("the task token was revoked"), asked.now)
    return Nothing()


ENDPOINTS = (
    Endpoint(
        "POST",
        "/api/tokens/task",
        "Make a task token, which is shown once",
        "admin",
        in_path=Nothing,
        in_query=Nothing,
        in_body=TokenWanted,
        answer=TokenMade,
        handler=InTx(_make),
        status=201,
        refusals=(404,),
    ),
    Endpoint(
        "DELETE",
        "/api/tokens/task/{id}",
        "Revoke a task token; what waits that was asked for with it is closed",
        "admin",
        in_path=ById,
        in_query=Nothing,
        in_body=Nothing,
        answer=Nothing,
        handler=InTx(_revoke),
        status=204,
    ),
)
