"""A stage for one flow: the fakes, the people, and the service that is started on it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from tests.fakes.model.client import ModelServer
from tests.fakes.telegram.client import Telegram
from tests.fakes.telegram.protocol import Person, Place
from tests.flows.acting import Acting
from tests.flows.house import House, Plan, running


class Stage(Acting):
    def __init__(
        self, telegram: Telegram, model: ModelServer, plan: Plan, directory: Path, ann: Person, chat: Place
    ) -> None:
        super().__init__(telegram, model, ann, chat)
        self.plan = plan
        self.directory = directory
        self.ann = ann
        """The admin; `chat` is her private chat."""
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
    async def service(self, *, module: str = "bot", **values: Any) -> AsyncIterator[House]:
        """The service while the block lasts, configured with `values` on top."""
        self.change(**values)
        async with running(self.plan, self.directory, module=module) as house:
            yield house

    async def clear(self) -> None:
        """Nobody broke a contract of the platforms."""
        broken = await self.telegram.violations()
        assert len(broken) == self.expected_violations, broken
        assert not await self.model.violations()
