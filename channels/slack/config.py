"""A Slack app in a workspace, as configured. Where `talk.allow` names nobody, full members of the workspace may talk."""

import re
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, model_validator

from channels.config import ChannelConfig, OptionalSecret, Secret, wrong
from channels.events import Standing

_COMMAND = re.compile(r"/[a-z0-9_-]{1,31}")
_SIGNING = re.compile(r"[0-9a-f]{16,64}")


def _bot(value: Any) -> Any:
    return _kind(value, "xoxb-", "Bot User OAuth Token", "OAuth & Permissions")


def _app(value: Any) -> Any:
    return value if value is None else _kind(value, "xapp-", "App-Level Token", "Basic Information")


def _kind(value: Any, begins: str, name: str, page: str) -> Any:
    if not value.get_secret_value().startswith(begins):
        raise wrong(f"is not a {name}", f"Take the one that begins with {begins}, from {page} of the app's settings.")
    return value


def _signing(value: Any) -> Any:
    if value is not None and not _SIGNING.fullmatch(value.get_secret_value()):
        raise wrong("is not a signing secret", "Take it from Basic Information of the app's settings: 32 hex digits.")
    return value


def _base(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise wrong("is not the address of a server", "Write it in full, such as https://slack.com/api/.")
    return value.rstrip("/") + "/"


def _command(value: str) -> str:
    if not _COMMAND.fullmatch(value):
        raise wrong("is not a command that Slack takes", "Write a slash and up to 31 of a-z 0-9 _ -: /askfirst.")
    return value


class SlackConfig(ChannelConfig):
    type: Literal["slack"]
    bot_token: Annotated[Secret, AfterValidator(_bot)]
    """Of the app in one workspace, or in a whole organisation."""
    app_token: Annotated[OptionalSecret, AfterValidator(_app)] = None
    """For mode: socket."""
    signing_secret: Annotated[OptionalSecret, AfterValidator(_signing)] = None
    """For mode: http; shows that a request comes from Slack."""
    mode: Literal["socket", "http"] = "socket"
    """`http` needs `http.public_url` and `signing_secret`."""
    api_url: Annotated[str, AfterValidator(_base)] = "https://slack.com/api/"
    """With a slash at its end."""
    command: Annotated[str, AfterValidator(_command)] = "/askfirst"
    """The one slash-command that is registered for the app."""
    listen: Literal["addressed", "all"] = "addressed"
    """In channels: answer a mention and whoever writes in a thread that it is part of, or everything."""
    deciding: tuple[Standing, ...] = ("member",)
    """Which standing in the workspace a requester needs to decide about their own request: member, guest, external."""

    @model_validator(mode="after")
    def _can_be_reached(self) -> Self:
        if self.mode == "socket" and self.app_token is None:
            raise wrong(
                "has mode: socket and no app_token",
                "Make an app-level token with connections:write in the app's settings, or write mode: http.",
            )
        if self.mode == "http" and self.signing_secret is None:
            raise wrong(
                "has mode: http and no signing_secret: anyone could send events",
                "Add signing_secret from the app's settings, through the environment.",
            )
        return self
