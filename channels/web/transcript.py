"""What a browser chat shows, kept so that a page can be loaded again: the port, implemented over the service's store."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Line:
    """One message as it is now. `change` numbers the changes of its conversation from 1; `order` is its place in it.

    `author` is a sender's id, or `OURS`; `body` is what `channels.web.body` wrote.
    """

    id: str
    order: int
    change: int
    author: str
    body: str
    at: float
    edited_at: float | None
    removed: bool


OURS = ""
"""The author of what the service says: no sender has an empty id."""


@dataclass(frozen=True, slots=True)
class Page:
    """Lines in the order of the conversation. `change` is its latest change, `more` whether older lines exist."""

    lines: tuple[Line, ...]
    change: int
    more: bool


class Transcript(Protocol):
    """All of them raise NotSent when the store cannot be used; then nothing was changed.

    `conversation` is a conversation's key. Changes of one conversation become visible in the order of their numbers.
    """

    async def append(self, conversation: str, message_id: str, author: str, body: str, at: float) -> None:
        """Add a message; nothing happens if it is there already. One that was removed comes back where it was."""
        ...

    async def find(self, conversation: str, message_id: str) -> Line | None: ...

    async def replace(self, conversation: str, message_id: str, body: str, at: float) -> bool:
        """Let a message say this instead. False: there is no such message, or it was removed."""
        ...

    async def remove(self, conversation: str, message_id: str, at: float) -> None:
        """Take a message away; nothing happens if it is not there."""
        ...

    async def since(self, conversation: str, change: int, limit: int) -> Sequence[Line]:
        """The first `limit` changes after `change`, by their number, removals among them."""
        ...

    async def page(self, conversation: str, before: int | None, limit: int) -> Page:
        """The newest `limit` messages whose `order` is below `before`, without removed ones."""
        ...
