"""A Telegram bot, as configured. By default admins may talk to it, and whom they let in."""

import re
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, model_validator

from channels.config import ChannelConfig, OptionalSecret, Secret, wrong

# https://core.telegram.org/bots/api#setwebhook: "1-256 characters. Only characters A-Z, a-z, 0-9, _ and - are allowed";
# below 16 it could be guessed.
_SECRET = re.compile(r"[A-Za-z0-9_-]{16,256}")
_TOKEN = re.compile(r"\d+:[A-Za-z0-9_-]+")


def _base(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise wrong("is not the address of a server", "Write it in full, such as https://api.telegram.org.")
    return value.rstrip("/")


def _token(value: Any) -> Any:
    if not _TOKEN.fullmatch(value.get_secret_value()):
        raise wrong(
            "is not a bot token",
            "Take the whole token that @BotFather gave: digits, a colon, and letters and digits after it.",
        )
    return value


class TelegramConfig(ChannelConfig):
    type: Literal["telegram"]
    token: Annotated[Secret, AfterValidator(_token)]
    """From @BotFather."""
    mode: Literal["polling", "webhook"] = "polling"
    """`webhook` needs `http.public_url` and `webhook_secret`."""
    api_url: Annotated[str, AfterValidator(_base)] = "https://api.telegram.org"
    """`{api_url}/bot<token>/<method>`; without a slash at its end."""
    listen: Literal["addressed", "all"] = "addressed"
    """In groups: answer a mention, a reply and a command, or everything."""
    webhook_secret: OptionalSecret = None
    """Sent back by Telegram with every update, which shows that it comes from there."""

    @model_validator(mode="after")
    def _webhook_is_guarded(self) -> Self:
        if self.webhook_secret is None:
            if self.mode == "webhook":
                raise wrong(
                    "has mode: webhook and no webhook_secret: anyone could send updates",
                    "Add webhook_secret, 16 to 256 characters of A-Z a-z 0-9 _ -, from the environment.",
                )
            return self
        secret = self.webhook_secret.get_secret_value()
        if secret == self.token.get_secret_value():
            raise wrong("has its token as webhook_secret", "Make up another text for webhook_secret.")
        if not _SECRET.fullmatch(secret):
            raise wrong(
                "has a webhook_secret that Telegram does not take or that could be guessed",
                "Use 16 to 256 characters of A-Z a-z 0-9 _ -.",
            )
        return self
