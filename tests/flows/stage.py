"""A stage for one flow: the fakes, the people, and the service that is started on it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from tests.fakes.model.client import ModelServer
from tests.fakes.telegram.client import Telegram
from tests.fakes.telegram.protocol import Person, Place, Shown
from tests.flows.house import House, Plan, running


class Stage:
    def __init__(
        self, telegram: Telegram, model: ModelServer, plan: Plan, directory: Path, ann: Person, chat: Place
    ) -> None:
        self.telegram = telegram
        self.model = model
        self.plan = plan
        self.directory = directory
        self.ann = ann
        """The admin."""
        self.chat = chat
        """Ann's private chat."""
        self.expected_violations = 0

    @classmethod
    async def set(cls, telegram: Telegram, model: ModelServer, model_url: str, directory: Path) -> Self:
        ann = await telegram.user("Ann")
        chat = await telegram.private_chat(ann)
        plan = Plan(telegram.api_url, telegram.token, (f"tg:{ann.id}",), model_url)
        return cls(telegram, model, plan, directory, ann, chat)

    def change(self, **values: Any) -> None:
        """Let the configuration say something else."""
        self.plan = replace(self.plan, **values)

    @asynccontextmanager
    async def service(self, **values: Any) -> AsyncIterator[House]:
        """The service while the block lasts, configured with `values` on top."""
        self.change(**values)
        async with running(self.plan, self.directory) as house:
            yield house

    async def clear(self) -> None:
        """Nobody broke a contract of the platforms."""
        broken = await self.telegram.violations()
        assert len(broken) == self.expected_violations, broken
        assert not await self.model.violations()

    async def say(self, text: str, *, chat: Place | None = None, who: Person | None = None, **more: Any) -> int:
        """Someone writes; the number of the message."""
        sent = await self.telegram.write(chat or self.chat, who or self.ann, text, **more)
        return sent.message_id

    async def card(self, *, containing: str | None = None, chat: Place | None = None, after: int = 0) -> Shown:
        """A card that waits for a decision."""
        return await self.telegram.wait_message(chat or self.chat, button="Approve", containing=containing, after=after)

    async def press(self, card: Shown, label: str, *, who: Person | None = None, chat: Place | None = None) -> str:
        """Press a button; what the presser is told privately."""
        pressed = await self.telegram.press(chat or self.chat, who or self.ann, card.id, label)
        answer = await self.telegram.wait_answer(pressed)
        return answer.text or ""

    async def reads(self, containing: str, *, chat: Place | None = None, **more: Any) -> Shown:
        """A message of ours that someone can read there."""
        return await self.telegram.wait_message(chat or self.chat, containing=containing, **more)
