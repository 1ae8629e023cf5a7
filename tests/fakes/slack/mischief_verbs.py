"""The control API, one model per verb: installation, deliveries, faults, settings, and the clock."""

from typing import Any, Literal

from tests.fakes.slack.answers import Frozen
from tests.fakes.slack.faults import Act, When
from tests.fakes.slack.sockets import Deafness, Reason

# Installation.


class Uninstall(Frozen):
    team: str | None = None


class RevokeTokens(Frozen):
    team: str | None = None


class SetScopes(Frozen):
    """All that is granted, or only what changes: `add` and `remove`."""

    scopes: tuple[str, ...] | None = None
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    team: str | None = None


# Deliveries.


class UseSocket(Frozen):
    pass


class UseHttp(Frozen):
    """Interactions and commands go where events go unless they have an address of their own."""

    events: str
    interactions: str = ""
    commands: str = ""


class Forge(Frozen):
    """A post to the app's server that Slack would not make. `body` None: an ordinary message event."""

    url: str = ""
    body: str | None = None
    content_type: str = "application/json"
    signature: Literal["good", "bad", "none"] = "good"
    timestamp: str | None = None
    age: float = 0.0


class Inject(Frozen):
    """The body of an event of any shape; it gets an event_id unless it brings its own."""

    body: dict[str, Any]


class InjectEvent(Frozen):
    """An event of any shape in the ordinary wrapping."""

    event: dict[str, Any]
    team: str | None = None


class Repeat(Frozen):
    event_id: str


class Order(Frozen):
    """Pause or resume deliveries; `reversed_once` turns the next batch round."""

    paused: bool | None = None
    reversed_once: bool | None = None


class Load(Frozen):
    """For benchmarks: texts in `chats` direct messages in turn, all at once or `per_second`; answers when the last is made."""

    count: int
    chats: int
    text: str = "echo hello"
    per_second: float | None = None


class Disconnect(Frozen):
    reason: Reason
    socket: int | None = None


class Cut(Frozen):
    socket: int | None = None


class Deafen(Frozen):
    deaf: Deafness
    socket: int | None = None
    swallow: bool = False


# Faults and settings.


class Plant(Frozen):
    act: Act
    method: str = "*"
    chat: str | None = None
    skip: int = 0
    times: int | None = 1
    when: When = "before"
    error: str = ""
    status: int = 200
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

    ack_within: float | None = None
    strict_rate: bool | None = None
    mention_first: bool | None = None
    mention_gap: float | None = None
    unsubscribed: tuple[str, ...] | None = None
    lose_unheard: bool | None = None
    escape_commands: bool | None = None


class Advance(Frozen):
    seconds: float
