"""The control API, one model per verb: looking at what is there, and waiting for it."""

from typing import Literal

from tests.fakes.slack.answers import Frozen
from tests.fakes.slack.record import Verdict

# Looking and waiting.


class Messages(Frozen):
    chat: str
    thread: str | None = None
    ephemeral_for: str | None = None


class WaitMessage(Frozen):
    """Until a message that is there now fits everything that is not None (`edits`: at least so often edited).

    `to`: an ephemeral message for this person; without it none of these are looked at.
    """

    chat: str
    containing: str | None = None
    text: str | None = None
    by_bot: bool | None = True
    after: str = ""
    thread: str | None = None
    button: str | None = None
    no_buttons: bool = False
    edits: int = 0
    deleted: bool = False
    message: str | None = None
    to: str | None = None
    count: int = 1
    timeout: float = 10.0


class WaitView(Frozen):
    """An open view of this person: the one on top. `changes`: at least so often changed."""

    user: str
    kind: Literal["modal", "home"] = "modal"
    containing: str | None = None
    changes: int = 0
    error: str | None = None
    timeout: float = 10.0


class WaitNoView(Frozen):
    user: str
    timeout: float = 10.0


class Calls(Frozen):
    method: str | None = None
    chat: str | None = None
    after: int = 0


class WaitCalls(Frozen):
    """Until `count` finished calls fit (`containing`: in their arguments, as JSON). `arrived`: they need not be finished."""

    method: str
    count: int = 1
    chat: str | None = None
    after: int = 0
    containing: str | None = None
    verdict: Verdict | None = None
    arrived: bool = False
    timeout: float = 10.0


class WaitHeld(Frozen):
    method: str = "*"
    timeout: float = 10.0


class WaitAnswer(Frozen):
    """`expect_notice` True: until there is a notice; False: until it was acknowledged; None: and `settle` seconds more."""

    interaction: str
    expect_notice: bool | None = None
    settle: float = 1.0
    timeout: float = 10.0


class WaitConfirmed(Frozen):
    timeout: float = 10.0


class WaitTries(Frozen):
    """Until this event was tried so often, whatever came of it."""

    event_id: str
    count: int
    timeout: float = 10.0


class OpenSockets(Frozen):
    pass


class WaitSockets(Frozen):
    """`newer_than`: the number of a socket; older ones do not count, and must be gone."""

    count: int = 1
    newer_than: int = 0
    timeout: float = 10.0


class Deliveries(Frozen):
    pass


class Statuses(Frozen):
    chat: str


class Violations(Frozen):
    """All violations since the last look at them with `forget`."""

    forget: bool = False


class Latencies(Frozen):
    """`method`: only calls of this one count as the first."""

    method: str | None = None


class Reset(Frozen):
    """Start from nothing, with the same addresses and tokens."""


class Forget(Frozen):
    """Empty the record of calls, violations and counts."""
