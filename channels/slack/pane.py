"""The assistant pane: what may be asked, when it opens, and a title once something was."""

import asyncio
from collections.abc import Coroutine, Sequence

import structlog

from channels.errors import ChannelError
from channels.events import Event, Message
from channels.fields import Fields, Json, Unreadable
from channels.slack.client import Client

TITLE = 60
"""Characters of the first message that become the title."""
PROMPTS = 4
"""As many as the pane shows."""
MOST = 1000

_log = structlog.stdlib.get_logger(__name__)


class Pane:
    def __init__(self, client: Client, prompts: Sequence[str]) -> None:
        self._client = client
        self._prompts = tuple(prompts)[:PROMPTS]
        self._untitled: dict[tuple[str, str], None] = {}
        self._sending: set[asyncio.Task[None]] = set()

    def notice(self, body: Json, event: Event | None) -> None:
        """A delivery that was stored: a pane that opened, or the first thing that is said there."""
        if isinstance(event, Message) and event.where.thread is not None:
            self._title(event.where.chat, event.where.thread, event.text)
        if event is None and (place := _opened(body)) is not None:
            self._untitled[place] = None
            if len(self._untitled) > MOST:
                del self._untitled[next(iter(self._untitled))]
            self._send(self._client.set_prompts(*place, self._prompts))

    async def finish(self) -> None:
        await asyncio.gather(*self._sending)

    def _title(self, chat: str, thread: str, text: str) -> None:
        if (chat, thread) not in self._untitled:
            return
        del self._untitled[chat, thread]
        title = " ".join(text.split())
        self._send(self._client.set_title(chat, thread, title[: TITLE - 1] + "…" if len(title) > TITLE else title))

    def _send(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(_quietly(work))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)


def _opened(body: Json) -> tuple[str, str] | None:
    try:
        event = Fields("", "body", body).inside("event")
        if event.text("type") != "assistant_thread_started":
            return None
        thread = event.inside("assistant_thread")
        return thread.text("channel_id"), thread.text("thread_ts")
    except Unreadable:
        return None


async def _quietly(work: Coroutine[object, object, None]) -> None:
    try:
        await work
    except ChannelError as error:
        _log.warning("slack_pane_not_dressed", reason=str(error))
