"""What the service asks of a language model, in words of its own: one turn, no tool is run in it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, Protocol

Json = Any
"""What `json.loads` gives."""

OnText = Callable[[str], Awaitable[None]]
"""Called with each new piece of text while it is written; what was shown may still be followed by calls."""


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """A tool as the model sees it. `schema` is the JSON Schema of its arguments, an object. Each is itself alone, so that
    what was worked out about it can be remembered."""

    name: str
    description: str
    schema: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that the model wants. `id` is unique within the answer. `arguments` is None where they could not be
    read; `raw` is what came instead."""

    id: str
    name: str
    arguments: dict[str, Json] | None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A person's words."""

    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """An earlier answer. `native` is the provider's own form of it (`Answer.native`), None if it has none."""

    text: str
    calls: tuple[Asked, ...] = ()
    native: Json = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a call gave. Every call of the answer before it has exactly one, in the order of the calls."""

    call_id: str
    name: str
    content: str
    failed: bool = False


Turn = Said | Answered | Result


@dataclass(frozen=True, slots=True)
class Request:
    instructions: str
    history: tuple[Turn, ...]
    offers: tuple[Offer, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens. `estimated`: the provider did not say, this is a guess."""

    input: int = 0
    output: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `cost` in US dollars, None where the price is not known (never 0 for unknown)."""

    text: str
    calls: tuple[Asked, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cost: Decimal | None = None
    cut: bool = False
    """The provider stopped it at a length limit."""
    native: Json = None


class Model(Protocol):
    @property
    def window(self) -> int:
        """Tokens of context that the model takes."""
        ...

    async def turn(self, request: Request, on_text: OnText) -> Answer:
        """Raises ModelFailure. Cancelling the task stops the request."""
        ...


FailureKind = Literal["context", "auth", "quota", "rate", "down", "timeout", "rejected", "broken", "missing"]


class ModelFailure(Exception):
    """A turn failed. `kind` decides what is done; the text never holds the provider's own words or a secret.

    context: the request is too long · auth: the key is refused · quota: paid up · rate, down, timeout: try again later ·
    rejected: the provider refuses this request · broken: an answer that cannot be used (empty, not JSON) ·
    missing: the model or the library for it is not there.
    """

    def __init__(self, kind: FailureKind, retry_after: float | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.retry_after = retry_after
