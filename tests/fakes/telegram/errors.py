"""What the Bot API answers when it refuses, in its own words (source: tdlib/telegram-bot-api and tdlib/td)."""

from typing import Any

Json = dict[str, Any]
"""A JSON object as it travels: the wire format is what this server is about."""


class ApiError(Exception):
    """A refusal. `breach`: the caller could have known, so it counts as a violation of the contract."""

    def __init__(
        self, code: int, description: str, *, parameters: Json | None = None, breach: bool = False, reason: str = ""
    ) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters
        self.breach = breach
        self.reason = reason or description


def _lowered(text: str) -> str:
    """The server's rule: the first letter is lowered unless it begins a code such as BUTTON_DATA_INVALID."""
    if len(text) > 1 and (text[1].isupper() or text[1] == "_"):
        return text
    return text[:1].lower() + text[1:]


def refused(text: str) -> ApiError:
    """400 for something that depends on the state of the chat: the caller could not know."""
    return ApiError(400, f"Bad Request: {_lowered(text)}")


def wrong(text: str, reason: str = "") -> ApiError:
    """400 for a request that can never succeed. `reason` says more than Telegram would."""
    return ApiError(400, f"Bad Request: {_lowered(text)}", breach=True, reason=reason)


def forbidden(text: str) -> ApiError:
    return ApiError(403, f"Forbidden: {text}")


def conflict(text: str) -> ApiError:
    return ApiError(409, f"Conflict: {text}")


def migrated(to_chat: int) -> ApiError:
    return ApiError(
        400,
        "Bad Request: group chat was upgraded to a supergroup chat",
        parameters={"migrate_to_chat_id": to_chat},
    )


def too_many(retry_after: int | None) -> ApiError:
    """429; without `retry_after` it has no parameters, as some proxies answer."""
    if retry_after is None:
        return ApiError(429, "Too Many Requests")
    return ApiError(429, f"Too Many Requests: retry after {retry_after}", parameters={"retry_after": retry_after})
