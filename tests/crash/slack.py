"""A stage on which the service dies between Slack and a model, and is started again."""

from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

from tests.crash.counter import World
from tests.crash.life import Life
from tests.crash.service import Service
from tests.fakes.model.client import ModelServer
from tests.fakes.slack.answers import Person, Place, Shown
from tests.fakes.slack.client import Slack
from tests.flows.slack.acting import Acting
from tests.flows.slack.plan import SlackPlan


class SlackLife(Life):
    def __init__(
        self,
        slack: Slack,
        model: ModelServer,
        world: World,
        plan: SlackPlan,
        directory: Path,
        nursery: ForkServerContext,
    ) -> None:
        super().__init__(model, world, plan, directory, nursery)
        self._slack = slack

    async def start(self, crash_at: str = "", **values: Any) -> Service:
        """By HTTP it is found again at the same address. What Slack repeats after a minute comes now."""
        service = await super().start(crash_at, **values)
        assert isinstance(self.plan, SlackPlan)
        if self.plan.transport == "http":
            await self._slack.use_http(self.plan.events_url(service.url))
        await self._slack.advance(60)
        return service

    async def forget_held(self) -> None:
        await self._slack.clear_faults()
        await self._slack.release(discard=True)


class SlackScene(Acting):
    """`person` is Ann, the admin, in a channel and alone with us."""

    def __init__(self, slack: Slack, life: SlackLife, ann: Person, chat: Place, direct: Place) -> None:
        super().__init__(slack, life.model, ann, chat, direct)
        self.life = life

    async def once(self, containing: str) -> None:
        """It can be read, once, and without the mark of a repeat."""
        await self.reads(containing)
        await self.life.settled()
        found = [text for text in await self.there() if containing in text]
        assert len(found) == 1, found
        assert "This may be a repeat" not in found[0]

    async def rung_once(self, card: Shown) -> None:
        """What was asked for was done once, the card says who decided, and nothing is left to press."""
        await self.once("ring/one is done")
        await self.settled(card, "Approved by Ann")
        assert self.life.world.acted == {"ring/one": 1}
        assert not [each.text for each in await self.ours() if each.buttons]
