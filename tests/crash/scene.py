"""A stage on which the service dies and is started again."""

from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

from tests.crash.counter import World
from tests.crash.life import Life
from tests.crash.service import PATIENCE_S
from tests.fakes.model.client import ModelServer
from tests.fakes.telegram.client import Telegram
from tests.fakes.telegram.protocol import Place, Pressed, Shown
from tests.flows.house import Plan

MARK = "This may be a repeat"
UNKNOWN = "ring: unknown outcome: it may or may not have happened, please check"


class Scene(Life):
    """`chat` is the private chat of Ann, the admin."""

    def __init__(
        self,
        telegram: Telegram,
        model: ModelServer,
        world: World,
        plan: Plan,
        directory: Path,
        chat: Place,
        nursery: ForkServerContext,
    ) -> None:
        super().__init__(model, world, plan, directory, nursery)
        self.telegram = telegram
        self.chat = chat

    async def forget_held(self) -> None:
        await self.telegram.clear_faults()
        await self.telegram.release(discard=True)

    # What people do

    async def newcomer(self, name: str) -> Place:
        """The private chat of someone else."""
        return await self.telegram.private_chat(await self.telegram.user(name))

    async def say(self, text: str, chat: Place | None = None) -> int:
        chat = chat or self.chat
        return (await self.telegram.write(chat, chat.id, text)).message_id

    async def press(self, card: Shown, label: str = "Approve", chat: Place | None = None) -> Pressed:
        chat = chat or self.chat
        return await self.telegram.press(chat, chat.id, card.id, label)

    async def told(self, pressed: Pressed) -> str:
        """What the presser is told privately."""
        return (await self.telegram.wait_answer(pressed, timeout=PATIENCE_S)).text

    # What they see

    async def reads(self, containing: str, chat: Place | None = None, **more: Any) -> Shown:
        return await self.telegram.wait_message(chat or self.chat, containing=containing, timeout=PATIENCE_S, **more)

    async def card(self, chat: Place | None = None, **more: Any) -> Shown:
        """A message that can be approved."""
        return await self.telegram.wait_message(chat or self.chat, button="Approve", timeout=PATIENCE_S, **more)

    async def ours(self, chat: Place | None = None) -> list[Shown]:
        """What we have written in a chat and is still there, oldest first."""
        shown = await self.telegram.messages(chat or self.chat)
        return [message for message in shown if message.by_bot and not message.deleted]

    async def pressable(self, chat: Place | None = None) -> list[Shown]:
        return [message for message in await self.ours(chat) if message.buttons]

    async def once(self, containing: str, chat: Place | None = None) -> Shown:
        """It can be read, once, and without the mark of a repeat."""
        await self.reads(containing, chat)
        found = [message for message in await self.ours(chat) if containing in message.text]
        assert len(found) == 1, [message.text for message in found]
        assert MARK not in found[0].text
        return found[0]
