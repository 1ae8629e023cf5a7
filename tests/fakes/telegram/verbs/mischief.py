"""Verbs of the control API: odd updates, faults, settings, and the clock."""

from typing import Any, Literal

from tests.fakes.telegram.faults import Act, When
from tests.fakes.telegram.protocol import Frozen

# Updates.


class Inject(Frozen):
    """An update of any shape; it gets an update_id unless it brings its own."""

    update: dict[str, Any]
    queue: str = "injected"


class Repeat(Frozen):
    update_id: int


class Order(Frozen):
    """Pause or resume deliveries; `reversed_once` turns the next batch round; `gap` leaves out ids."""

    paused: bool | None = None
    reversed_once: bool | None = None
    gap: int | None = None


class Load(Frozen):
    """For benchmarks: texts in `chats` private chats in turn, all at once or `per_second`; answers when the last is made."""

    count: int
    chats: int
    text: str = "echo hello"
    per_second: float | None = None


# Faults and settings.


class Plant(Frozen):
    act: Act
    method: str = "*"
    chat: int | None = None
    skip: int = 0
    times: int | None = 1
    when: When = "before"
    status: int = 0
    description: str = ""
    retry_after: int | None = None
    body: str = ""
    content_type: str = "application/json"
    seconds: float = 0.0


class Unplant(Frozen):
    fault: int | None = None


class Release(Frozen):
    call: int | None = None
    method: str = "*"
    discard: bool = False


class Refuse(Frozen):
    """Take no connections for `seconds` of real time (None: until told otherwise); 0 takes them again."""

    seconds: float | None = None


class Settings(Frozen):
    """What is not None is changed."""

    text_unit: Literal["characters", "utf16"] | None = None
    privacy: bool | None = None
    throttle: bool | None = None
    revoked: bool | None = None
    wrong_secret_once: bool | None = None


class Advance(Frozen):
    seconds: float
