"""The pages of the browser chat and the files they are made of."""

import hashlib
import mimetypes
from collections.abc import Sequence
from dataclasses import dataclass
from gettext import gettext as _
from importlib import resources

from aiohttp import web
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from pydantic import BaseModel

from channels.web.limits import TYPED
from channels.web.visitors import RightsOf, Visitor

FILE_SAID = _("File: {name}")
"""What stands in the chat for a file that was sent."""

FILES = ("chat.css", "chat.js", "messages.js", "complete.js", "logo.svg")


@dataclass(frozen=True, slots=True)
class CommandHint:
    """A chat command, for the completion: `arguments` as in the help, such as `<code> [reason]`."""

    name: str
    arguments: str
    help: str


@dataclass(frozen=True, slots=True)
class Welcome:
    """What an empty chat says, and what one may try: `examples` are sent as they are written."""

    title: str
    text: str
    examples: tuple[str, ...] = ()


class _Phrases(BaseModel):
    """The sentences that the script says."""

    you: str
    queued: str
    thinking: str
    acting: str
    waiting: str
    sending: str
    not_sent: str
    retry: str
    offline: str
    reconnecting: str
    too_long: str
    too_large: str
    file: str
    close: str
    signed_out: str
    decide: str
    decided: str


class _Settings(BaseModel):
    """What the script is told; it stands in the page as data."""

    commands: tuple[CommandHint, ...]
    typed: int
    phrases: _Phrases


class Pages:
    """Reads templates and files once."""

    def __init__(self, commands: Sequence[CommandHint], welcome: Welcome, rights: RightsOf) -> None:
        loader = PackageLoader("channels.web", "templates")
        self._templates = Environment(
            loader=loader, autoescape=select_autoescape(default=True), undefined=StrictUndefined, auto_reload=False
        )
        self._welcome = welcome
        self._rights = rights
        self._settings = _Settings(commands=tuple(commands), typed=TYPED, phrases=_phrases()).model_dump_json()
        static = resources.files("channels.web") / "static"
        self._files = {name: (static / name).read_bytes() for name in FILES}

    def chat(self, visitor: Visitor) -> web.Response:
        return self._html("chat.html", 200, visitor=visitor, rights=self._rights(visitor))

    def sign_in(self, link: str) -> web.Response:
        """A page whose button uses the link up: whoever only looks at it (a link preview, say) does not."""
        return self._html("sign_in.html", 200, state="link", link=link)

    def link_useless(self) -> web.Response:
        return self._html("sign_in.html", 403, state="useless", link="")

    def strangers(self) -> web.Response:
        """For someone who is not signed in."""
        return self._html("sign_in.html", 401, state="none", link="")

    def file(self, request: web.Request) -> web.Response:
        name = request.match_info["file"]
        content = self._files.get(name)
        if content is None:
            raise web.HTTPNotFound
        mark = hashlib.sha256(content).hexdigest()[:24]
        headers = {"ETag": f'"{mark}"', "Cache-Control": "no-cache"}
        if any(mark == tag.value for tag in request.if_none_match or ()):
            return web.Response(status=304, headers=headers)
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return web.Response(body=content, content_type=kind, charset="utf-8", headers=headers)

    def _html(self, template: str, status: int, **values: object) -> web.Response:
        text = self._templates.get_template(template).render(
            welcome=self._welcome, settings=self._settings, _=_, **values
        )
        return web.Response(status=status, text=text, content_type="text/html", headers={"Cache-Control": "no-store"})


def _phrases() -> _Phrases:
    return _Phrases(
        you=_("You"),
        queued=_("Waiting for its turn …"),
        thinking=_("Thinking …"),
        acting=_("Using a tool …"),
        waiting=_("Waiting for a decision"),
        sending=_("Sending …"),
        not_sent=_("Not sent. {reason}"),
        retry=_("Send again"),
        offline=_("The service cannot be reached."),
        reconnecting=_("The service cannot be reached. Trying again …"),
        too_long=_("At most {limit} characters can be sent at once. Nothing was sent.").format(limit=TYPED),
        too_large=_("{name} is larger than what is taken ({most} MB). Nothing was sent."),
        file=FILE_SAID,
        close=_("Close"),
        signed_out=_("You are signed out. Open a new sign-in link."),
        decide=_("Asks first"),
        decided=_("Settled"),
    )
