"""A stage for one flow on Slack: the fakes, the people, and the service that is started on it."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from tests.fakes.model.client import ModelServer
from tests.fakes.slack.answers import Person, Place
from tests.fakes.slack.client import Slack
from tests.flows.house import House, running
from tests.flows.slack.acting import Acting
from tests.flows.slack.plan import SlackPlan, Transport


class Stage(Acting):
    """`person` is Ann, the admin."""

    def __init__(
        self,
        slack: Slack,
        model: ModelServer,
        plan: SlackPlan,
        directory: Path,
        ann: Person,
        chat: Place,
        direct: Place,
    ) -> None:
        super().__init__(slack, model, ann, chat, direct)
        self.plan = plan
        self.directory = directory

    @classmethod
    async def set(cls, slack: Slack, model: ModelServer, model_url: str, directory: Path, transport: Transport) -> Self:
        ann = await slack.user("Ann")
        chat = await slack.channel("general", members=[ann])
        direct = await slack.private_chat(ann)
        plan = SlackPlan(
            slack.api_url,
            slack.bot_token,
            slack.app_token,
            slack.signing_secret,
            transport,
            free_port(),
            (f"team:{ann.id}",),
            model_url,
        )
        return cls(slack, model, plan, directory, ann, chat, direct)

    def change(self, **values: Any) -> None:
        """Let the configuration say something else."""
        self.plan = replace(self.plan, **values)

    @asynccontextmanager
    async def service(self, *, until_ready: bool = True, **values: Any) -> AsyncIterator[House]:
        """The service while the block lasts, configured with `values` on top."""
        self.change(**values)
        async with running(self.plan, self.directory, until_ready=until_ready) as house:
            await delivered(self.slack, self.plan, house)
            yield house

    async def askfirst(self, command: str) -> tuple[int, str]:
        """A command of ours in a process of its own: its exit code and all that it said."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", command, "--config", str(self.plan.write(self.directory))),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **self.plan.environment},
        )
        said, _ = await asyncio.wait_for(process.communicate(), 60)
        assert process.returncode is not None
        return process.returncode, said.decode()

    async def clear(self) -> None:
        """Nobody broke a contract of the platforms."""
        broken = await self.slack.violations()
        assert not broken, broken
        assert not await self.model.violations()


async def delivered(slack: Slack, plan: SlackPlan, house: House) -> None:
    """By HTTP an app is told where its events go by its owner."""
    if plan.transport == "http":
        await slack.use_http(plan.events_url(house.url))


def free_port() -> int:
    """One that nobody listens at now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
