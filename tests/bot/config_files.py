"""Configurations for tests: a small good one, and how a changed one is loaded."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.config.load import load
from bot.config.mistakes import ConfigError, Mistake
from bot.config.models import Config

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
TOKEN = "4242:AAFmadeup-token_of-a_bot"
ENVIRON = {
    "TELEGRAM_TOKEN": TOKEN,
    "OPENAI_API_KEY": "sk-made-up",
    "SLACK_BOT": "xoxb-made-up",
    "SLACK_APP": "xapp-made-up",
    "SLACK_SIGNING": "0123456789abcdef0123456789abcdef",
}

GOOD = """\
models:
  main: {provider: openai, model: gpt-x, api_key: "${OPENAI_API_KEY}"}
channels:
  tg:
    type: telegram
    persona: guide
    token: "${TELEGRAM_TOKEN}"
  web: {type: web, persona: guide}
personas:
  guide: {display_name: Guide, model: main}
admins: ["tg:4242"]
"""


def loaded(directory: Path, text: str, environ: Mapping[str, str] = ENVIRON) -> Config:
    path = directory / "config.yaml"
    path.write_text(text, "utf-8")
    return load(path, environ, NOW)


def mistakes(directory: Path, text: str, environ: Mapping[str, str] = ENVIRON) -> tuple[Mistake, ...]:
    with pytest.raises(ConfigError) as caught:
        loaded(directory, text, environ)
    return caught.value.mistakes
