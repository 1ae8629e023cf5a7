"""config.example.yaml is the manual of the models, and holds to them in both directions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from bot.config.load import load
from bot.config.mcp import McpServerConfig, TimeoutsConfig
from bot.config.models import (
    ApprovalsConfig,
    ArchiveLimits,
    Config,
    GrantConfig,
    HttpConfig,
    LimitsConfig,
    ModelConfig,
    PersonaConfig,
    PolicyConfig,
)
from channels.slack.config import SlackConfig
from channels.telegram.config import TelegramConfig
from channels.web.config import WebConfig

EXAMPLE = Path(__file__).parents[2] / "config.example.yaml"
ENVIRON = {
    "OPENAI_API_KEY": "sk-made-up",
    "TELEGRAM_TOKEN": "1:made-up",
    "SLACK_BOT_TOKEN": "xoxb-made-up",
    "SLACK_APP_TOKEN": "xapp-made-up",
}

SECTIONS: dict[str, type[BaseModel]] = {
    "": Config,
    "http": HttpConfig,
    "models.main": ModelConfig,
    "channels.team": SlackConfig,
    "channels.tg": TelegramConfig,
    "channels.web": WebConfig,
    "personas.guide": PersonaConfig,
    "grants.0": GrantConfig,
    "approvals": ApprovalsConfig,
    "approvals.policies.0": PolicyConfig,
    "limits": LimitsConfig,
    "mcpServers.files": McpServerConfig,
    "mcpServers.files.timeouts": TimeoutsConfig,
    "skills.limits": ArchiveLimits,
}


def section(value: Any, dotted: str) -> Any:
    for part in filter(None, dotted.split(".")):
        value = value[int(part)] if part.isdigit() else value[part]
    return value


def sections_within(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """Every model that a field of `model` holds, however deep."""
    for field in model.model_fields.values():
        for kind in kinds(field.annotation):
            yield kind
            yield from sections_within(kind)


def kinds(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from kinds(part)


def test_the_example_is_loaded_without_a_mistake() -> None:
    load(EXAMPLE, ENVIRON)


def test_every_section_is_looked_at_below() -> None:
    missing = set(sections_within(Config)) - set(SECTIONS.values())
    assert {model.__name__ for model in missing} == {"Talk", "SkillsConfig"}


@pytest.mark.parametrize("dotted", SECTIONS)
def test_every_key_is_in_the_example(dotted: str) -> None:
    given = section(yaml.safe_load(EXAMPLE.read_text("utf-8")), dotted)
    model = SECTIONS[dotted]
    assert set(given) == {field.alias or name for name, field in model.model_fields.items()}


def test_every_key_of_a_small_section_is_in_the_example() -> None:
    example = yaml.safe_load(EXAMPLE.read_text("utf-8"))
    assert set(example["skills"]) == {"dir", "limits"}
    assert set(example["channels"]["tg"]["talk"]) == set(example["channels"]["web"]["talk"]) == {"allow", "knock"}


@pytest.mark.parametrize(
    "dotted",
    ["http", "channels.tg", "channels.web", "grants.0", "approvals", "approvals.policies.0", "limits", "skills.limits"],
)
def test_the_example_shows_the_defaults(dotted: str) -> None:
    shown = load(EXAMPLE, ENVIRON).model_dump()
    for name, field in SECTIONS[dotted].model_fields.items():
        if not field.is_required() and name != "policies":  # one is shown, though there is none
            default = field.get_default(call_default_factory=True)
            expected = default.model_dump() if isinstance(default, BaseModel) else default
            assert section(shown, dotted)[name] == expected, name


def test_the_places_of_the_example_are_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(EXAMPLE.read_text("utf-8"), "utf-8")
    config = load(tmp_path / "config.yaml", ENVIRON)
    assert config.data_dir == tmp_path / "data"
    assert config.database.sqlite_path == tmp_path / "data/askfirst.db"
    assert config.skills.dir == tmp_path / "data/skills"
