"""What `askfirst init` asks, and the two files that it writes: config.yaml, commented, and .env for the secrets."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click
import yaml

from bot.errors import AskfirstError

Provider = Literal["offline", "openai", "anthropic"]


class WouldOverwrite(AskfirstError):
    """Files are there already, so nothing was written."""


@dataclass(frozen=True, slots=True)
class Given:
    """What was said on the command line; None: not said."""

    provider: Provider | None = None
    model: str | None = None
    base_url: str | None = None
    api_key: str | None = None
    telegram: bool | None = None
    telegram_token: str | None = None
    telegram_admin: str | None = None
    slack: bool | None = None
    slack_admin: str | None = None
    display_name: str | None = None
    port: int | None = None


@dataclass(frozen=True, slots=True)
class Answers:
    """What is written. Secrets may be empty: then their line in .env waits for them."""

    provider: Provider = "offline"
    model: str = ""
    base_url: str = ""
    api_key: str = ""
    telegram: bool = False
    telegram_token: str = ""
    telegram_admin: str = ""
    slack: bool = False
    slack_bot_token: str = ""
    slack_app_token: str = ""
    slack_admin: str = ""
    display_name: str = "Guide"
    port: int = 8080


def ask(given: Given, *, interactive: bool) -> Answers:
    """The answers, from the command line and, where that is silent and someone is there, by asking."""
    if not interactive:
        return _assumed(given)
    assumed = Answers()
    provider = given.provider or _choose_provider()
    hosted = provider != "offline"
    model = given.model or (_text("The model, as the provider calls it") if hosted else "")
    base_url = given.base_url
    if base_url is None:
        base_url = _text("Address of a compatible server (empty: the provider's own)", "") if hosted else ""
    api_key = given.api_key
    if api_key is None:
        api_key = _secret("API key (kept in .env; empty: later)") if hosted else ""
    telegram = given.telegram
    if telegram is None:
        telegram = bool(given.telegram_token) or click.confirm("Connect a Telegram bot?", default=False)
    token, admin = given.telegram_token, given.telegram_admin
    if token is None:
        token = _secret("Its token, from @BotFather (kept in .env; empty: later)") if telegram else ""
    if admin is None:
        admin = _text("Your Telegram user id, a number, as its admin (empty: later)", "") if telegram else ""
    slack = given.slack
    if slack is None:
        slack = click.confirm("Connect a Slack app?", default=False)
    bot_token = _secret("Its bot token, xoxb-… (kept in .env; empty: later)") if slack else ""
    app_token = _secret("Its app token, xapp-… (kept in .env; empty: later)") if slack else ""
    slack_admin = given.slack_admin
    if slack_admin is None:
        slack_admin = _text("Your Slack member id, such as U0123ABCD, as its admin (empty: later)", "") if slack else ""
    return Answers(
        provider=provider,
        model=model,
        base_url=base_url,
        api_key=api_key,
        telegram=telegram,
        telegram_token=token,
        telegram_admin=admin,
        slack=slack,
        slack_bot_token=bot_token,
        slack_app_token=app_token,
        slack_admin=slack_admin,
        display_name=given.display_name or _text("What is the persona called?", assumed.display_name),
        port=given.port
        or click.prompt("Port of the browser chat", default=assumed.port, type=click.IntRange(1, 65535)),
    )


def _assumed(given: Given) -> Answers:
    assumed = Answers()
    return Answers(
        provider=given.provider or assumed.provider,
        model=given.model or assumed.model,
        base_url=given.base_url or assumed.base_url,
        api_key=given.api_key or assumed.api_key,
        telegram=bool(given.telegram_token) if given.telegram is None else given.telegram,
        telegram_token=given.telegram_token or assumed.telegram_token,
        telegram_admin=given.telegram_admin or assumed.telegram_admin,
        slack=bool(given.slack),
        slack_admin=given.slack_admin or assumed.slack_admin,
        display_name=given.display_name or assumed.display_name,
        port=given.port or assumed.port,
    )


def _choose_provider() -> Provider:
    choices: list[Provider] = ["offline", "openai", "anthropic"]
    click.echo("The model: offline needs no key and plans commands only; openai is any server that speaks its API.")
    answer = click.prompt("Provider", default="offline", type=click.Choice(choices))
    return choices[choices.index(answer)]


def _text(question: str, default: str | None = None) -> str:
    return str(click.prompt(question, default=default, show_default=bool(default)))


def _secret(question: str) -> str:
    return str(click.prompt(question, default="", show_default=False, hide_input=True))


def look_first(config: Path, *, force: bool) -> None:
    """Raises WouldOverwrite, unless `force`, if there is something to lose."""
    present = [path.name for path in (config, config.with_name(".env")) if path.exists()]
    if present and not force:
        names = " and ".join(present)
        raise WouldOverwrite(
            f"{names} would be overwritten, so nothing was written. Move it away, or say --force to replace it."
        )


def write(answers: Answers, config: Path, *, force: bool) -> tuple[Path, Path]:
    """Write `config` and `.env` beside it (readable by its owner alone). Raises WouldOverwrite, unless `force`."""
    look_first(config, force=force)
    env = config.with_name(".env")
    config.parent.mkdir(parents=True, exist_ok=True)
    _replace(env, env_text(answers, secrets.token_urlsafe(32)), 0o600)
    _replace(config, config_text(answers), 0o644)
    return config, env


def _replace(path: Path, text: str, mode: int) -> None:
    """Whole or not at all, and never readable by more than `mode` says, not even for a moment."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        file.write(text)
    beside.replace(path)


