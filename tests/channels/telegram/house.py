"""A Telegram adapter that runs against the fake, and people in its chats."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from channels.errors import ChannelError
from channels.events import Conversation
from channels.telegram.adapter import TelegramAdapter
from channels.telegram.config import TelegramConfig
from channels.telegram.menu import MenuEntry
from channels.telegram.polling import Pace
from tests.channels.contract import RecordingInlet, Seen
from tests.fakes.telegram.client import Telegram
from tests.fakes.telegram.protocol import Person as User
from tests.fakes.telegram.protocol import Place

QUICK = Pace(wait=25, probe=1, first=0.01, longest=0.1, conflict=0.1, watch=0.2)


@dataclass(frozen=True)
class House:
    telegram: Telegram
    adapter: TelegramAdapter
    inlet: RecordingInlet
    running: asyncio.Task[None]


def made(
    telegram: Telegram,
    *,
    settings: dict[str, Any] | None = None,
    menu: Sequence[MenuEntry] = (),
    admins: Sequence[str] = (),
    public_url: str = "",
    pace: Pace = QUICK,
) -> TelegramAdapter:
    fields = {"type": "telegram", "persona": "guide", "token": telegram.token, "api_url": telegram.api_url}
    config = TelegramConfig.model_validate({**fields, **(settings or {})})
    return TelegramAdapter("tg", config, menu, admins, public_url, pace)


@contextlib.asynccontextmanager
async def running(telegram: Telegram, adapter: TelegramAdapter) -> AsyncIterator[House]:
    """Connected, or failed, when the block begins."""
    inlet = RecordingInlet()
    task = asyncio.create_task(adapter.run(inlet))
    try:
        await inlet.until(lambda: bool({"connected", "error"} & {state for state, _ in inlet.states}))
        yield House(telegram, adapter, inlet, task)
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, ChannelError):
            await task


@dataclass(frozen=True)
class Visitor:
    """A person in a private chat with the bot."""

    telegram: Telegram
    user: User
    chat: Place

    @classmethod
    async def arrive(cls, telegram: Telegram) -> "Visitor":
        user = await telegram.user("Ada")
        return cls(telegram, user, await telegram.private_chat(user))

    @property
    def where(self) -> Conversation:
        return Conversation("tg", str(self.chat.id))

    @property
    def id(self) -> str:
        return f"tg:{self.user.id}"

    async def say(self, text: str) -> None:
        await self.telegram.write(self.chat, self.user, text)

    async def press(self, label: str) -> str:
        there = [message for message in await self.telegram.messages(self.chat) if label in sum(message.buttons, ())]
        press = await self.telegram.press(self.chat, self.user, there[-1].id, label)
        return (await self.telegram.wait_answer(press)).text

    async def sees(self) -> list[Seen]:
        shown = await self.telegram.messages(self.chat)
        return [Seen(one.text, sum(one.buttons, ())) for one in shown if one.by_bot and not one.deleted]
