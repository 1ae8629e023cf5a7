"""The command line."""

import asyncio
import json
import os
import sys
import time
import webbrowser
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from gettext import gettext as _
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from bot import init as first_steps
from bot import log
from bot.app import welcome
from bot.cards import moment
from bot.config.demo import demo as demo_config
from bot.config.hidden import secrets_of
from bot.config.load import load
from bot.config.models import Config
from bot.doctor import examine
from bot.domain.chain import broken
from bot.errors import AskfirstError
from bot.serving import open_store, serve
from bot.store import api_tokens
from bot.store import audit as audit_shelf
from bot.store.database import Tx
from bot.store.schema import migrate as migrate_database
from bot.tools.registry import BUILT_IN
from bot.web.api import tokens
from bot.web.auth import make_link
from channels.slack.config import SlackConfig
from channels.slack.manifest import manifest

T = TypeVar("T")

CONFIG = click.option(
    "--config", "path", type=click.Path(path_type=Path), default=Path("config.yaml"), show_default=True
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="askfirst")
def main() -> None:
    """Governed AI personas for chat: every write stops and asks."""


@main.command()
@CONFIG
@click.option("--reset-from-config", is_flag=True, help="Make personas, grants and channels what the file says.")
def run(path: Path, reset_from_config: bool) -> None:
    """Start everything; stop cleanly on SIGTERM or Ctrl-C."""
    config = _load(path)
    log.set_up(secrets_of(config))
    for warning in config.warnings:
        click.echo(_("Warning: {warning}").format(warning=warning), err=True)
    _complete(serve(config, _say_address, reset=reset_from_config))


@main.command()
@click.option("--port", default=8080, show_default=True, help="0: any that is free.")
@click.option("--open", "open_browser", is_flag=True, help="Open the page in a browser.")
@click.option("--data", type=click.Path(path_type=Path), default=Path("data"), show_default=True)
def demo(port: int, open_browser: bool, data: Path) -> None:
    """Try it: browser chat on this machine, no token, no key, no network."""
    config = demo_config(port, data)
    log.set_up(secrets_of(config), level="WARNING")

    def said(address: str) -> None:
        click.echo(_("Askfirst is ready. Open {address}").format(address=address))
        click.echo(_("It answers with a planner for commands, not a language model. Ctrl-C ends it."))
        if open_browser:
            webbrowser.open(address)

    _complete(serve(config, said))


@main.command()
@CONFIG
def check(path: Path) -> None:
    """Validate the configuration: all mistakes at once."""
    config = _load(path)
    for warning in config.warnings:
        click.echo(_("Warning: {warning}").format(warning=warning))
    click.echo(_("{path} is fine.").format(path=path))


@main.command()
@CONFIG
def doctor(path: Path) -> None:
    """Ask every outside party whether it works."""
    config = _load(path)
    log.set_up(secrets_of(config), level="CRITICAL")
    findings = asyncio.run(examine(config))
    for finding in findings:
        mark = "ok" if finding.ok else "!!"
        click.echo(f"{mark}  {finding.part}: {finding.text}")
    sys.exit(0 if all(finding.ok for finding in findings) else 1)


@main.command("slack-manifest")
@CONFIG
@click.argument("channel", required=False)
def slack_manifest(path: Path, channel: str | None) -> None:
    """Print the manifest of a Slack app that fits the configuration, or its channel CHANNEL."""
    config = _load(path)
    found = {name: each for name, each in config.channels.items() if isinstance(each, SlackConfig)}
    if channel is not None:
        found = {name: each for name, each in found.items() if name == channel}
    if len(found) != 1:
        words = (
            _("Say for which channel: {names}.").format(names=", ".join(found))
            if found
            else _("There is no such Slack channel in {path}. Add one of type: slack.").format(path=path)
        )
        _end(AskfirstError(words), 1)
    [(name, slack)] = found.items()
    display_name = config.personas[slack.persona].display_name
    made = manifest(name, slack, display_name, welcome().examples, config.http.public_url)
    click.echo(json.dumps(made, indent=2, ensure_ascii=False))


@main.command()
@CONFIG
@click.option("--force", is_flag=True, help="Overwrite what is there.")
@click.option("--yes", is_flag=True, help="Ask nothing; take what is given and the defaults.")
@click.option("--name", "display_name", help="What the persona is called in chats.")
@click.option("--provider", type=click.Choice(["offline", "openai", "anthropic"]), help="Whose model.")
@click.option("--model", help="As the provider calls it.")
@click.option("--base-url", help="Of a compatible server of your own.")
@click.option("--telegram/--no-telegram", default=None, help="Whether it talks on Telegram.")
@click.option("--telegram-admin", help="Your numeric Telegram id.")
@click.option("--slack/--no-slack", default=None, help="Whether it talks on Slack.")
@click.option("--slack-admin", help="Your member id on Slack.")
@click.option("--port", type=int, help="Of the browser chat.")
def init(
    path: Path,
    force: bool,
    yes: bool,
    display_name: str | None,
    provider: first_steps.Provider | None,
    model: str | None,
    base_url: str | None,
    telegram: bool | None,
    telegram_admin: str | None,
    slack: bool | None,
    slack_admin: str | None,
    port: int | None,
) -> None:
    """Write config.yaml and .env by asking a few questions. Secrets are asked for, never taken from the command line."""
    given = first_steps.Given(
        provider=provider,
        model=model,
        base_url=base_url,
        telegram=telegram,
        telegram_admin=telegram_admin,
        slack=slack,
        slack_admin=slack_admin,
        display_name=display_name,
        port=port,
    )
    _guarded(lambda: first_steps.look_first(path, force=force))
    written = _guarded(lambda: first_steps.write(first_steps.ask(given, interactive=not yes), path, force=force))
    click.echo(
        _("Written: {files}. Next: askfirst check, askfirst doctor, then askfirst run.").format(
            files=", ".join(map(str, written))
        )
    )


