"""What a tool is: who may see it is decided elsewhere, by its capability and the grants."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from bot.domain.question import Inquiry
from bot.mcp_client.spoken import Elicit, Progress
from bot.skillset import Skillsets
from bot.store.database import Store, Tx
from channels.files import File

FailureCode = Literal[
    "not_connected",
    "not_authorized",
    "unavailable",
    "failed",
    "timeout",
    "unknown_outcome",
    "invalid_arguments",
    "not_found",
    "rejected",
    "expired",
    "cancelled",
    "undelivered",
]


class ToolInput(BaseModel):
    """Arguments of a tool: nothing is coerced, extra fields are refused. Field descriptions are what the model reads."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """On whose behalf a call runs.

    `conversation` is the key of the one that the run is in, `channel` the name of its channel.
    `progress` and `ask` reach the conversation while a tool is at work: how far it is, and what it must know from whoever
    asked; None where nobody can be reached.
    `scope` bounds what is remembered: `user:<person>` in private chats, `chat:<channel>:<chat>` in groups, so that a
    group never hears what someone said in private. `now` is seconds since the epoch.
    """

    store: Store
    persona_id: str
    scope: str
    user: str
    run_id: str
    conversation: str
    channel: str
    skills: Skillsets
    now: float
    progress: Progress | None = None
    ask: Elicit | None = None


class ToolFailure(Exception):
    """The tool did not do it. `message` is read by the model and may be shown to the user."""

    def __init__(
        self,
        code: FailureCode,
        message: str,
        whole: str | None = None,
        files: tuple[File, ...] = (),
        left_out: tuple[str, ...] = (),
    ) -> None:
        """`whole`: all that it said, where `message` is a part of it. `files` and `left_out` as in `Output`."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.whole = whole
        self.files = files
        self.left_out = left_out


I = TypeVar("I", bound=ToolInput)  # noqa: E741  input


@dataclass(frozen=True, slots=True)
class ToolSpec(Generic[I]):
    """A built-in tool. `mutates_data` (it writes) and `requires_confirmation` (a person must agree each time) are
    independent: writes ask through the grant's effect as well; a reading tool may still require confirmation.

    handler: does it; returns what the model reads; raises ToolFailure.
    confirmation: what the call will do, in a sentence for the person who decides; reads the store, changes nothing.
    idempotent: may be repeated without a further effect, so a call cut off by a crash is run again.
    destructive: takes something away for good; never granted without asking.
    untrusted: what it returns may have been written by anybody, so it may try to steer the model.
    question: what it asks of the requester; then nothing is done, and the answer is its result.
    """

    name: str
    specialist: str
    description: str
    input: type[I]
    handler: Callable[[ToolContext, I], Awaitable[str]]
    confirmation: Callable[[Tx, ToolContext, I], str] | None = None
    mutates_data: bool = False
    requires_confirmation: bool = False
    idempotent: bool = False
    destructive: bool = False
    untrusted: bool = False
    server: str = ""
    question: Callable[[I], Inquiry] | None = None

    @property
    def capability_id(self) -> str:
        return f"builtin/{self.name}"

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments, as the model sees it."""
        return self.input.model_json_schema()
