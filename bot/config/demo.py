"""The embedded default: no token, no key, no network."""

import secrets
from pathlib import Path

from pydantic import SecretStr

from bot.config.database import sqlite
from bot.config.models import Config, HttpConfig, ModelConfig, PersonaConfig, SkillsConfig
from channels.web.config import WebConfig

INSTRUCTIONS = """\
You help the person you talk with to keep notes, documents and memories. You look things up freely; before you change
anything, the service asks a person, and you say plainly what came of it."""


def demo(port: int, data_dir: Path) -> Config:
    """The browser chat on loopback, the offline planner, and a persona that may read and, when asked, write.

    The admin token is made anew at each call.
    """
    data = data_dir.absolute()
    return Config(
        data_dir=data,
        database=sqlite(data / "askfirst.db"),
        http=HttpConfig(port=port, admin_token=SecretStr(secrets.token_urlsafe(32))),
        models={"offline": ModelConfig(provider="offline")},
        channels={"web": WebConfig(type="web", persona="guide")},
        personas={"guide": PersonaConfig(display_name="Guide", model="offline", instructions=INSTRUCTIONS)},
        admins=("web:admin",),
        skills=SkillsConfig(dir=data / "skills"),
    )
