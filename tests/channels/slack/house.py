"""A Slack adapter that runs against the fake, by socket or by HTTP, and people in its workspace."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Literal

from aiohttp import web

from channels.errors import ChannelError
from channels.events import Conversation
from channels.slack.adapter import Introduction, SlackAdapter
from channels.slack.config import SlackConfig
from channels.slack.socket import Pace
from channels.slack.switch import Switch
from tests.channels.contract import RecordingInlet, Seen
from tests.fakes.slack.answers import Person as User
from tests.fakes.slack.answers import Place, Workspace
from tests.fakes.slack.client import Slack

Transport = Literal["socket", "http"]
COMMANDS = ("help", "status", "stop", "approve", "reject")
PROMPTS = ("What can you do?", "What notes are there?")
QUICK = Pace(ping=0.5, hello=2.0, quiet=5.0, handover=0.2, first=0.01, longest=0.2)


@dataclass(frozen=True)
class House:
    slack: Slack
    adapter: SlackAdapter
    inlet: RecordingInlet
    running: asyncio.Task[None]
    url: str = ""


def made(
    slack: Slack,
    mode: Transport = "socket",
    *,
    name: str = "team",
    settings: dict[str, Any] | None = None,
    workspace: Workspace | None = None,
    switch: Switch | None = None,
    pace: Pace = QUICK,
) -> SlackAdapter:
    fields = {
        "type": "slack",
        "persona": "guide",
        "bot_token": workspace.bot_token if workspace else slack.bot_token,
        "app_token": slack.app_token,
        "signing_secret": slack.signing_secret,
        "mode": mode,
        "api_url": slack.api_url,
    }
    config = SlackConfig.model_validate({**fields, **(settings or {})})
    return SlackAdapter(name, config, Introduction(COMMANDS, PROMPTS), switch or Switch(), pace)


@contextlib.asynccontextmanager
async def running(slack: Slack, adapter: SlackAdapter, inlet: RecordingInlet | None = None) -> AsyncIterator[House]:
    """Connected, or failed, when the block begins; reached at `url` if by HTTP."""
    inlet = inlet or RecordingInlet()
    application = web.Application()
    application.add_routes(list(adapter.routes(inlet)))
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    routes = [route.path for route in adapter.routes(inlet)]
    url = f"http://127.0.0.1:{runner.addresses[0][1]}{routes[0]}" if routes else ""
    task = asyncio.create_task(adapter.run(inlet))
    try:
        await inlet.until(lambda: bool({"connected", "error"} & {state for state, _ in inlet.states}))
        if url:
            await slack.use_http(url)
        yield House(slack, adapter, inlet, task, url)
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, ChannelError):
            await task
        await runner.cleanup()


@contextlib.asynccontextmanager
async def time_passing(slack: Slack) -> AsyncIterator[None]:
    """Slack repeats at once, after a minute and after five: its clock jumps while this lasts."""

    async def jump() -> None:
        while True:
            await slack.advance(60)
            await asyncio.sleep(0.2)  # the fake's clock, not ours

    jumping = asyncio.create_task(jump())
    try:
        yield
    finally:
        jumping.cancel()
        await asyncio.gather(jumping, return_exceptions=True)


@dataclass(frozen=True)
class Visitor:
    """A person in a direct chat with the app."""

    slack: Slack
    user: User
    chat: Place
    takes_turns: bool = False

    @classmethod
    async def arrive(cls, slack: Slack, name: str = "Ada", *, takes_turns: bool = False) -> "Visitor":
        user = await slack.user(name)
        return cls(slack, user, await slack.private_chat(user), takes_turns)

    @property
    def where(self) -> Conversation:
        return Conversation("team", self.chat.id)

    @property
    def id(self) -> str:
        return f"team:{self.user.id}"

    async def say(self, text: str) -> None:
        """By HTTP what is written within milliseconds may overtake; people are slower than that."""
        if self.takes_turns:
            await self.slack.wait_confirmed()
        await self.slack.write(self.chat, self.user, text)

    async def press(self, label: str) -> str:
        there = [message for message in await self.slack.messages(self.chat) if label in sum(message.buttons, ())]
        press = await self.slack.press(self.chat, self.user, there[-1].id, label)
        return (await self.slack.wait_answer(press)).text

    async def sees(self) -> list[Seen]:
        shown = await self.slack.messages(self.chat)
        return [Seen(one.text, sum(one.buttons, ())) for one in shown if one.by_bot and not one.deleted]
