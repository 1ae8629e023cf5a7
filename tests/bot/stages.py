"""A channel whose platform is this process: it notes what is shown, and fails when told to."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from channels.adapter import Activity, Inlet, Limits
from channels.errors import ChannelError
from channels.events import Conversation
from channels.files import File
from channels.outgoing import MessageRef, Outgoing
from channels.web.limits import LIMITS


async def _at_once() -> None:
    """A platform that is quick."""


@dataclass(slots=True)
class Platform:
    """`troubles` are raised by the next tries to send, `hold` is what a try to send waits for."""

    limits: Limits = LIMITS
    troubles: list[ChannelError] = field(default_factory=list)
    hold: Callable[[], Awaitable[None]] = _at_once
    ends: ChannelError | None = None
    """What `run` ends with."""
    starts: int = 0
    listening: asyncio.Event = field(default_factory=asyncio.Event)
    tries: list[str] = field(default_factory=list)
    """The conversation of each try to send."""
    shown: list[str] = field(default_factory=list)
    """What stands on the platform."""
    live: list[str] = field(default_factory=list)
    """Signs and partial texts, as they came."""

    async def run(self, inlet: Inlet) -> None:
        self.starts += 1
        if self.ends is not None:
            raise self.ends
        self.listening.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.listening.clear()

    async def send(self, to: Conversation, message: Outgoing) -> MessageRef:
        self.tries.append(to.key)
        await self.hold()
        if self.troubles:
            raise self.troubles.pop(0)
        self.shown.append(words(message))
        return MessageRef(to.key, str(len(self.shown)))

    async def edit(self, ref: MessageRef, message: Outgoing) -> None:
        await self.hold()
        self.shown[int(ref.id) - 1] = words(message)

    async def show(self, to: Conversation, activity: Activity) -> bool:
        self.live.append(activity)
        return True

    async def stream(self, to: Conversation, run_id: str, text: str) -> None:
        self.live.append(f"partial {text}")


@dataclass(slots=True)
class Gallery(Platform):
    """A platform that takes files; `refuses` are raised by the next tries to send one."""

    uploaded: list[tuple[File, str]] = field(default_factory=list)
    """Each with what was said beside it."""
    refuses: list[ChannelError] = field(default_factory=list)

    async def upload(self, to: Conversation, file: File, caption: Outgoing) -> MessageRef:
        if self.refuses:
            raise self.refuses.pop(0)
        self.uploaded.append((file, words(caption)))
        return MessageRef(to.key, "f1")


def words(message: Outgoing) -> str:
    """The text of a message of plain paragraphs."""
    return "\n".join(span.text for block in message.blocks for span in getattr(block, "spans", ()))
