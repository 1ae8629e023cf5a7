"""A story told in Telegram, in the service that all of them share (`tests.flows.troupe`)."""

from typing import Any

import pytest

from tests.fakes.telegram.protocol import Person, Place, Shown
from tests.flows.scene import Scene

ECHO = "Heard: {user}"
"""What the model answers in a story where nothing else is scripted."""

TROUPE = "tests.flows.troupe"
"""The plugin that a module of stories names."""

in_a_story = pytest.mark.asyncio(loop_scope="session")


class Story(Scene):
    """A scene whose model answers with what it hears."""

    async def asks(self, chat: Place, text: str, *, who: Person | None = None, **more: Any) -> int:
        """Someone addresses the bot in a group; the number of the message."""
        return await self.say(f"{self.mention} {text}", chat=chat, who=who, **more)

    async def ours(self, chat: Place, *, after: int = 0) -> list[Shown]:
        """The messages of ours that stand in a chat."""
        return [m for m in await self.telegram.messages(chat) if m.by_bot and not m.deleted and m.id > after]
