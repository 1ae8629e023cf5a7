"""Who looks at the browser chat: a signed cookie got by a one-time link, or whoever sits at this machine."""

import secrets
import time
from typing import TYPE_CHECKING

from aiohttp import web
from itsdangerous import BadData, URLSafeTimedSerializer

from bot.clock import Clock
from bot.errors import AskfirstError
from bot.store import signin_links
from bot.store.database import Store, Tx
from bot.web.hosts import Hosts, from_our_pages, on_this_machine
from channels.web.visitors import NAME, Identify, Visitor

LINK_S = 900.0
"""How long a sign-in link can be used."""

COOKIE_S = 30 * 86_400
"""How long a browser stays signed in."""

HERE = Visitor("admin", "admin", signed_in=False)
"""The visitor on loopback."""


class BadName(AskfirstError):
    """A visitor's name has 1 to 40 of a-z, 0-9, dot, dash and underscore, and starts with a letter or digit."""


def make_link(tx: Tx, name: str, now: float, ttl: float = LINK_S) -> str:
    """The secret of a link that signs `name` in once, within `ttl` seconds: `…/sign-in?link=<secret>`. Raises BadName."""
    if not NAME.fullmatch(name):
        raise BadName(f"{name!r} cannot be a visitor's name, so no link was made. {BadName.__doc__}")
    secret = secrets.token_urlsafe(24)
    signin_links.add(tx, secret, name, now + ttl, now)
    return secret


class Door:
    """`key` signs the cookies: whoever changes it signs everyone out."""

    def __init__(self, store: Store, hosts: Hosts, key: bytes, clock: Clock = time.time) -> None:
        self._store = store
        self._hosts = hosts
        self._cookies = URLSafeTimedSerializer(key, salt="askfirst web visitor")
        self._clock = clock
        # The prefix lets no neighbouring host set or overwrite it; browsers take it over https only.
        self._cookie = "__Host-askfirst" if hosts.secure else "askfirst"

    def visitor(self, request: web.Request) -> Visitor | None:
        """A cookie of ours goes before the place: on this machine, too, one can be someone else to try things."""
        name = self._signed_name(request.cookies.get(self._cookie, ""))
        if name is not None:
            return Visitor(name, name, signed_in=True)
        return HERE if self._hosts.only_here and on_this_machine(request) else None

    def ours(self, request: web.Request) -> bool:
        return from_our_pages(request, self._hosts)

    async def sign_in(self, link: str, response: web.StreamResponse) -> Visitor | None:
        name = await self._store.tx(signin_links.use, link, self._clock())
        if name is None:
            return None
        response.set_cookie(
            self._cookie,
            self._cookies.dumps(name),
            max_age=COOKIE_S,
            path="/",
            httponly=True,
            samesite="Lax",
            secure=self._hosts.secure,
        )
        return Visitor(name, name, signed_in=True)

    def sign_out(self, response: web.StreamResponse) -> None:
        response.del_cookie(self._cookie, path="/", httponly=True, samesite="Lax", secure=self._hosts.secure)

    def _signed_name(self, cookie: str) -> str | None:
        try:
            name = self._cookies.loads(cookie, max_age=COOKIE_S)
        except BadData:
            return None
        return name if isinstance(name, str) and NAME.fullmatch(name) else None


if TYPE_CHECKING:
    _: type[Identify] = Door
