"""The secrets of a configuration, so that the log can strike them out."""

from collections.abc import Iterator
from urllib.parse import unquote

from pydantic import BaseModel, SecretStr

from bot.config.database import DatabaseUrl
from bot.config.models import Config


def secrets_of(config: Config) -> list[str]:
    """Every secret value, plain."""
    return list(_within(config))


def _within(value: object) -> Iterator[str]:
    if isinstance(value, DatabaseUrl):
        for password in value.passwords:
            yield from {password, unquote(password)}
    elif isinstance(value, SecretStr):  # not a `Secret`, in spite of its name
        yield value.get_secret_value()
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _within(getattr(value, name))
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _within(inner)
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from _within(inner)
