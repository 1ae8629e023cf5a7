"""Verbs of the control API: looking at what the bot did, and waiting for it."""

from tests.fakes.telegram.protocol import Frozen
from tests.fakes.telegram.record import Verdict


class Messages(Frozen):
    chat: int


class WaitMessage(Frozen):
    """Until a message that is there now fits everything that is not None (`edits`: at least so often edited)."""

    chat: int
    containing: str | None = None
    text: str | None = None
    by_bot: bool | None = True
    after: int = 0
    thread: int | None = None
    button: str | None = None
    no_buttons: bool = False
    edits: int = 0
    deleted: bool = False
    message: int | None = None
    count: int = 1
    timeout: float = 10.0


class Calls(Frozen):
    method: str | None = None
    chat: int | None = None
    after: int = 0


class WaitCalls(Frozen):
    """Until `count` finished calls fit (`containing`: in their arguments, as JSON). `arrived`: they need not be finished."""

    method: str
    count: int = 1
    chat: int | None = None
    after: int = 0
    containing: str | None = None
    verdict: Verdict | None = None
    arrived: bool = False
    timeout: float = 10.0


class WaitHeld(Frozen):
    method: str = "*"
    timeout: float = 10.0


class WaitAnswer(Frozen):
    query_id: str
    timeout: float = 10.0


class WaitConfirmed(Frozen):
    """Until the bot has confirmed every update (nothing is pending any more)."""

    timeout: float = 10.0


class Actions(Frozen):
    chat: int


class Drafts(Frozen):
    chat: int


class Commands(Frozen):
    """`scope` as one text: default, all_private_chats, chat:<id>, chat_member:<id>:<user>."""

    scope: str = "default"
    language: str = ""


class Violations(Frozen):
    """All violations since the last look at them with `forget`."""

    forget: bool = False


class Latencies(Frozen):
    """`method`: only calls of this one count as the first."""

    method: str | None = None


class Reset(Frozen):
    """Start from nothing, with the same addresses and token."""


class Forget(Frozen):
    """Empty the record of calls, violations and counts."""
