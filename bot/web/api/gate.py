"""Who calls the API: a bearer token, the configured one or one of the store, and nothing else."""

import hashlib
import hmac
from gettext import gettext as _

from aiohttp import web

from bot.store import api_tokens
from bot.store.database import Store
from bot.web.api.endpoint import Caller
from bot.web.api.guesses import Guesses
from bot.web.errors import Refusal, Refused, refused

CONFIGURED = "admin"
"""What the audit calls the token of the configuration; none of the store may bear this name."""

LONGEST_SECRET = 1024


class Gate:
    def __init__(self, store: Store, admin_token: str | None) -> None:
        """Without `admin_token` the API is closed, also to tokens of the store."""
        self._store = store
        self._admin = None if admin_token is None else _digest(admin_token)
        self._guesses = Guesses()

    def is_configured(self, secret: str, peer: str, now: float) -> bool:
        """Is this the configured token? A wrong one counts as at the API. Raises Refused: 429 where too many came from."""
        if self._admin is None:
            return False
        self._slow_down(peer, now)
        if hmac.compare_digest(_digest(secret), self._admin):
            return True
        self._guesses.wrong(peer, now)
        return False

    async def admit(self, request: web.Request, now: float) -> Caller:
        """Raises Refused: 401, or 429 where too many wrong tokens came from."""
        if self._admin is None:
            words = _("The API is closed, so nothing was done. Whoever runs this can open it with http.admin_token.")
            raise refused(401, "api_closed", words)
        secret = bearer(request)
        if secret is None:
            raise refused(401, "unauthorized", _("Send a token: Authorization: Bearer …. Nothing was done."))
        peer = request.remote or ""
        self._slow_down(peer, now)
        caller = await self._caller(secret, self._admin, now)
        if caller is None:
            self._guesses.wrong(peer, now)
            raise refused(401, "unauthorized", _("This token is not valid (any more). Nothing was done."))
        return caller

    def _slow_down(self, peer: str, now: float) -> None:
        wait = self._guesses.wait(peer, now)
        if wait:
            words = _("Too many wrong tokens came from this address. Nothing was done. Try again later.")
            raise Refused(Refusal(429, "too_many_failures", words, retry_after=wait))

    async def _caller(self, secret: str, admin: str, now: float) -> Caller | None:
        if hmac.compare_digest(_digest(secret), admin):
            return Caller(CONFIGURED, "admin")
        token = await self._store.light(api_tokens.use, secret, now)
        return None if token is None else Caller(token.name, token.scope, token.id)


def bearer(request: web.Request) -> str | None:
    """The secret that a request shows, if it shows one, in the one way that there is."""
    given = request.headers.getall("Authorization", [])
    if len(given) != 1:
        return None
    scheme, _space, secret = given[0].partition(" ")
    secret = secret.strip()
    return secret if scheme.lower() == "bearer" and 0 < len(secret) <= LONGEST_SECRET else None


def _digest(secret: str) -> str:
    """Of one length whatever it is made of, so that comparing tells nothing."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
