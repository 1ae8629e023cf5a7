"""Telegram as a channel: one bot, by polling or by webhook."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from aiohttp import web

from channels.adapter import (
    Activity,
    Adapter,
    ChannelState,
    Downloads,
    HasRoutes,
    Inlet,
    Limits,
    Removes,
    ShowsActivity,
    Uploads,
)
from channels.errors import ChannelError, Misconfigured, NotSent, OutcomeUnknown, RateLimited, Refused
from channels.events import Attachment, Conversation
from channels.files import File
from channels.outgoing import MessageRef, Outgoing
from channels.telegram.client import Client
from channels.telegram.config import TelegramConfig
from channels.telegram.intake import Intake
from channels.telegram.limits import LIMITS
from channels.telegram.menu import MenuEntry, publish
from channels.telegram.parse import Parser
from channels.telegram.polling import Pace, Poller, Report
from channels.telegram.refusals import Conflict, Unauthorized
from channels.telegram.render import render
from channels.telegram.webhook import Webhook
from channels.telegram.words import Me

_PRIVACY = (
    "In groups it hears only mentions, replies and commands, although listen is all: its privacy mode is on. Turn it off"
    " with /setprivacy at @BotFather, then take the bot out of each group and add it again."
)


class TelegramAdapter:
    """`name` is the channel's name in the configuration; `admins` are people as written there, of any channel.

    `public_url` is needed by mode webhook alone. Sending works while `run` does; before and after, it is NotSent.
    """

    def __init__(
        self,
        name: str,
        config: TelegramConfig,
        menu: Sequence[MenuEntry],
        admins: Sequence[str],
        public_url: str = "",
        pace: Pace = Pace(),  # noqa: B008  # frozen
    ) -> None:
        self._name = name
        self._config = config
        self._menu = tuple(menu)
        own = (admin.removeprefix(f"{name}:") for admin in admins if admin.startswith(f"{name}:"))
        self._admins = tuple(int(admin) for admin in own if admin.isdecimal())
        self._public_url = public_url.rstrip("/")
        self._pace = pace
        self._client = Client(config.token.get_secret_value(), config.api_url)
        self._secret = config.webhook_secret.get_secret_value() if config.webhook_secret else ""
        self._webhook = Webhook(self._secret) if config.mode == "webhook" else None

    @property
    def limits(self) -> Limits:
        return LIMITS

    @property
    def _path(self) -> str:
        return f"/channels/{self._name}/telegram"

    def routes(self, inlet: Inlet) -> Sequence[web.RouteDef]:
        """None when polling. What comes before `run` has got to know the bot is answered with 503."""
        return () if self._webhook is None else (web.post(self._path, self._webhook.handle),)

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
            await self._client.close()

    async def _work(self, inlet: Inlet, report: Report) -> None:
        me = await self._introduction()
        await publish(self._client, self._menu, self._admins)
        intake = Intake(Parser(self._name, me, self._config.listen), inlet, self._client)
        try:
            if self._webhook is None:
                await self._poll(intake, me, report)
            else:
                await self._listen(self._webhook, intake, me, report)
        finally:
            await intake.finish()

    async def _introduction(self) -> Me:
        try:
            return await self._client.me()
        except (Unauthorized, Refused) as error:
            raise Misconfigured(
                "Telegram does not know this bot: its token is wrong or was revoked, or api_url is no Bot API server."
                " Nothing is received. Copy the token from @BotFather into the environment."
            ) from error

    def _about(self, me: Me) -> str:
        deaf = self._config.listen == "all" and not me.reads_all
        return f"@{me.username}. {_PRIVACY}" if deaf else f"@{me.username}"

    async def _poll(self, intake: Intake, me: Me, report: Report) -> None:
        if await self._client.webhook_url():
            await self._client.delete_webhook()
        await Poller(self._client, intake, report, self._about(me), self._pace).run()

    async def _listen(self, webhook: Webhook, intake: Intake, me: Me, report: Report) -> None:
        """The webhook stays set when we stop: Telegram keeps what comes meanwhile."""
        if not self._public_url:
            raise Misconfigured(
                "Telegram cannot reach this service: mode is webhook, and http.public_url is empty. Set it."
            )
        url = self._public_url + self._path
        webhook.intake = intake
        try:
            try:
                await self._client.set_webhook(url, self._secret)
            except Refused as error:
                raise Misconfigured(
                    f"{error} Nothing is received. http.public_url must be https, on port 443, 80, 88 or 8443, and"
                    " reachable from outside; or choose mode: polling."
                ) from error
            report("connected", self._about(me))
            await self._watch(url, me, report)
        finally:
            webhook.intake = None

    async def _watch(self, url: str, me: Me, report: Report) -> None:
        """Nothing tells us that another program took the updates over, so ask. Raises Conflict."""
        troubled = False
        while True:
            await asyncio.sleep(self._pace.watch)
            try:
                there = await self._client.webhook_url()
            except (NotSent, OutcomeUnknown, RateLimited) as error:
                troubled = True
                report("error", str(error))
                continue
            if there != url:
                raise Conflict(webhook=bool(there))
            if troubled:
                report("connected", self._about(me))
            troubled = False

    async def send(self, to: Conversation, message: Outgoing) -> MessageRef:
        number = await self._client.send(*_target(to, message), render(message))
        return MessageRef(to.key, str(number))

    async def upload(self, to: Conversation, file: File, caption: Outgoing) -> MessageRef:
        number = await self._client.upload(*_target(to, caption), file, render(caption))
        return MessageRef(to.key, str(number))

    async def edit(self, ref: MessageRef, message: Outgoing) -> None:
        chat, number = _place(ref)
        await self._client.edit(chat, number, render(message))

    async def remove(self, ref: MessageRef) -> None:
        chat, number = _place(ref)
        await self._client.delete(chat, number)

    async def show(self, to: Conversation, activity: Activity) -> bool:
        typing = activity in ("queued", "thinking", "acting")
        if typing:
            await self._client.type(_number(to.chat), _number(to.thread) if to.thread is not None else None)
        return typing

    async def download(self, attachment: Attachment, at_most: int) -> bytes:
        return await self._client.download(attachment.id, at_most)


def _target(to: Conversation, message: Outgoing) -> tuple[int, int | None, int | None]:
    """Chat, topic, and the message that is answered."""
    thread = _number(to.thread) if to.thread is not None else None
    reply_to = _number(message.reply_to) if message.reply_to is not None else None
    return _number(to.chat), thread, reply_to


def _place(ref: MessageRef) -> tuple[int, int]:
    return _number(Conversation.parse(ref.conversation).chat), _number(ref.id)


def _number(text: str) -> int:
    """Raises Refused for what is no id of Telegram's."""
    try:
        return int(text)
    except ValueError as error:
        raise Refused(f"{text!r} is no id of Telegram's, so nothing was sent.") from error


if TYPE_CHECKING:
    _adapter: type[Adapter] = TelegramAdapter
    _routes: type[HasRoutes] = TelegramAdapter
    _removes: type[Removes] = TelegramAdapter
    _downloads: type[Downloads] = TelegramAdapter
    _shows: type[ShowsActivity] = TelegramAdapter
    _uploads: type[Uploads] = TelegramAdapter
