"""The line to the fake's control API."""

from collections.abc import Mapping
from typing import Any, TypeVar

import aiohttp
from pydantic import BaseModel, TypeAdapter

from tests.fakes.slack import answers as p

T = TypeVar("T")
Chat = p.Place | str
Who = p.Person | str
Where = p.Workspace | str


class Waited(AssertionError):
    """It did not happen in time."""


class ControlError(Exception):
    """The fake cannot do what the test asked for."""


class Line:
    """Asks one verb after another. The attributes are what the app's owner would copy from its pages."""

    def __init__(self, ready: Mapping[str, Any], http: aiohttp.ClientSession) -> None:
        self.api_url: str = ready["api_url"]
        """`{api_url}<method>`: the SDK's `base_url`."""
        self.control_url: str = ready["control_url"]
        self.app_id: str = ready["app_id"]
        self.app_token: str = ready["app_token"]
        self.signing_secret: str = ready["signing_secret"]
        self.client_id: str = ready["client_id"]
        self.client_secret: str = ready["client_secret"]
        self.bot_token: str = ready["bot_token"]
        self.team_id: str = ready["team_id"]
        self.bot_user_id: str = ready["bot_user_id"]
        self.bot_id: str = ready["bot_id"]
        self.bot_name: str = ready["bot_name"]
        self._http = http

    @property
    def mention(self) -> str:
        """What people type to speak to the bot."""
        return f"@{self.bot_name}"

    async def ask(self, verb: BaseModel, answer: type[T]) -> T:
        """Raises ControlError with the fake's own sentence."""
        url = f"{self.control_url}/{type(verb).__name__}"
        async with self._http.post(url, data=verb.model_dump_json()) as response:
            body = await response.text()
            if response.status != 200:
                raise ControlError(body)
            return TypeAdapter(answer).validate_json(body)


def id_of(named: Chat | Who) -> str:
    """Of a channel or a person."""
    return named if isinstance(named, str) else named.id


def maybe_id(named: Chat | Who | None) -> str | None:
    return None if named is None else id_of(named)


def team_of(where: Where | None) -> str | None:
    return where if isinstance(where, str) or where is None else where.team_id
