"""The control API: one model per verb (POST /<Name>), and the models that it answers with."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from tests.fakes.telegram.faults import Act, When
from tests.fakes.telegram.record import Verdict
from tests.fakes.telegram.world import ChatKind, Standing


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


# Answers.


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


# Verbs: people and places.


class AddUser(Frozen):
    first_name: str
    username: str | None = None
    language_code: str | None = "en"
    is_bot: bool = False


class AddPrivate(Frozen):
    user: int
    started: bool = True


class AddGroup(Frozen):
    title: str
    kind: Literal["group", "supergroup"]
    forum: bool = False
    members: tuple[int, ...] = ()
    admins: tuple[int, ...] = ()
    bot: Standing = "member"


class AddTopic(Frozen):
    chat: int
    user: int
    name: str


class ChangeTopic(Frozen):
    chat: int
    topic: int
    deleted: bool | None = None
    closed: bool | None = None


class SetStanding(Frozen):
    """Someone else's place in a chat; the bot's is `SetBot`."""

    chat: int
    user: int
    standing: Standing


# Verbs: what people do.


class Write(Frozen):
    chat: int
    user: int
    text: str
    thread: int | None = None
    reply_to: int | None = None
    entities: tuple[dict[str, Any], ...] | None = None
    quote: str | None = None
    forwarded_from: str | None = None
    anonymous: bool = False


class Edit(Frozen):
    chat: int
    message: int
    text: str


class SendFile(Frozen):
    """`content` is hex."""

    chat: int
    user: int
    kind: Literal["document", "photo", "voice"]
    name: str
    mime: str
    content: str
    caption: str = ""
    thread: int | None = None
    media_group: str | None = None


class Press(Frozen):
    """By label or data; with `forged` the data need not be on the message, with `inaccessible` the bot is not shown it."""

    chat: int
    user: int
    message: int
    label: str | None = None
    data: str | None = None
    forged: bool = False
    inaccessible: bool = False


class SetBot(Frozen):
    """Add, remove, promote, block (kicked) or unblock (member) the bot."""

    chat: int
    by: int
    standing: Standing


class Deactivate(Frozen):
    """The person of a private chat deletes the account."""

    chat: int


class Remove(Frozen):
    """A message disappears; no update tells the bot."""

    chat: int
    message: int


class Migrate(Frozen):
    chat: int
    by: int


class React(Frozen):
    chat: int
    user: int
    message: int
    emoji: str


class StopDraft(Frozen):
    chat: int
    draft_id: int


# Verbs: updates.


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


# Verbs: faults and settings.


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


# Verbs: looking and waiting.


class Messages(Frozen):
    chat: int


class WaitMessage(Frozen):
    """Until a message that is there now fits everything that is not None (`edits`: at least so often edited)."""

    chat: int
    containing: str | None = None
    text: str | None = None
    by_bot: bool | None = True
    after: int = 0
    thread: int | None = None
    button: str | None = None
    no_buttons: bool = False
    edits: int = 0
    deleted: bool = False
    message: int | None = None
    count: int = 1
    timeout: float = 10.0


class Calls(Frozen):
    method: str | None = None
    chat: int | None = None
    after: int = 0


class WaitCalls(Frozen):
    """Until `count` finished calls fit (`containing`: in their arguments, as JSON). `arrived`: they need not be finished."""

    method: str
    count: int = 1
    chat: int | None = None
    after: int = 0
    containing: str | None = None
    verdict: Verdict | None = None
    arrived: bool = False
    timeout: float = 10.0


class WaitHeld(Frozen):
    method: str = "*"
    timeout: float = 10.0


class WaitAnswer(Frozen):
    query_id: str
    timeout: float = 10.0


class WaitConfirmed(Frozen):
    """Until the bot has confirmed every update (nothing is pending any more)."""

    timeout: float = 10.0


class Actions(Frozen):
    chat: int


class Drafts(Frozen):
    chat: int


class Commands(Frozen):
    """`scope` as one text: default, all_private_chats, chat:<id>, chat_member:<id>:<user>."""

    scope: str = "default"
    language: str = ""


class Violations(Frozen):
    """All violations since the last look at them with `forget`."""

    forget: bool = False


class Latencies(Frozen):
    """`method`: only calls of this one count as the first."""

    method: str | None = None


class Reset(Frozen):
    """Start from nothing, with the same addresses and token."""


class Forget(Frozen):
    """Empty the record of calls, violations and counts."""
