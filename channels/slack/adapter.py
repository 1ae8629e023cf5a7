"""Slack as a channel: one app in one workspace, or in a whole organisation, by socket or by HTTP."""

import asyncio
import hashlib
from collections.abc import Collection, Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
from aiohttp import web

from channels.adapter import (
    Activity,
    Adapter,
    ChannelState,
    Downloads,
    Finds,
    HasRoutes,
    Inlet,
    KnowsPlaces,
    Limits,
    Removes,
    ShowsActivity,
    Uploads,
)
from channels.errors import ChannelError, ChannelGone, Misconfigured, NotStored, Refused
from channels.events import Attachment, Conversation
from channels.fields import Json
from channels.files import File
from channels.outgoing import MessageRef, Outgoing
from channels.slack.client import EVENT, Client
from channels.slack.config import SlackConfig
from channels.slack.directory import Directory
from channels.slack.dispatch import Ack, Dispatch
from channels.slack.envelopes import handled
from channels.slack.http import Endpoint
from channels.slack.intake import Intake
from channels.slack.limits import LIMITS
from channels.slack.pane import Pane
from channels.slack.parse import Parser
from channels.slack.people import Me
from channels.slack.render import render
from channels.slack.replies import Replies
from channels.slack.scopes import missing
from channels.slack.socket import Pace, Report, Sockets
from channels.slack.status import Statuses
from channels.slack.switch import Switch, teams

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Introduction:
    """What others say of the channel: `commands` that can be typed, `prompts` that a new conversation suggests."""

    commands: Collection[str] = ()
    prompts: Sequence[str] = ()


