"""The lives of one service, one after the other: it is started, dies or is killed, and is started again."""

import signal
from collections.abc import Mapping
from dataclasses import replace
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

from tests.crash.counter import World
from tests.crash.fuse import Fuse
from tests.crash.ledger import Ledger
from tests.crash.service import PATIENCE_S, Service
from tests.fakes.model.client import ModelServer
from tests.fakes.model.script import Reply, Rule, calls
from tests.flows.house import Plan
from tests.flows.slack.plan import SlackPlan


class Life:
    """`start` runs the service until `died`, `kill` or `end`."""

    def __init__(
        self, model: ModelServer, world: World, plan: Plan | SlackPlan, directory: Path, nursery: ForkServerContext
    ) -> None:
        self.model = model
        self.world = world
        self.plan = plan
        self._directory = directory
        self._nursery = nursery
        self._life: Service | None = None
        self.ledger = Ledger(plan.database)

    @property
    def service(self) -> Service:
        assert self._life is not None
        return self._life

    async def start(self, crash_at: str = "", **values: Any) -> Service:
        """`crash_at`: the commit at which it dies ("after Caller._begin 1"). `values` change the configuration."""
        self.plan = replace(self.plan, **values)
        self._life = await Service.start(
            self._nursery, self.plan, self._directory, self.world.url, Fuse.parse(crash_at)
        )
        return self._life

    async def died(self) -> None:
        """Until the service has killed itself."""
        assert await self.service.ended() == -signal.SIGKILL, self.service.logged()

    async def kill(self) -> None:
        """Now, and whatever others hold of it ends without being done (or answered)."""
        await self.service.kill()
        await self.forget_held()
        await self.world.forget_held()

    async def forget_held(self) -> None:
        """What a platform holds of it ends so."""

    async def end(self) -> None:
        """Stop it in order, if it lives."""
        if self._life is not None and self._life.alive:
            assert await self._life.stop() == 0, self._life.logged()

    async def abandon(self) -> None:
        """Leave nothing behind, whatever happened."""
        if self._life is not None and self._life.alive:
            await self._life.kill()

    async def settled(self) -> None:
        """Until the service has nothing left to do and has written that down."""
        await self.ledger.settled(PATIENCE_S)

    # What the model says, however often it is asked

    async def model_rings(self, *keys: str, tool: str = "ring", says: str = "Result: {result}") -> None:
        """Whoever asks for a key gets the tool called for it; then the model `says` this, whatever came of it."""
        asked = [Rule(contains=f"{tool} {key}.", reply=calls(tool, {"key": key})) for key in keys]
        await self.model.rules(*asked, Rule(contains=f"{tool} ", after="results", reply=Reply(text=says)))

    async def model_delegates(self, task: str) -> None:
        """Whoever asks for the bell is handed to its worker, and what that reports is what the model answers."""
        order = calls("delegate_to_tower_worker", {"task": task})
        await self.model.rules(
            Rule(contains="the bell", reply=order),
            Rule(contains="the bell", after="results", reply=Reply(text="The worker says: {result}")),
        )

    async def model_echoes(self) -> None:
        await self.model.otherwise(Reply(text="Echo of {user}"))

    async def results_told(self) -> list[str]:
        """Every result that the model was told, over all of its requests."""
        bodies: list[Mapping[str, Any]] = [asked.body for asked in await self.model.requests()]
        last = [body["messages"][-1] for body in bodies]
        return [str(message["content"]) for message in last if message["role"] == "tool"]
