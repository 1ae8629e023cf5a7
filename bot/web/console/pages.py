"""The pages of the console and the files they are made of."""

import hashlib
import mimetypes
from gettext import gettext as _
from importlib import resources

from aiohttp import web
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

FILES = ("console.css", "console.js", "logo.svg")


class Pages:
    """Reads templates and files once. `chat` is the address of the browser chat, empty if there is none."""

    def __init__(self, chat: str) -> None:
        self._templates = Environment(
            loader=PackageLoader("bot.web.console", "templates"),
            autoescape=select_autoescape(default=True),
            undefined=StrictUndefined,
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._chat = chat
        static = resources.files("bot.web.console") / "static"
        self._files = {name: (static / name).read_bytes() for name in FILES}

    def html(self, template: str, status: int = 200, **values: object) -> web.Response:
        text = self._templates.get_template(template).render(chat=self._chat, _=_, **values)
        return web.Response(status=status, text=text, content_type="text/html", headers={"Cache-Control": "no-store"})

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
