"""Under which names we may be reached. A page of another site that points its own name at us is told no (DNS rebinding)."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from aiohttp import web

from bot.config.values import loopback

_FORWARDING = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via")


@dataclass(frozen=True, slots=True)
class Hosts:
    """`public_url` is empty when we are only used on this machine; `allowed` are further names, with or without a port."""

    public_url: str
    allowed: tuple[str, ...] = ()

    @property
    def secure(self) -> bool:
        """Whether browsers reach us by https."""
        return urlsplit(self.public_url).scheme == "https"

    @property
    def only_here(self) -> bool:
        """Whether nobody reaches us from elsewhere. Where people do, a proxy on this machine may pass their requests on
        without a word of where they came from, so that being on this machine proves nothing."""
        name = urlsplit(self.public_url).hostname
        return name is None or loopback(name)

    def known(self, host: str) -> bool:
        """Whether a Host header names us; the port does not matter."""
        name = bare(host)
        if not name:
            return False
        return loopback(name) or name == bare(urlsplit(self.public_url).netloc) or name in map(bare, self.allowed)

    def origin_known(self, origin: str, host: str) -> bool:
        """Whether an Origin header is that of our own pages as seen under `host`, port included."""
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https"):
            return False
        public = urlsplit(self.public_url)
        if public.netloc and (parts.scheme, parts.netloc.lower()) == (public.scheme, public.netloc.lower()):
            return True
        return parts.netloc.lower() == host.lower()


def bare(host: str) -> str:
    """A host without its port, in lower case; empty for what is not one."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def from_our_pages(request: web.Request, hosts: Hosts) -> bool:
    """Browsers say where a request comes from; what says nothing is no browser, and carries nobody's cookie."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None and site != "same-origin":
        return False
    origin = request.headers.get("Origin")
    return origin is None or hosts.origin_known(origin, request.host)


def on_this_machine(request: web.Request) -> bool:
    """Whether the browser itself runs here: the peer, the Host and a given Origin are loopback, and nothing says that
    the request was handed on. HTTP/1.0 counts as handed on: no browser speaks it, and it is all that nginx says of
    itself unless told to say more."""
    peer = request.transport.get_extra_info("peername") if request.transport else None
    origin = request.headers.get("Origin")
    return (
        isinstance(peer, tuple)
        and loopback(peer[0])
        and loopback(bare(request.host))
        and (origin is None or loopback(urlsplit(origin).hostname or ""))
        and request.version >= (1, 1)
        and not any(name in request.headers for name in _FORWARDING)
    )
