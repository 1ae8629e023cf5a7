"""What a browser may ask of the chat, all below `/channels/<name>/`."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from gettext import gettext as _

from aiohttp import web
from pydantic import BaseModel

from channels.adapter import Inlet, Receipt
from channels.errors import NotSent
from channels.events import Attachment, Command, Message
from channels.requests import body_of
from channels.text.characters import visible
from channels.web import refusals, view
from channels.web.body import Said, dump
from channels.web.forms import posted_file
from channels.web.given import Given, download
from channels.web.hub import Hub
from channels.web.limits import BODY, PAGE
from channels.web.page import FILE_SAID, Pages
from channels.web.parse import (
    PostedMessage,
    PostedPress,
    TooLong,
    Unreadable,
    conversation,
    posted,
    pressed,
    said,
    sent,
)
from channels.web.stream import Stream
from channels.web.transcript import Transcript
from channels.web.uploads import Received
from channels.web.visitors import Identify, RightsOf, Visitor

MARK = "X-Askfirst-Page"
"""A header that no other site's page can send without our leave; every posted JSON must bear it."""


NAME_CHARS = 200
"""Of a file's name."""


class _Receipt(BaseModel):
    notice: str | None
    alert: bool


@dataclass(frozen=True, slots=True)
class Routes:
    name: str
    inlet: Inlet
    transcript: Transcript
    identify: Identify
    hub: Hub
    stream: Stream
    pages: Pages
    clock: Callable[[], float]
    is_open: Callable[[], bool]
    rights: RightsOf
    uploads: Received
    given: Given

    def table(self) -> Sequence[web.RouteDef]:
        base = f"/channels/{self.name}"
        return (
            web.get(f"{base}/", self.page),
            web.get(f"{base}/static/{{file}}", self.file),
            web.get(f"{base}/events", self.events),
            web.get(f"{base}/messages", self.earlier),
            web.post(f"{base}/messages", self.message),
            web.post(f"{base}/files", self.send_file),
            web.get(f"{base}/files/{{file}}", self.given_file),
            web.post(f"{base}/presses", self.press),
            web.get(f"{base}/sign-in", self.show_sign_in),
            web.post(f"{base}/sign-in", self.sign_in),
            web.post(f"{base}/sign-out", self.sign_out),
        )

    async def page(self, request: web.Request) -> web.StreamResponse:
        visitor = self.identify.visitor(request)
        return self.pages.strangers() if visitor is None else self.pages.chat(visitor)

    async def file(self, request: web.Request) -> web.StreamResponse:
        return self.pages.file(request)

    async def events(self, request: web.Request) -> web.StreamResponse:
        visitor = self.identify.visitor(request)
        if visitor is None:
            return refusals.sign_in_first()
        if not self.is_open():
            return refusals.away()
        try:
            return await self.stream.serve(request, self._key(visitor))
        except NotSent:
            return refusals.not_stored()

    async def earlier(self, request: web.Request) -> web.StreamResponse:
        """`?before=<order>`: the messages before that one."""
        visitor = self.identify.visitor(request)
        if visitor is None:
            return refusals.sign_in_first()
        before = request.query.get("before", "")
        if not (before.isascii() and before.isdigit() and len(before) < 16):
            return refusals.unreadable(_("Say before which message to look: before=<its order>."))
        try:
            page = await self.transcript.page(self._key(visitor), int(before), PAGE)
        except NotSent:
            return refusals.not_stored()
        headers = {"Cache-Control": "no-store"}
        return web.Response(body=view.page_json(page), content_type="application/json", headers=headers)

    async def message(self, request: web.Request) -> web.StreamResponse:
        visitor = self._poster(request)
        if isinstance(visitor, web.StreamResponse):
            return visitor
        try:
            event = said(self.name, visitor, posted(PostedMessage, await _body(request)), self.clock())
            receipt = await self._accept(event)
        except Unreadable as error:
            return refusals.unreadable(str(error))
        except TooLong as error:
            return refusals.too_long(str(error))
        except NotSent:
            return refusals.not_stored()
        return _answer(receipt)

    async def press(self, request: web.Request) -> web.StreamResponse:
        visitor = self._poster(request)
        if isinstance(visitor, web.StreamResponse):
            return visitor
        try:
            event = pressed(self.name, visitor, posted(PostedPress, await _body(request)), self.clock())
        except Unreadable as error:
            return refusals.unreadable(str(error))
        except TooLong as error:
            return refusals.too_long(str(error))
        return _answer(await self.inlet.receive(event))

    async def send_file(self, request: web.Request) -> web.StreamResponse:
        """A form. The file of a visitor who may send none is not read: the intake says so to them, as anywhere else."""
        visitor = self._poster(request, "multipart/form-data")
        if isinstance(visitor, web.StreamResponse):
            return visitor
        try:
            posted = await posted_file(request, self.rights(visitor).files)
            number = "" if posted.content is None else self.uploads.put(posted.content)
            size = None if posted.content is None else len(posted.content)
            attachment = Attachment(number, posted.name[:NAME_CHARS], size, posted.mime)
            receipt = await self._accept(sent(self.name, visitor, posted.id, attachment, self.clock()))
        except Unreadable as error:
            return refusals.unreadable(str(error))
        except TooLong as error:
            return refusals.too_long(str(error))
        except NotSent:
            return refusals.not_stored()
        return _answer(receipt)

    async def given_file(self, request: web.Request) -> web.StreamResponse:
        """Of the visitor's own chat."""
        visitor = self.identify.visitor(request)
        if visitor is None:
            return refusals.sign_in_first()
        try:
            file = await self.given(self._key(visitor), request.match_info["file"])
        except NotSent:
            return refusals.not_stored()
        return refusals.no_file() if file is None else download(file)

    async def show_sign_in(self, request: web.Request) -> web.StreamResponse:
        return self.pages.sign_in(request.query.get("link", "")[:200])

    async def sign_in(self, request: web.Request) -> web.StreamResponse:
        if not self.identify.ours(request):
            return refusals.foreign()
        form = await request.post()
        link = form.get("link")
        response = web.Response(status=303, headers={"Location": "./", "Cache-Control": "no-store"})
        if not isinstance(link, str) or await self.identify.sign_in(link, response) is None:
            return self.pages.link_useless()
        return response

    async def sign_out(self, request: web.Request) -> web.StreamResponse:
        if not self.identify.ours(request):
            return refusals.foreign()
        response = web.Response(status=303, headers={"Location": "./", "Cache-Control": "no-store"})
        self.identify.sign_out(response)
        return response

    def _poster(self, request: web.Request, kind: str = "application/json") -> Visitor | web.StreamResponse:
        """Who posts; or why he may not."""
        if request.content_type != kind:
            return refusals.not_taken(kind)
        if MARK not in request.headers or not self.identify.ours(request):
            return refusals.foreign()
        visitor = self.identify.visitor(request)
        if visitor is None:
            return refusals.sign_in_first()
        return visitor if self.is_open() else refusals.away()

    async def _accept(self, event: Message | Command) -> Receipt:
        """The words stand in the transcript before they are handed on, so that no answer comes before them; they are
        taken out again when they could not be stored."""
        key, ref = event.where.key, event.ref
        assert ref is not None, "a posted message has an id"
        await self.transcript.append(key, ref, event.sender.id, dump(Said(_as_typed(event))), event.at)
        self.hub.changed(key)
        try:
            return await self.inlet.receive(event)
        except Exception:
            with contextlib.suppress(NotSent):
                await self.transcript.remove(key, ref, self.clock())
            self.hub.changed(key)
            raise

    def _key(self, visitor: Visitor) -> str:
        return conversation(self.name, visitor).key


def _as_typed(event: Message | Command) -> str:
    if isinstance(event, Message) and event.attachments:
        return FILE_SAID.format(name=visible(" ".join(event.attachments[0].name.split())))
    if isinstance(event, Message):
        return event.text
    return f"/{event.name} {event.arguments}".strip()


async def _body(request: web.Request) -> bytes:
    """Raises TooLong."""
    raw = await body_of(request, BODY)
    if raw is None:
        raise TooLong(_("This is longer than a message may be, so nothing was sent. Send it in parts."))
    return raw


def _answer(receipt: Receipt) -> web.Response:
    text = _Receipt(notice=receipt.notice, alert=receipt.alert).model_dump_json()
    return web.Response(text=text, content_type="application/json", headers={"Cache-Control": "no-store"})