def env_text(answers: Answers, admin_token: str) -> str:
    lines = [
        "# Secrets of config.yaml. Keep this file to yourself; it is never written to by the service.",
        f"ASKFIRST_ADMIN_TOKEN={_line(admin_token)}",
    ]
    if answers.provider != "offline":
        lines.append(f"{_key_variable(answers.provider)}={_line(answers.api_key)}")
    if answers.telegram:
        lines.append(f"TELEGRAM_TOKEN={_line(answers.telegram_token)}")
    if answers.slack:
        lines.append(f"SLACK_BOT_TOKEN={_line(answers.slack_bot_token)}")
        lines.append(f"SLACK_APP_TOKEN={_line(answers.slack_app_token)}")
    return "\n".join(lines) + "\n"


def _line(value: str) -> str:
    return value.strip().replace("\n", "").replace("\r", "")


def _key_variable(provider: Provider) -> str:
    return "ANTHROPIC_API_KEY" if provider == "anthropic" else "OPENAI_API_KEY"


def config_text(answers: Answers) -> str:
    """config.yaml, with what was answered; config.example.yaml explains the rest."""
    admins = ["web:admin"]
    if answers.telegram and answers.telegram_admin:
        admins.append(f"tg:{answers.telegram_admin}")
    if answers.slack and answers.slack_admin:
        admins.append(f"team:{answers.slack_admin}")
    return f"""\
# Written by `askfirst init`. `askfirst check` tells all mistakes at once; config.example.yaml explains every key.
# ${{NAME}} is taken from the environment, and from .env beside this file. Secrets stand there, never here.

data_dir: ./data

http:
  host: 127.0.0.1
  port: {answers.port}
  admin_token: "${{ASKFIRST_ADMIN_TOKEN}}"    # for the HTTP API

models:
{_model(answers)}
channels:
  web:                          # the browser chat
    type: web
    persona: guide
{_telegram(answers)}{_slack(answers)}
personas:
  guide:
    display_name: {_quoted(answers.display_name)}
    model: main
    instructions: |
      You help the people you talk with to keep notes and documents. Be brief.
    default_builtin: allow      # built-in tools: allow (writes still ask) | read | none

admins: [{", ".join(_quoted(person) for person in admins)}]

approvals:
  expire_after: 24h
  approvers: [requester, admins]    # who may decide
  deny_self: false              # true: whoever asked may not decide
"""


def _model(answers: Answers) -> str:
    if answers.provider == "offline":
        return "  main:\n    provider: offline           # plans commands, is no language model; or openai, anthropic\n"
    key = _key_variable(answers.provider)
    lines = [
        "  main:",
        f"    provider: {answers.provider}",
        f"    model: {_quoted(answers.model)}",
        f"    base_url: {_quoted(answers.base_url)}    # empty: the provider's own",
        f'    api_key: "${{{key}{":-" if answers.base_url else ""}}}"',
    ]
    return "\n".join(lines) + "\n"


def _telegram(answers: Answers) -> str:
    if not answers.telegram:
        return ""
    return """\
  tg:                           # a bot from @BotFather
    type: telegram
    persona: guide
    token: "${TELEGRAM_TOKEN}"
    mode: polling               # or webhook, see config.example.yaml
    talk: {allow: [], knock: true}    # beside admins and whom they let in: "tg:4242", "group:-1001", anyone
"""


def _slack(answers: Answers) -> str:
    if not answers.slack:
        return ""
    return """\
  team:                         # `askfirst slack-manifest` prints the app to make at api.slack.com
    type: slack
    persona: guide
    bot_token: "${SLACK_BOT_TOKEN}"
    app_token: "${SLACK_APP_TOKEN}"
    mode: socket                # or http, see config.example.yaml
"""


def _quoted(text: str) -> str:
    """As YAML takes it on one line, with nothing in it read as a variable."""
    dumped = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=10_000)
    return str(dumped).strip().replace("${", "$${")
