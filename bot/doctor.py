"""Asks every outside party whether it works: a line each, with how to mend what does not."""

import asyncio
import os
import time
from dataclasses import dataclass
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path

from bot.config.mcp import McpServerConfig
from bot.config.models import Config
from bot.errors import StoreUnavailable
from bot.llm.port import ModelFailure, Request, Said
from bot.llm.words import failure_in_words
from bot.mcp_client.fleet import Fleet
from bot.models import build_model, close_model
from bot.store.database import ping
from channels.errors import ChannelError, ChannelGone
from channels.slack.client import Client as SlackClient
from channels.slack.config import SlackConfig
from channels.slack.scopes import missing, why
from channels.telegram.client import Client
from channels.telegram.config import TelegramConfig
from channels.telegram.refusals import Unauthorized

PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class Finding:
    """`text`: what is well, or what is wrong and how to mend it."""

    part: str
    ok: bool
    text: str


async def examine(config: Config) -> list[Finding]:
    """Ask them one after the other; each waits at most half a minute."""
    findings = [await _database(config), await asyncio.to_thread(skills_folder, config.skills.dir, config.data_dir)]
    for name, channel in config.channels.items():
        if isinstance(channel, TelegramConfig):
            findings.append(await _telegram(name, channel))
        elif isinstance(channel, SlackConfig):
            findings.append(await _slack(name, channel))
        else:
            findings.append(Finding(f"channel {name}", True, _("the browser chat needs nobody")))
    findings += [await _model(name, config) for name in config.models]
    findings += await _servers(config)
    return findings


async def _database(config: Config) -> Finding:
    try:
        await asyncio.to_thread(ping, config.database.get_secret_value())
    except StoreUnavailable as error:
        return Finding("database", False, str(error))
    return Finding("database", True, _("it answers"))


def skills_folder(folder: Path, data_dir: Path) -> Finding:
    """`data_dir` is made by the first start, and `folder` with it."""
    if not folder.exists():
        if not data_dir.exists():
            return Finding("skills", True, _("their folder is made at the first start"))
        words = _("the folder {folder} is gone. If skills were installed, bring it back; else the next start makes it.")
        return Finding("skills", False, words.format(folder=folder))
    if not folder.is_dir() or not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        words = _("the folder {folder} cannot be read and written. Give it to the user that the service runs as.")
        return Finding("skills", False, words.format(folder=folder))
    return Finding("skills", True, _("their folder can be read and written"))


async def _telegram(name: str, config: TelegramConfig) -> Finding:
    part = f"channel {name}"
    client = Client(config.token.get_secret_value(), config.api_url)
    await client.open()
    try:
        async with asyncio.timeout(PATIENCE_S):
            me = await client.me()
    except Unauthorized:
        words = _(
            "Telegram does not take the token. Get the right one from @BotFather and put it into the environment."
        )
        return Finding(part, False, words)
    except ChannelError as error:
        return Finding(part, False, _("{trouble} Check api_url and the network.").format(trouble=error))
    except TimeoutError:
        return Finding(part, False, _("Telegram did not answer within half a minute. Check the network and api_url."))
    finally:
        await client.close()
    privacy = "" if me.reads_all else _("; in groups it hears only mentions, replies and commands (privacy mode)")
    return Finding(part, True, _("it is @{name}{privacy}").format(name=me.username, privacy=privacy))


async def _slack(name: str, config: SlackConfig) -> Finding:
    part = f"channel {name}"
    app_token = config.app_token.get_secret_value() if config.app_token else ""
    client = SlackClient(config.bot_token.get_secret_value(), app_token, config.api_url)
    await client.open()
    try:
        async with asyncio.timeout(PATIENCE_S):
            me, scopes = await client.me()
            if config.mode == "socket":
                await client.ticket()
    except ChannelGone as error:
        words = _("{trouble} Get the token anew from the app's settings and put it into the environment.")
        return Finding(part, False, words.format(trouble=error))
    except ChannelError as error:
        return Finding(part, False, _("{trouble} Check api_url and the network.").format(trouble=error))
    except TimeoutError:
        return Finding(part, False, _("Slack did not answer within half a minute. Check the network and api_url."))
    finally:
        await client.close()
    lacking = missing(scopes)
    if lacking:
        words = _("the app lacks scopes: {scopes}. Add them under OAuth & Permissions, and install the app again.")
        return Finding(part, False, words.format(scopes=", ".join(f"{each} (to {why(each)})" for each in lacking)))
    return Finding(part, True, _("it is @{name} in {team}").format(name=me.name, team=me.team))


async def _model(name: str, config: Config) -> Finding:
    part = f"model {name}"
    model = build_model(config.models[name])
    try:
        async with asyncio.timeout(PATIENCE_S):
            await model.turn(Request("Answer with one word.", (Said("Say ok."),)), _unheard)
    except ModelFailure as failure:
        words = _(
            "there is no such model, or its library is missing: check `model`, and install askfirst[openai] or [anthropic]"
        )
        if failure.kind in ("down", "timeout"):
            words = _("{address} does not answer. Does it run? Check `base_url` and the network.").format(
                address=config.models[name].base_url or config.models[name].provider
            )
            return Finding(part, False, words)
        return Finding(part, False, words if failure.kind == "missing" else failure_in_words(failure))
    except TimeoutError:
        return Finding(part, False, _("it did not answer within half a minute. Check base_url and the network."))
    finally:
        await close_model(model)
    return Finding(part, True, _("it answers"))


async def _servers(config: Config) -> list[Finding]:
    """MCP servers of the configuration; each is connected once, and let go again."""
    if not config.mcp_servers:
        return []
    fleet = Fleet(config.environ, config.data_dir, time.time)
    try:
        return [await _server(fleet, name, spec) for name, spec in config.mcp_servers.items()]
    finally:
        await fleet.stop()


async def _server(fleet: Fleet, name: str, spec: McpServerConfig) -> Finding:
    part = f"MCP server {name}"
    if not spec.enabled:
        return Finding(part, True, _("it is not enabled, so it was not asked"))
    result = await fleet.test(spec)
    if not result.ok:
        words = _("{trouble} Check its command or url, and what it takes from the environment.")
        return Finding(part, False, words.format(trouble=result.error))
    count = len(result.definitions)
    return Finding(part, True, ngettext("it offers {count} tool", "it offers {count} tools", count).format(count=count))


async def _unheard(_text: str) -> None:
    """Only whether it answers counts."""
