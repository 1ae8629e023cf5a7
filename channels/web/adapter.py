"""The browser chat as a channel: what is sent goes into the transcript, open pages are told, posts become events."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from aiohttp import web

from channels.adapter import (
    Activity,
    Adapter,
    Downloads,
    HasRoutes,
    Inlet,
    Limits,
    Removes,
    ShowsActivity,
    Streams,
    Uploads,
)
from channels.errors import CannotEdit, ConversationGone, Refused
from channels.events import Attachment, Conversation
from channels.files import File
from channels.outgoing import MessageRef, Outgoing
from channels.web.body import Body, Said, Shown, dump, load
from channels.web.config import WebConfig
from channels.web.given import Given, nothing_given
from channels.web.hub import Hub
from channels.web.limits import LIMITS, USUAL, Pace
from channels.web.page import CommandHint, Pages, Welcome
from channels.web.routes import Routes
from channels.web.stream import Stream
from channels.web.transcript import OURS, Transcript
from channels.web.uploads import Received
from channels.web.visitors import Identify, RightsOf, none_beyond_talking

Voice = Callable[[Conversation], Awaitable[str]]
"""The name under which we speak in a conversation: its persona's."""


def _new_id() -> str:
    return secrets.token_hex(16)


class WebAdapter:
    """`welcome` is what an empty chat shows; `voice` is asked for each new message of ours."""

    def __init__(
        self,
        name: str,
        config: WebConfig,
        transcript: Transcript,
        identify: Identify,
        commands: Sequence[CommandHint],
        *,
        welcome: Welcome,
        voice: Voice,
        rights: RightsOf = none_beyond_talking,
        given: Given = nothing_given,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = _new_id,
        pace: Pace = USUAL,
    ) -> None:
        self._name = name
        self._config = config
        self._transcript = transcript
        self._identify = identify
        self._voice = voice
        self._clock = clock
        self._new_id = new_id
        self._hub = Hub()
        self._stream = Stream(transcript, self._hub, pace)
        self._pages = Pages(commands, welcome, rights)
        self._rights = rights
        self._uploads = Received(new_id)
        self._given = given
        self._open = False

    @property
    def limits(self) -> Limits:
        return LIMITS

    async def run(self, inlet: Inlet) -> None:
        """Open the doors until cancelled; then every page's stream ends."""
        self._open = True
        inlet.report(self._name, "connected")
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self._open = False
            self._hub.close()

    def routes(self, inlet: Inlet) -> Sequence[web.RouteDef]:
        return Routes(
            self._name,
            inlet=inlet,
            transcript=self._transcript,
            identify=self._identify,
            hub=self._hub,
            stream=self._stream,
            pages=self._pages,
            clock=self._clock,
            is_open=lambda: self._open,
            rights=self._rights,
            uploads=self._uploads,
            given=self._given,
        ).table()

    async def send(self, to: Conversation, message: Outgoing) -> MessageRef:
        key = self._key(to)
        _says_something(message)
        message_id = self._new_id()
        body = Shown(message, await self._voice(to), bool(message.rows))
        await self._transcript.append(key, message_id, OURS, dump(body), self._clock())
        self._hub.said(key)
        return MessageRef(key, message_id)

    async def upload(self, to: Conversation, file: File, caption: Outgoing) -> MessageRef:
        """The message has a link by which its file is asked for; the bytes stay where they are kept."""
        return await self.send(to, caption)

    async def edit(self, ref: MessageRef, message: Outgoing) -> None:
        _says_something(message)
        line = await self._transcript.find(ref.conversation, ref.id)
        if line is None or line.removed or line.author != OURS:
            raise CannotEdit("The message is not in this chat any more.")
        body = _edited(load(line.body), message)
        if dump(body) == line.body:
            return
        if not await self._transcript.replace(ref.conversation, ref.id, dump(body), self._clock()):
            raise CannotEdit("The message is not in this chat any more.")
        self._hub.said(ref.conversation)

    async def remove(self, ref: MessageRef) -> None:
        await self._transcript.remove(ref.conversation, ref.id, self._clock())
        self._hub.said(ref.conversation)

    async def show(self, to: Conversation, activity: Activity) -> bool:
        self._hub.show(self._key(to), activity)
        return True

    async def stream(self, to: Conversation, run_id: str, text: str) -> None:
        self._hub.write(self._key(to), text)

    async def download(self, attachment: Attachment, at_most: int) -> bytes:
        return self._uploads.take(attachment.id, at_most)

    def _key(self, to: Conversation) -> str:
        if to.channel != self._name or to.thread is not None:
            raise ConversationGone("This conversation is not one of the browser chat.")
        return to.key


def _says_something(message: Outgoing) -> None:
    if not message.blocks:
        raise Refused("A message without any text cannot be shown, so nothing was sent.")


def _edited(before: Body, message: Outgoing) -> Body:
    """A message that had buttons stays a card after they are gone, and keeps the name it was said under."""
    assert not isinstance(before, Said), "what a visitor said is not ours to edit"
    return Shown(message, before.voice, before.card or bool(message.rows))


if TYPE_CHECKING:
    _adapter: type[Adapter] = WebAdapter
    _routes: type[HasRoutes] = WebAdapter
    _removes: type[Removes] = WebAdapter
    _downloads: type[Downloads] = WebAdapter
    _shows: type[ShowsActivity] = WebAdapter
    _streams: type[Streams] = WebAdapter
    _uploads: type[Uploads] = WebAdapter
