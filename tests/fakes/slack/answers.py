"""What the control API answers with."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from tests.fakes.slack.interactions import InteractionKind
from tests.fakes.slack.record import Verdict
from tests.fakes.slack.sockets import Deafness
from tests.fakes.slack.world import ChannelKind


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Done(Frozen):
    pass


class Person(Frozen):
    """`name` is what people see and type after an @."""

    id: str
    name: str
    team: str

    @property
    def mention(self) -> str:
        return f"@{self.name}"


class Place(Frozen):
    """`title` is the channel's name without #; empty for direct messages."""

    id: str
    kind: ChannelKind
    title: str
    team: str


class Workspace(Frozen):
    """A workspace, and the app's installation there (empty texts where there is none)."""

    team_id: str
    name: str
    bot_token: str
    bot_user_id: str
    bot_id: str
    enterprise_id: str | None = None


class Sent(Frozen):
    """What someone did: the ts of the message it made or concerns, and the events it caused, `message` before others."""

    message_id: str
    event_ids: tuple[str, ...]

    @property
    def event_id(self) -> str | None:
        """None: the app is not told."""
        return self.event_ids[0] if self.event_ids else None


class Told(Frozen):
    event_ids: tuple[str, ...]


class Pressed(Frozen):
    """A press, a command, a submitted or closed view. `id` is for `wait_answer`, the rest is what the app was given."""

    id: str
    kind: InteractionKind
    trigger_id: str
    response_url: str


class Answered(Frozen):
    """How an interaction was answered. `text` is the first notice that only that person was shown.

    `failed`: why the person was told that it did not work; `errors`: of a submitted modal, by block_id; `body`: what came
    with the acknowledgement.
    """

    acked: bool
    failed: str
    text: str
    notices: tuple[str, ...]
    errors: dict[str, str]
    body: Any = None


class StyledText(Frozen):
    kind: str
    text: str
    url: str


class Button(Frozen):
    """`confirm`: the dialog that asks again, as title, text and buttons; empty where there is none."""

    label: str
    data: str
    action_id: str
    style: str
    url: str
    confirm: tuple[str, ...]


class Shown(Frozen):
    """A message as people see it now.

    `text`: of the blocks where there are any; `fallback`: the text argument as it would be read aloud. `mentions`: ids of
    people and groups who are notified, and here, channel, everyone. `buttons` are the labels by row (one actions block is
    one row), `data` the value of each, or its action_id. `raw` is the message as the API shows it.
    """

    id: str
    sender: str
    by_bot: bool
    text: str
    fallback: str
    styles: tuple[StyledText, ...]
    mentions: tuple[str, ...]
    buttons: tuple[tuple[str, ...], ...]
    data: tuple[tuple[str, ...], ...]
    styles_of_buttons: tuple[tuple[str, ...], ...]
    controls: tuple[tuple[Button, ...], ...]
    thread: str | None
    broadcast: bool
    subtype: str | None
    ephemeral_to: str | None
    edits: int
    deleted: bool
    stream: Literal["", "live", "stopped", "done"]
    reactions: tuple[str, ...]
    raw: dict[str, Any]

    @property
    def edited(self) -> bool:
        return self.edits > 0


class Field(Frozen):
    """An input of a view; `value` is what stands in it now."""

    block_id: str
    action_id: str
    kind: str
    label: str
    hint: str
    value: Any
    optional: bool
    multiline: bool
    options: tuple[str, ...]


class Modal(Frozen):
    """An open view as its person sees it; `errors` by label."""

    id: str
    person: str
    kind: Literal["modal", "home"]
    title: str
    submit: str
    close: str
    text: str
    fields: tuple[Field, ...]
    buttons: tuple[tuple[str, ...], ...]
    errors: dict[str, str]
    changes: int
    raw: dict[str, Any]


class Called(Frozen):
    """A request of the app. `at` and `ended` are seconds on a clock that only serves for differences."""

    number: int
    method: str
    args: dict[str, Any]
    chat: str | None
    team: str
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
    """From the making of an event to the first call for its channel; None where none came."""

    event_id: str
    chat: str
    seconds: float | None


class Socket(Frozen):
    number: int
    deaf: Deafness
    unacked: int


class Delivered(Frozen):
    """A delivery: how often it was tried, and how that ended."""

    event_id: str
    tries: int
    last_failure: str
    state: Literal["waiting", "taken", "lost"]
    payload: dict[str, Any]


class Replied(Frozen):
    """What the app's own server answered to a post of the test's making."""

    status: int
    text: str
