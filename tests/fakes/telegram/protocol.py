"""The control API: each verb (`tests.fakes.telegram.verbs`) is a model that is posted to /<its name>; these answer it."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from tests.fakes.telegram.record import Verdict
from tests.fakes.telegram.world import ChatKind


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Done(Frozen):
    pass


class Person(Frozen):
    id: int
    first_name: str
    username: str | None


class Place(Frozen):
    id: int
    kind: ChatKind
    title: str
    forum: bool = False


class Sent(Frozen):
    """What someone did: the message it made or concerns, and the update it caused (None: the bot is not told)."""

    message_id: int
    update_id: int | None


class Pressed(Frozen):
    query_id: str
    update_id: int | None


class Answered(Frozen):
    """How a press was answered."""

    text: str
    show_alert: bool
    url: str


class Moved(Frozen):
    chat: Place
    update_ids: tuple[int | None, ...]


class Told(Frozen):
    update_ids: tuple[int | None, ...]


class Shown(Frozen):
    """A message as people see it now. `buttons` are the labels by row, `data` what each carries; `body` is all it holds."""

    id: int
    sender: int
    by_bot: bool
    text: str
    entities: tuple[dict[str, Any], ...]
    buttons: tuple[tuple[str, ...], ...]
    data: tuple[tuple[str, ...], ...]
    thread: int | None
    reply_to: int | None
    edits: int
    deleted: bool
    reactions: tuple[str, ...]
    body: dict[str, Any]


class Called(Frozen):
    """A request to the Bot API. `at` and `ended` are seconds on a clock that only serves for differences."""

    number: int
    method: str
    args: dict[str, Any]
    chat: int | None
    connection: int
    time: float
    at: float
    ended: float
    verdict: Verdict
    status: int
    response: dict[str, Any] | None
    held: Literal["", "before", "after"]


class Broken(Frozen):
    """A violation of the contract."""

    call: int
    method: str
    reason: str


class Planted(Frozen):
    fault: int


class Count(Frozen):
    count: int


class Latency(Frozen):
    """From the making of an update to the first call for its chat; None where none came."""

    update_id: int
    chat: int
    seconds: float | None
