"""Errors of this room, and the words for errors of the libraries below it."""

import asyncio
from collections.abc import Iterator

import httpx2
from mcp import MCPError
from pydantic import ValidationError

from bot.errors import AskfirstError
from bot.mcp_client.characters import AS_IT_CAME, one_line

NOT_SENT = -32098
"""Our own code for a call whose request surely never left: the server could not be reached."""
REFUSED = -32097
"""… for one that was answered by HTTP alone, with a status that says that nothing was done."""
UNCLEAR = -32096
"""… for one that was cut off after it had left."""
SESSION_LOST = -32095
"""… for one that the server did not take since it no longer knows our session."""


class Unusable(AskfirstError):
    """A server cannot be connected; the text says why."""


class Refused(Unusable):
    """What a configuration asks for is not allowed; nothing was started and nothing contacted."""


FORESEEN = (
    MCPError,
    AskfirstError,
    OSError,
    TimeoutError,
    httpx2.HTTPError,
    httpx2.StreamError,
    httpx2.InvalidURL,
    ValidationError,
    RuntimeError,
    ValueError,
    BaseExceptionGroup,
)
"""What connecting a server may end in, through no fault of ours."""


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors that a group is made of, however it is nested."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
        return
    yield error


def worded(error: BaseException) -> str:
    """In a sentence or two, for an admin. May hold what the server said, at length, and secrets that it was given."""
    told = [_one(leaf) for leaf in leaves(error) if not isinstance(leaf, asyncio.CancelledError)]
    return " ".join(dict.fromkeys(told)) or "The connection was given up."


def _one(error: BaseException) -> str:
    if isinstance(error, AskfirstError):
        return str(error)
    if isinstance(error, MCPError):
        return _sentence(f"It answered with an error: {one_line(error.message, AS_IT_CAME)}", error.code)
    if isinstance(error, ValidationError):
        return "It sent something that does not fit the protocol."
    if isinstance(error, TimeoutError):
        return "It did not answer in time."
    if isinstance(error, httpx2.HTTPError):
        return f"It could not be reached: {one_line(str(error), AS_IT_CAME) or type(error).__name__}."
    return f"{one_line(str(error), AS_IT_CAME) or type(error).__name__}."


def _sentence(text: str, code: int) -> str:
    if code in (NOT_SENT, REFUSED, UNCLEAR, SESSION_LOST):
        return text.removeprefix("It answered with an error: ")
    return f"{text.rstrip('.')} ({code})."
