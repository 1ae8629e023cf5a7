"""Makes and revokes tokens for the API."""

import re
import secrets
from gettext import gettext as _

from bot.clock import new_id
from bot.errors import Impossible, Taken, Unknown
from bot.store import api_tokens, audit
from bot.store.api_tokens import Scope, Token
from bot.store.database import Tx
from bot.web.api.gate import CONFIGURED

PREFIX = "askfirst_"
"""What a secret begins with, so that it is known for one wherever it turns up."""

MADE_BY = "askfirst"

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


def make(tx: Tx, name: str, scope: Scope, now: float) -> tuple[Token, str]:
    """The token and its secret, which is nowhere else. Raises Impossible (a bad name) or Taken."""
    if not _NAME.fullmatch(name) or name == CONFIGURED:
        words = _(
            "{name} cannot be the name of a token, so none was made. It has 1 to 40 of a-z, 0-9, dot, dash and underscore, "
            "starts with a letter or digit, and is not {configured}."
        )
        raise Impossible(words.format(name=repr(name), configured=CONFIGURED), "bad_name", "name")
    token = Token(new_id("tok"), name, scope, MADE_BY, now)
    secret = PREFIX + secrets.token_urlsafe(32)
    if not api_tokens.add(tx, token, secret):
        words = _("There is a token {name} in use, so none was made. Revoke that one, or choose another name.")
        raise Taken(words.format(name=name), "token_taken", "name")
    audit.record(tx, now, MADE_BY, "token_made", token.id, {"name": name, "scope": scope})
    return token, secret


def revoke(tx: Tx, token_id: str, now: float) -> Token:
    """The token as it was. Raises Unknown."""
    token = api_tokens.revoke(tx, token_id, now)
    if token is None:
        words = _("No token {id} is in use, so nothing was done. askfirst token list shows those there are.")
        raise Unknown(words.format(id=token_id), "unknown_token", "id")
    audit.record(tx, now, MADE_BY, "token_revoked", token.id, {"name": token.name})
    return token
