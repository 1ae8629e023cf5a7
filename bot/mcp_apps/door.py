"""Who calls an app: a program with a task token, from no page of another site."""

from collections.abc import Mapping
from gettext import gettext as _
from typing import Any

from aiohttp import web

from bot.clock import Clock
from bot.outsider import Outsider
from bot.web.api.gate import bearer
from bot.web.api.guesses import Guesses
from bot.web.errors import Refusal, Refused, refused
from bot.web.hosts import Hosts, from_our_pages

WHO = "askfirst.token"
"""Under this the ASGI scope of a request holds its token: identity comes from each request, never from a session."""


PROBE = "askfirst.probe"
"""Set in the scope of a request that we make to ourselves: it sees every tool, and may call none."""


class Door:
    def __init__(self, outsider: Outsider, hosts: Hosts, clock: Clock) -> None:
        self._outsider = outsider
        self._hosts = hosts
        self._clock = clock
        self._guesses = Guesses()

    async def admit(self, request: web.Request) -> Mapping[str, Any]:
        """The request's token, for its scope. Raises Refused: 403, 401, or 429 after too many wrong ones."""
        if not from_our_pages(request, self._hosts):
            raise refused(403, "foreign_origin", _("This came from a page of another site, so nothing was done."))
        secret = bearer(request)
        if secret is None:
            raise refused(401, "unauthorized", _("Send a task token: Authorization: Bearer …. Nothing was done."))
        peer, now = request.remote or "", self._clock()
        wait = self._guesses.wait(peer, now)
        if wait:
            words = _("Too many wrong tokens came from this address. Nothing was done. Try again later.")
            raise Refused(Refusal(429, "too_many_failures", words, retry_after=wait))
        token = await self._outsider.admit(secret)
        if token is None:
            self._guesses.wrong(peer, now)
            raise refused(401, "unauthorized", _("This task token is not valid (any more). Nothing was done."))
        return {WHO: token}
