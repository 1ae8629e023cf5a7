"""The HTTP server: what is mounted where, under which names, with which headers."""

from collections.abc import Sequence
from dataclasses import dataclass
from gettext import gettext as _

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bot.web.errors import answer, errors
from bot.web.hosts import Hosts

BODY = 1 << 20
"""Largest body that is read whole, in bytes; whoever takes more reads it piece by piece."""

_HEADERS = (
    (
        "Content-Security-Policy",
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "same-origin"),  # not no-referrer: forms would then come with Origin: null
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
)


@dataclass(frozen=True, slots=True)
class Parts:
    """`front` is the path that `/` leads to. `health`, `ready` and `metrics` answer /healthz, /readyz and /metrics."""

    hosts: Hosts
    health: Handler
    ready: Handler
    metrics: Handler
    routes: Sequence[web.AbstractRouteDef]
    front: str | None = None


def build(parts: Parts) -> web.Application:
    app = web.Application(middlewares=(errors, _host_check(parts.hosts)), client_max_size=BODY)
    app.on_response_prepare.append(_secure)
    app.router.add_get("/healthz", parts.health)
    app.router.add_get("/readyz", parts.ready)
    app.router.add_get("/metrics", parts.metrics)
    if parts.front is not None:
        app.router.add_get("/", _leads_to(parts.front))
    app.router.add_routes(parts.routes)
    return app


def _leads_to(path: str) -> Handler:
    async def front(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": path})

    return front


def _host_check(hosts: Hosts) -> Middleware:
    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if hosts.known(request.host):
            return await handler(request)
        sentence = _(
            "This service does not answer to the name it was called by, so nothing was done. "
            "Whoever runs it can add the name to http.allowed_hosts."
        )
        return answer(request, 421, "unknown_host", sentence)

    return check


async def _secure(_request: web.Request, response: web.StreamResponse) -> None:
    for name, value in _HEADERS:
        response.headers.setdefault(name, value)
