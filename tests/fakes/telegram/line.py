"""The line to the fake's control API."""

from collections.abc import Mapping
from typing import Any, TypeVar

import aiohttp
from pydantic import BaseModel, TypeAdapter

from tests.fakes.telegram import protocol as p

T = TypeVar("T")
Chat = p.Place | int
Who = p.Person | int


class Waited(AssertionError):
    """It did not happen in time."""


class ControlError(Exception):
    """The fake cannot do what the test asked for."""


class Line:
    """Asks one verb after another. The addresses are the Bot API's: what the bot needs to know."""

    def __init__(self, ready: Mapping[str, Any], http: aiohttp.ClientSession) -> None:
        self.api_url: str = ready["api_url"]
        """`{api_url}/bot<token>/<method>`, files under `{api_url}/file/bot<token>/<path>`."""
        self.control_url: str = ready["control_url"]
        self.token: str = ready["token"]
        self.bot_id: int = ready["bot_id"]
        self.bot_username: str = ready["bot_username"]
        self._http = http

    async def ask(self, verb: BaseModel, answer: type[T]) -> T:
        """Raises ControlError with the fake's own sentence."""
        url = f"{self.control_url}/{type(verb).__name__}"
        async with self._http.post(url, data=verb.model_dump_json()) as response:
            body = await response.text()
            if response.status != 200:
                raise ControlError(body)
            return TypeAdapter(answer).validate_json(body)


def who_id(who: Who) -> int:
    return who if isinstance(who, int) else who.id


def chat_id(chat: Chat) -> int:
    return chat if isinstance(chat, int) else chat.id


def maybe_chat_id(chat: Chat | None) -> int | None:
    return None if chat is None else chat_id(chat)