class SlackAdapter:
    """`name` is the channel's name in the configuration; `switch` is shared by all channels of this kind.

    Sending works while `run` does; before and after, it is NotSent.
    """

    def __init__(
        self,
        name: str,
        config: SlackConfig,
        introduction: Introduction,
        switch: Switch,
        pace: Pace = Pace(),  # noqa: B008  # frozen
    ) -> None:
        self._name = name
        self._config = config
        self._introduction = introduction
        self._switch = switch
        self._pace = pace
        app_token = config.app_token.get_secret_value() if config.app_token else ""
        secret = config.signing_secret.get_secret_value() if config.signing_secret else ""
        self._app = hashlib.sha256((app_token if config.mode == "socket" else secret).encode()).hexdigest()
        self._client = Client(config.bot_token.get_secret_value(), app_token, config.api_url)
        self._statuses = Statuses(self._client)
        self._dispatch = Dispatch(self._sorted)
        self._endpoint = Endpoint(secret) if config.mode == "http" else None
        if self._endpoint is not None:
            # At once and for good: it may be the one address of an app whose other workspaces go on without this one.
            self._endpoint.dispatch = self._dispatch
        self._direct: dict[str, str] = {}
        self._me: Me | None = None

    @property
    def limits(self) -> Limits:
        return LIMITS

    def routes(self, inlet: Inlet) -> Sequence[web.RouteDef]:
        """None by socket. What comes for a workspace that no channel serves now is answered with 503."""
        if self._endpoint is None:
            return ()
        return (web.post(f"/channels/{self._name}/slack/events", self._endpoint.handle),)

    async def run(self, inlet: Inlet) -> None:
        def report(state: ChannelState, detail: str) -> None:
            inlet.report(self._name, state, detail)

        report("connecting", "")
        await self._client.open()
        try:
            await self._work(inlet, report)
        except ChannelError as error:
            report("error", str(error))
            raise
        finally:
            await self._statuses.finish()
            await self._client.close()

    async def _work(self, inlet: Inlet, report: Report) -> None:
        me, scopes = await self._introduced()
        self._me = me
        directory = Directory(self._client, me)
        commands = frozenset(self._introduction.commands)
        parser = Parser(self._name, me, self._config.listen, self._config.command, commands)
        pane = Pane(self._client, self._introduction.prompts)
        replies = Replies(self._client, self._config.api_url)
        intake = Intake(parser, inlet, directory, replies, pane, self._client.doubted.set)
        home = me.enterprise if me.org_wide and me.enterprise else me.team
        self._switch.join(self._app, home, intake.take)
        try:
            await intake.resume()
            about = self._about(me, scopes)
            if self._endpoint is None:
                sockets = Sockets(self._client, handled(self._dispatch), report, about, self._pace, self._siblings)
                await self._while_welcome(sockets.run())
            else:
                report("connected", about)
                await self._while_welcome(asyncio.Event().wait())
        finally:
            self._switch.leave(self._app, home)
            await intake.finish()
            await directory.close()

    async def _while_welcome(self, listening: Coroutine[object, object, object]) -> None:
        """Listen until that ends. Raises Misconfigured as soon as Slack does not take the bot token any more: a socket
        has a token of its own, and would stay open."""
        tasks = [asyncio.create_task(listening), asyncio.create_task(self._outstay())]
        try:
            await asyncio.wait(tasks, return_when="FIRST_COMPLETED")
            for task in tasks:
                if task.done():
                    task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _outstay(self) -> None:
        """Whenever it is in doubt, ask whether the token is taken: what was said of it may be of before a new install."""
        while True:
            await self._client.doubted.wait()
            self._client.doubted.clear()
            try:
                await self._introduced()
            except Misconfigured:
                raise
            except ChannelError:
                _log.warning("slack_welcome_not_known", channel=self._name)

    async def _introduced(self) -> tuple[Me, frozenset[str]]:
        try:
            return await self._client.me()
        except (ChannelGone, Refused) as error:
            raise Misconfigured(
                f"Slack does not take the bot token ({error}) Nothing is received. Install the app in the workspace, and"
                " put its Bot User OAuth Token into the environment."
            ) from error

    def _about(self, me: Me, scopes: frozenset[str]) -> str:
        lacking = missing(scopes)
        lacks = f"; it lacks the scopes {', '.join(lacking)}: some of it will not work" if lacking else ""
        return f"@{me.name} in {me.team}{lacks}"

    def _siblings(self) -> int:
        return self._switch.count(self._app) - 1

    async def _sorted(self, body: Json) -> Ack:
        """To the channel whose workspace it comes from: an app that several share hears for all of them."""
        take = self._switch.find(self._app, teams(body))
        if take is None:
            _log.warning("slack_workspace_not_served", channel=self._name)
            raise NotStored("no channel that runs serves the workspace that this comes from")
        return await take(body)

    async def send(self, to: Conversation, message: Outgoing) -> MessageRef:
        rendered = render(message)
        chat = await self._chat(to.chat)
        ts = await self._client.send(chat, to.thread, rendered, message.mark)
        if to.thread is not None:
            self._statuses.forget(chat, to.thread)
        return MessageRef(to.key, ts)

    async def upload(self, to: Conversation, file: File, caption: Outgoing) -> MessageRef:
        """Slack does not say under which ts the message is: it goes by the file's id, and is never edited."""
        rendered = render(caption)
        chat = await self._chat(to.chat)
        number = await self._client.upload(chat, to.thread, file, rendered)
        if to.thread is not None:
            self._statuses.forget(chat, to.thread)
        return MessageRef(to.key, number)

    async def edit(self, ref: MessageRef, message: Outgoing) -> None:
        rendered = render(message)
        await self._client.edit(await self._chat(Conversation.parse(ref.conversation).chat), ref.id, rendered)

    async def remove(self, ref: MessageRef) -> None:
        await self._client.delete(await self._chat(Conversation.parse(ref.conversation).chat), ref.id)

    async def show(self, to: Conversation, activity: Activity) -> bool:
        """Only threads have a sign."""
        return to.thread is not None and await self._statuses.show(to.chat, to.thread, activity)

    async def find(self, to: Conversation, mark: str, since: float) -> MessageRef | None:
        for message in await self._client.history(await self._chat(to.chat), to.thread, since):
            about = message.get("metadata")
            if not isinstance(about, dict) or about.get("event_type") != EVENT:
                continue
            payload, ts = about.get("event_payload"), message.get("ts")
            if isinstance(payload, dict) and payload.get("mark") == mark and isinstance(ts, str):
                return MessageRef(to.key, ts)
        return None

    async def download(self, attachment: Attachment, at_most: int) -> bytes:
        return await self._client.download(attachment.id, at_most)

    async def places(self) -> frozenset[str]:
        me = self._me
        return await self._client.places(await self._client.teams() if me is not None and me.org_wide else (None,))

    async def _chat(self, chat: str) -> str:
        """A person is written to in the chat with them."""
        if not chat.startswith(("U", "W")):
            return chat
        if chat not in self._direct:
            self._direct[chat] = await self._client.dm(chat)
        return self._direct[chat]


if TYPE_CHECKING:
    _adapter: type[Adapter] = SlackAdapter
    _routes: type[HasRoutes] = SlackAdapter
    _removes: type[Removes] = SlackAdapter
    _downloads: type[Downloads] = SlackAdapter
    _shows: type[ShowsActivity] = SlackAdapter
    _uploads: type[Uploads] = SlackAdapter
    _finds: type[Finds] = SlackAdapter
    _places: type[KnowsPlaces] = SlackAdapter
