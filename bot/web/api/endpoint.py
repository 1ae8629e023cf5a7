"""What an endpoint is: a line of the table that the routes and the OpenAPI document are made from."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field

from bot.store.api_tokens import Scope
from bot.store.database import Tx
from bot.web.api.desk import Desk
from bot.web.errors import Refusal

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]

ID = r"^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$"


class Given(BaseModel):
    """What a request says: nothing is coerced, and what is not known is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Shown(BaseModel):
    """What an answer says. Times are seconds since the epoch."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Nothing(Given):
    """Nothing is said."""


class ById(Given):
    id: Annotated[str, Field(pattern=ID)]


class ByName(Given):
    name: Annotated[str, Field(pattern=ID)]


P = TypeVar("P", bound=Given)
Q = TypeVar("Q", bound=Given)
B = TypeVar("B", bound=Given)
A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever holds a token. `token_id`: of one in the store, None for the one of the configuration."""

    name: str
    scope: Scope
    token_id: str | None = None

    @property
    def who(self) -> str:
        """As the audit names them."""
        return f"api:{self.name}"


@dataclass(frozen=True, slots=True)
class Asked(Generic[P, Q, B]):
    """A request that was read and let in. `now`: when, in seconds since the epoch."""

    path: P
    query: Q
    body: B
    by: Caller
    now: float


@dataclass(frozen=True, slots=True)
class InTx(Generic[P, Q, B, A]):
    """Done in one transaction. What it raises undoes it; a Refusal that it returns does not."""

    do: Callable[[Desk, Tx, Asked[P, Q, B]], A | Refusal]


@dataclass(frozen=True, slots=True)
class Apart(Generic[P, Q, B, A]):
    """What waits for others, or streams."""

    do: Callable[[Desk, Asked[P, Q, B], web.Request], Awaitable[A | Refusal | web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[P, Q, B, A]):
    """`answer` Nothing: 204, without a body. `refusals`: statuses it may answer with beside those that all have."""

    method: Method
    path: str
    summary: str
    right: Scope
    in_path: type[P]
    in_query: type[Q]
    in_body: type[B]
    answer: type[A]
    handler: InTx[P, Q, B, A] | Apart[P, Q, B, A]
    status: int = 200
    refusals: tuple[int, ...] = ()
    streams: bool = False
    """Also answers as server-sent events, to whom asks for that."""
    uploads: bool = False
    """Its body is a form with one file, `file`, which its handler reads piece by piece."""

    @property
    def changes(self) -> bool:
        return self.method != "GET"


AnyEndpoint = Endpoint[Any, Any, Any, Any]
