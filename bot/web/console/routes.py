"""What a browser may ask of the console, all below `/console/`. Nothing is changed here but who is signed in."""

from collections.abc import Sequence
from gettext import gettext as _

from aiohttp import web

from bot.clock import Clock
from bot.domain.access import API_ADMIN
from bot.errors import StoreUnavailable
from bot.store import audit
from bot.web.api.desk import Desk
from bot.web.console import why
from bot.web.console.entrance import Entrance
from bot.web.console.pages import Pages
from bot.web.errors import Refused, refused

HOME = "/console/why"
LONGEST = 300
"""Characters of a name that is asked about."""


class Console:
    def __init__(self, desk: Desk, entrance: Entrance, pages: Pages, clock: Clock) -> None:
        self._desk = desk
        self._entrance = entrance
        self._pages = pages
        self._clock = clock

    def routes(self) -> Sequence[web.RouteDef]:
        return (
            web.get("/console", self.home),
            web.get("/console/", self.home),
            web.get(HOME, self.why),
            web.post("/console/sign-in", self.sign_in),
            web.post("/console/sign-out", self.sign_out),
            web.get("/console/static/{file}", self.file),
        )

    async def home(self, _request: web.Request) -> web.StreamResponse:
        return _to(HOME)

    async def file(self, request: web.Request) -> web.StreamResponse:
        return self._pages.file(request)

    async def why(self, request: web.Request) -> web.StreamResponse:
        who = self._entrance.admin(request)
        if who is None:
            return self._closed(request)
        persona, capability = (request.query.get(name, "").strip()[:LONGEST] for name in ("persona", "capability"))
        try:
            view = await self._desk.store.light(why.look, self._desk, persona, capability, self._clock())
        except StoreUnavailable as error:
            return self._pages.html("trouble.html", 503, who=who, by_token=who == API_ADMIN, text=str(error))
        status = 404 if view.trouble else 200
        return self._pages.html("why.html", status, who=who, by_token=who == API_ADMIN, view=view)

    async def sign_in(self, request: web.Request) -> web.StreamResponse:
        self._from_us(request)
        given = (await request.post()).get("token")
        response = _to(HOME)
        try:
            taken = isinstance(given, str) and self._entrance.sign_in(request, given.strip(), response)
        except Refused as error:
            return self._closed(request, error.refusal.message, error.refusal.status)
        if not taken:
            words = _("This is not the admin token. Nobody was signed in.")
            return self._closed(request, words, 403)
        await self._desk.store.tx(audit.record, self._clock(), API_ADMIN, "console_signed_in", "", {})
        return response

    async def sign_out(self, request: web.Request) -> web.StreamResponse:
        self._from_us(request)
        response = _to(HOME)
        self._entrance.sign_out(response)
        return response

    def _from_us(self, request: web.Request) -> None:
        """Raises Refused."""
        if not self._entrance.ours(request):
            words = _(
                "This did not come from the console, so nothing was done. Load the page again and repeat it there."
            )
            raise refused(403, "foreign_page", words)

    def _closed(self, request: web.Request, trouble: str = "", status: int = 0) -> web.Response:
        """The page that says how one gets in."""
        visitor = self._entrance.visitor(request)
        return self._pages.html(
            "closed.html",
            status or (401 if visitor is None else 403),
            visitor=None if visitor is None else visitor.display,
            takes_token=self._entrance.takes_token,
            trouble=trouble,
        )


def _to(address: str) -> web.Response:
    return web.Response(status=303, headers={"Location": address, "Cache-Control": "no-store"})
