"""What this room says to the rest of the house, and the little that it asks."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from channels.files import File

NOT_DONE = "The call was not carried out."

State = Literal["disabled", "starting", "connected", "error"]
CallCode = Literal["not_connected", "unavailable", "timeout", "unknown_outcome", "cancelled"]

Progress = Callable[[float, float | None, str], Awaitable[None]]
"""Told how far a call is: done so far, of how much (None: unknown), and in which words of the server."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What a server says of its tool. None: it said nothing, or something other than true or false."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A tool as its server defines it.

    name: the server's own, for calls and capability ids; `names.alias` makes the model's out of it.
    title, description: cleaned and bounded; still words of a stranger.
    schema: of its arguments, such that OpenAI, Anthropic and Gemini take it; arguments are held against `raw`.
    output_schema: as it came; None: none.
    flags: what is odd about it, in words.
    fingerprint: changes with name, title, description, schemas and annotations, hidden characters included.
    raw: the whole definition as JSON, as it came.
    """

    server: str
    name: str
    title: str
    description: str
    schema: Mapping[str, Any]
    output_schema: Mapping[str, Any] | None
    hints: Hints
    flags: tuple[str, ...]
    fingerprint: str
    raw: str


@dataclass(frozen=True, slots=True)
class Status:
    """How it is with a server. No text in it holds a secret of the server's configuration.

    error: why it is not connected, or what was wrong last. exit_code: of its process; None: none, or it runs; negative: a
    signal. since: seconds since the epoch. rejected: what it said and we did not take, in sentences.
    """

    state: State
    tools: int = 0
    error: str = ""
    exit_code: int | None = None
    stderr_tail: str = ""
    since: float = 0.0
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered.

    failed: the tool says that it did not do it. text: for the model, bounded, free of hidden characters and marked as data.
    whole: all of it as JSON, what is binary named instead of held. files: in the order in which they came; where `text` was
    cut, the last one holds all of it. flags: what is odd about it, in words. left_out: files that are not in `files`.
    """

    failed: bool
    text: str
    whole: str
    files: tuple[File, ...] = ()
    flags: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TestResult:
    """What came of connecting a server that is not kept."""

    __test__ = False  # not a test, whatever pytest makes of the name

    ok: bool
    definitions: tuple[Definition, ...]
    error: str
    elapsed_ms: int


@dataclass(frozen=True, slots=True)
class Accepted:
    """The person filled the form in, or agreed to open the address (then there is no content)."""

    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Declined:
    """The person said no."""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Nobody answered."""


Answer = Accepted | Declined | Cancelled


class Elicit(Protocol):
    """Asks the person for whom a call is made. What it shows are a stranger's words, cleaned and bounded."""

    async def form(self, message: str, schema: Mapping[str, Any]) -> Answer: ...

    async def url(self, message: str, url: str) -> Answer:
        """Show the address in full and ask whether to open it; it is http or https, and never opened by us."""
        ...


class CallFailed(Exception):
    """The call brought no answer. `message` is plain English, and says whether it may have been carried out.

    not_connected, unavailable: it was surely never sent. timeout, unknown_outcome, cancelled: it may have been carried out.
    """

    def __init__(self, code: CallCode, message: str) -> None:
        super().__init__(message)
        self.code: CallCode = code
        self.message = message
