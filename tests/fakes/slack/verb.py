"""A verb of the control API: a model, and what is done with it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, TypeAdapter

from tests.fakes.slack.fake import Fake

M = TypeVar("M", bound=BaseModel)
_anything: TypeAdapter[Any] = TypeAdapter(Any)


class Holder(Protocol):
    """Whoever has the fake; a reset puts another one in its place."""

    fake: Fake


@dataclass(frozen=True, slots=True)
class Verb:
    name: str
    run: Callable[[Holder, str], Awaitable[bytes]]


def verb(model: type[M], act: Callable[[Fake, M], object]) -> Verb:
    async def run(holder: Holder, body: str) -> bytes:
        result = act(holder.fake, model.model_validate_json(body))
        if isawaitable(result):
            result = await result
        return _anything.dump_json(result)

    return Verb(model.__name__, run)


def holder_verb(model: type[M], act: Callable[[Holder, M], Awaitable[object]]) -> Verb:
    """For the one that changes which fake there is."""

    async def run(holder: Holder, body: str) -> bytes:
        return _anything.dump_json(await act(holder, model.model_validate_json(body)))

    return Verb(model.__name__, run)
