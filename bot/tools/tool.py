"""A tool of any source, in the one shape in which it is offered, checked, asked about and called."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any

from pydantic import ValidationError

from bot.domain.capability import Capability
from bot.domain.digest import fingerprint
from bot.domain.question import Inquiry
from bot.llm.port import Offer
from bot.store.database import Tx
from bot.tools.spec import ToolContext, ToolSpec
from channels.files import File

CALL_LIMIT_S = 60.0
"""How long a built-in tool may take."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one argument (""`: with all of them), without its value."""

    name: str
    what: str


class Misfit(Exception):
    """Arguments that the tool does not take."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        listed = "; ".join(f"{fault.name or 'arguments'}: {fault.what}" for fault in faults)
        super().__init__(_("The arguments do not fit. Nothing was done. {faults}").format(faults=listed)[:2000])


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool gave. `text` is what the model reads; `whole`, where that is only a part of it, all of it. `files` are for
    the chat; `left_out` names those that were too large or too many."""

    text: str
    whole: str | None = None
    files: tuple[File, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """`name` is what the model calls it, `short` what its source does. `definition`: a fingerprint of all that the tool
    says of itself. `schema`: JSON Schema of the arguments, an object, as the source has it.

    given: the arguments as `handle` and `effect` take them; raises Misfit.
    effect: what the call will do, in a sentence for the person who decides; raises ToolFailure if it cannot be done.
    handle: does it; raises ToolFailure. `limit_s`: how long it may take; None: it minds that itself.
    untrusted: what it returns may have been written by anybody, so it may try to steer the model.
    question: what it asks of the requester; then `handle` is not called, and the answer is its result.
    """

    name: str
    short: str
    capability: Capability
    specialist: str
    server: str
    description: str
    schema: dict[str, Any]
    definition: str
    offer: Offer
    given: Callable[[dict[str, Any]], Any]
    effect: Callable[[Tx, ToolContext, Any], str]
    handle: Callable[[ToolContext, Any], Awaitable[Output]]
    pinned: str = ""
    """Of a tool of others: the fingerprint of what it says, which is held against what was looked at."""
    idempotent: bool = False
    destructive: bool = False
    untrusted: bool = False
    limit_s: float | None = CALL_LIMIT_S
    question: Callable[[Any], Inquiry] | None = None

    @property
    def also(self) -> tuple[str, str]:
        """What else a skill may call it."""
        return (self.short, self.capability.id)

    @property
    def mutates_data(self) -> bool:
        return not self.capability.reads

    @property
    def requires_confirmation(self) -> bool:
        return self.capability.requires_confirmation

    @property
    def repeatable(self) -> bool:
        """May be run again after a crash in the middle: it changes nothing, or nothing more."""
        return self.idempotent or not self.mutates_data


def built_in(spec: ToolSpec[Any]) -> Tool:
    schema = spec.schema()
    flags = (spec.mutates_data, spec.requires_confirmation, spec.destructive, spec.idempotent)
    capability = Capability(
        spec.capability_id,
        reads=not spec.mutates_data,
        destructive=spec.destructive,
        requires_confirmation=spec.requires_confirmation,
    )
    return Tool(
        name=spec.name,
        short=spec.name,
        capability=capability,
        specialist=spec.specialist,
        server=spec.server,
        description=spec.description,
        schema=schema,
        definition=fingerprint(spec.name, spec.description, schema, flags),
        offer=Offer(spec.name, spec.description, schema),
        given=_reader(spec),
        effect=spec.confirmation or _as_described(spec),
        handle=_handler(spec),
        idempotent=spec.idempotent,
        destructive=spec.destructive,
        untrusted=spec.untrusted,
        question=spec.question,
    )


def _reader(spec: ToolSpec[Any]) -> Callable[[dict[str, Any]], Any]:
    def read(arguments: dict[str, Any]) -> Any:
        try:
            return spec.input.model_validate(arguments)
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False, include_context=False)
            faults = [Fault(".".join(str(part) for part in each["loc"]), each["msg"]) for each in found]
            raise Misfit(faults) from error

    return read


def _as_described(spec: ToolSpec[Any]) -> Callable[[Tx, ToolContext, Any], str]:
    return lambda _tx, _context, _given: spec.description.splitlines()[0]


def _handler(spec: ToolSpec[Any]) -> Callable[[ToolContext, Any], Awaitable[Output]]:
    async def handle(context: ToolContext, given: Any) -> Output:
        return Output(await spec.handler(context, given))

    return handle