@main.command()
@CONFIG
def migrate(path: Path) -> None:
    """Bring the database to the current schema."""
    config = _load(path)
    _guarded(lambda: migrate_database(config.database.get_secret_value()))
    click.echo(_("The database is up to date."))


@main.group()
def audit() -> None:
    """Look after the record of who did what."""


@audit.command("verify")
@CONFIG
def audit_verify(path: Path) -> None:
    """Check the chain: an entry that was changed, removed, added or moved by hand is named."""
    faults, count = _in_store(_load(path), _verified)
    for fault in faults:
        click.echo(_("Broken: {fault}.").format(fault=fault), err=True)
    if faults:
        sys.exit(1)
    click.echo(_("The audit is whole: {count} entries.").format(count=count))


@audit.command("export")
@CONFIG
def audit_export(path: Path) -> None:
    """Write every entry as a line of JSON."""
    for link in _in_store(_load(path), lambda tx: list(audit_shelf.everything(tx))):
        said = asdict(link) | {"detail": json.loads(link.detail)}
        click.echo(json.dumps(said, ensure_ascii=False))


def _verified(tx: Tx) -> tuple[list[str], int]:
    links = list(audit_shelf.everything(tx))
    return list(broken(links, audit_shelf.head(tx))), len(links)


@main.group()
def token() -> None:
    """Make, list and revoke tokens."""


@token.command("make")
@CONFIG
@click.argument("name")
@click.option("--scope", type=click.Choice(["read", "admin"]), default="read", show_default=True)
def token_make(path: Path, name: str, scope: api_tokens.Scope) -> None:
    """Make a token for the HTTP API, called NAME in the audit. It is shown this once."""
    config = _load(path)
    made, secret = _in_store(config, lambda tx: tokens.make(tx, name, scope, time.time()))
    click.echo(_("Token {id} ({scope}), shown this once:").format(id=made.id, scope=made.scope))
    click.echo(secret)
    if config.http.admin_token is None:
        click.echo(_("Note: the API is closed as long as http.admin_token is not set."), err=True)


@token.command("list")
@CONFIG
def token_list(path: Path) -> None:
    """List the tokens for the HTTP API, without their secrets."""
    for each in _in_store(_load(path), api_tokens.everything):
        used = _("never used") if each.used_at is None else _("used {time}").format(time=moment(each.used_at))
        state = used if each.revoked_at is None else _("revoked {time}").format(time=moment(each.revoked_at))
        made = _("made {time}").format(time=moment(each.created_at))
        click.echo(f"{each.id}  {each.name}  {each.scope}  {made}  {state}")


@token.command("revoke")
@CONFIG
@click.argument("token_id", metavar="ID")
def token_revoke(path: Path, token_id: str) -> None:
    """Revoke a token for the HTTP API: it opens nothing from now on."""
    revoked = _in_store(_load(path), lambda tx: tokens.revoke(tx, token_id, time.time()))
    click.echo(_("Token {id} ({name}) is revoked.").format(id=revoked.id, name=revoked.name))


@token.command("web")
@CONFIG
@click.argument("name")
def token_web(path: Path, name: str) -> None:
    """Make a link that signs NAME in to the browser chat, once."""
    config = _load(path)
    secret = _in_store(config, lambda tx: make_link(tx, name, time.time()))
    base = config.http.public_url or f"http://{config.http.host}:{config.http.port}"
    web = next((name for name, channel in config.channels.items() if channel.type == "web"), None)
    if web is None:
        _end(AskfirstError(_("There is no web channel in the configuration, so no link was made. Add one.")), 1)
    click.echo(_("Good for one sign-in within 15 minutes:"))
    click.echo(f"{base.rstrip('/')}/channels/{web}/sign-in?link={secret}")


def _load(path: Path) -> Config:
    """The configuration, or the end of the program with every mistake."""
    try:
        return load(path, os.environ, builtin=frozenset(spec.capability_id for spec in BUILT_IN))
    except AskfirstError as error:
        _end(error, 2)


def _in_store(config: Config, work: Callable[[Tx], T]) -> T:
    """What `work` gives, done in one transaction."""

    async def do() -> T:
        store = await asyncio.to_thread(open_store, config)
        try:
            return await store.tx(work)
        finally:
            await store.close()

    return _guarded(lambda: asyncio.run(do()))


def _complete(work: Coroutine[Any, Any, None]) -> None:
    _guarded(lambda: asyncio.run(work))


def _guarded(work: Callable[[], T]) -> T:
    """Errors that speak to the reader are all that the reader sees."""
    try:
        return work()
    except AskfirstError as error:
        _end(error, 1)


def _end(error: AskfirstError, status: int) -> NoReturn:
    click.echo(str(error), err=True)
    sys.exit(status)


def _say_address(address: str) -> None:
    click.echo(_("Askfirst is ready at {address}").format(address=address))


if __name__ == "__main__":
    main(prog_name="askfirst")
