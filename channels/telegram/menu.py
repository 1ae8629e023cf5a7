"""The menu of commands that Telegram shows: everybody sees what everybody may use, admins see all in their own chat."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import structlog
from telegram import (
    BotCommandScope,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    BotCommandScopeChat,
    BotCommandScopeDefault,
)

from channels.errors import ChannelError
from channels.telegram.client import Client
from channels.telegram.limits import COMMANDS, DESCRIPTION

_NAME = re.compile(r"[a-z0-9_]{1,32}")  # https://core.telegram.org/bots/api#botcommand

_log = structlog.stdlib.get_logger(__name__)

Shown = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A command as the menu shows it. Raises ValueError for a name that Telegram does not take."""

    name: str
    description: str
    admin_only: bool = False

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or not self.description.strip():
            raise ValueError(f"not a command for Telegram's menu: {self.name!r}")


def menus(entries: Sequence[MenuEntry], admins: Sequence[int]) -> Iterator[tuple[BotCommandScope, Shown]]:
    everybody = _shown([entry for entry in entries if not entry.admin_only])
    yield BotCommandScopeDefault(), everybody
    yield BotCommandScopeAllPrivateChats(), everybody
    yield BotCommandScopeAllGroupChats(), everybody
    for admin in admins:
        yield BotCommandScopeChat(admin), _shown(entries)


def _shown(entries: Sequence[MenuEntry]) -> Shown:
    return tuple((entry.name, entry.description.strip()[:DESCRIPTION]) for entry in entries[:COMMANDS])


async def publish(client: Client, entries: Sequence[MenuEntry], admins: Sequence[int]) -> None:
    """A menu that cannot be set is logged: every command works without it. An admin who has not written to the bot yet
    has no chat that a menu could be set for."""
    for scope, commands in menus(entries, admins):
        try:
            await client.set_commands(commands, scope)
        except ChannelError as error:
            _log.warning("telegram_menu_not_set", scope=scope.type, reason=str(error))
