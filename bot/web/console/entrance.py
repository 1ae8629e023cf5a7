"""Who may see the console: an admin whom the browser chat knows, or whoever brought the API's admin token."""

import hashlib
from collections.abc import Sequence

from aiohttp import web
from itsdangerous import BadData, URLSafeTimedSerializer

from bot.clock import Clock
from bot.domain.access import API_ADMIN, House
from bot.web.api.gate import Gate
from bot.web.auth import Door
from bot.web.hosts import Hosts, from_our_pages
from channels.web.visitors import Visitor

COOKIE_S = 12 * 3_600
"""How long a browser that brought the token stays signed in."""


class Entrance:
    """`key` signs the cookie, together with the token: whoever changes either signs everyone out. `chats` are the names of
    the browser chats."""

    def __init__(
        self,
        door: Door,
        chats: Sequence[str],
        house: House,
        gate: Gate,
        admin_token: str | None,
        hosts: Hosts,
        key: bytes,
        clock: Clock,
    ) -> None:
        self._door = door
        self._chats = chats
        self._house = house
        self._gate = gate
        self._hosts = hosts
        self._clock = clock
        self.takes_token = admin_token is not None
        mixed = hashlib.sha256(key + b"\0" + (admin_token or "").encode()).digest()
        self._cookies = URLSafeTimedSerializer(mixed, salt="askfirst console")
        self._cookie = "__Host-askfirst-console" if hosts.secure else "askfirst-console"

    def admin(self, request: web.Request) -> str | None:
        """Who looks, as the audit calls them; None for whoever is no admin, or unknown."""
        if self._has_cookie(request):
            return API_ADMIN
        visitor = self.visitor(request)
        return None if visitor is None else self._admin(visitor)

    def visitor(self, request: web.Request) -> Visitor | None:
        """Whom the browser chat takes them for."""
        return self._door.visitor(request) if self._chats else None

    def invites(self, visitor: Visitor) -> bool:
        """Whether this visitor of the chat may see the console."""
        return self._admin(visitor) is not None

    def _admin(self, visitor: Visitor) -> str | None:
        named = (f"{chat}:{visitor.name}" for chat in self._chats)
        return next((person for person in named if self._house.is_admin(person)), None)

    def ours(self, request: web.Request) -> bool:
        return from_our_pages(request, self._hosts)

    def sign_in(self, request: web.Request, token: str, response: web.StreamResponse) -> bool:
        """Let `response` remember whoever brought the token. Raises Refused after too many wrong ones."""
        if not self._gate.is_configured(token, request.remote or "", self._clock()):
            return False
        response.set_cookie(
            self._cookie,
            self._cookies.dumps("admin"),
            max_age=COOKIE_S,
            path="/",
            httponly=True,
            samesite="Strict",
            secure=self._hosts.secure,
        )
        return True

    def sign_out(self, response: web.StreamResponse) -> None:
        response.del_cookie(self._cookie, path="/", httponly=True, samesite="Strict", secure=self._hosts.secure)

    def _has_cookie(self, request: web.Request) -> bool:
        if not self.takes_token:
            return False
        try:
            return bool(self._cookies.loads(request.cookies.get(self._cookie, ""), max_age=COOKIE_S) == "admin")
        except BadData:
            return False
