"""How the Web API refuses: a code, nearly always with HTTP status 200."""

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]
"""A JSON object as it travels: the wire format is what this server is about."""


class ApiError(Exception):
    """A refusal. `breach`: the caller could have known, so it counts as a violation of the contract.

    `fields` go beside `ok` and `error`; `retry_after` makes it a 429.
    """

    def __init__(
        self,
        code: str,
        *,
        breach: bool = False,
        reason: str = "",
        fields: Json | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.breach = breach
        self.reason = f"{code}: {reason}" if reason else code
        self.fields = fields or {}
        self.retry_after = retry_after

    @property
    def body(self) -> Json:
        return {"ok": False, "error": self.code, **self.fields}


class BrokenFake(Exception):
    """This server itself was about to break the contract: mend the fake."""


class Impossible(Exception):
    """Nobody could do this in Slack: the test asks for something that is not there."""


def refused(code: str) -> ApiError:
    """It depends on the state of the workspace: the caller could not know."""
    return ApiError(code)


def wrong(code: str, reason: str) -> ApiError:
    """The request can never succeed."""
    return ApiError(code, breach=True, reason=reason)


def misshapen(code: str, mistakes: Sequence[str]) -> ApiError:
    """The request can never succeed, and Slack says where: each mistake ends with `[json-pointer:/blocks/0/…]`."""
    fields: Json = {"response_metadata": {"messages": [f"[ERROR] {mistake}" for mistake in mistakes]}}
    if code == "invalid_blocks":
        fields["errors"] = list(mistakes)
    return ApiError(code, breach=True, reason="; ".join(mistakes), fields=fields)


def ratelimited(retry_after: int) -> ApiError:
    return ApiError("ratelimited", retry_after=retry_after)
