"""The contract of a channel: three verbs and a table of limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from aiohttp import web

from channels.events import Attachment, Conversation, Event
from channels.files import File
from channels.outgoing import Form, MessageRef, Outgoing

ChannelState = Literal["connecting", "connected", "error"]
Activity = Literal["idle", "queued", "thinking", "acting", "waiting"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What the platform takes, as data: the core degrades by it. The room's `limits.py` names the source of each number."""

    text: int
    """Longest text of one message, after formatting, in `unit`."""
    unit: Literal["utf16", "characters"]
    entities: int
    """Formatted stretches in one message."""
    label: int
    """Longest label of a button, in characters."""
    row: int
    """Buttons in one row."""
    buttons: int
    """Buttons in one message."""
    token_bytes: int
    notice: int
    """Longest text shown privately to someone who pressed a button, in characters; 0: the platform cannot."""
    edit_age_s: float | None
    """How old a message may be when it is edited; None: any age."""
    table_width: int
    """Characters of fixed-width text that fit a phone's line."""
    activity_s: float | None = 5.0
    """How long a sign of activity stays visible; None: until the next one, so that no status line is needed."""
    mark: str = "/"
    """What stands before the name of a command that is typed into a message."""
    whispers: bool = False
    """Whether what a command is answered can be shown to its sender alone, in the middle of others."""
    ids: bool = True
    """Whether people there know chats by their ids; False: only by names."""
    forms: int = 0
    """Fields of one form; 0: the platform has none."""
    field: int = 0
    """Longest text in one field of a form, in characters."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The event is stored. `notice` is for the sender's eyes alone, where the platform can do that.

    `answer` is what a command typed aside has as its answer, or what replaces the answer whose button was pressed, each
    part within the limits. `form` is opened for whoever pressed. `mistakes` of a form that stays open, by field.
    """

    notice: str | None = None
    alert: bool = False
    """The notice is a refusal: show it so that it is not overlooked."""
    answer: tuple[Outgoing, ...] = ()
    form: Form | None = None
    mistakes: Mapping[str, str] = field(default_factory=dict)


class Inlet(Protocol):
    """Where a channel puts what comes in."""

    async def receive(self, event: Event) -> Receipt:
        """Return when the event is safely stored (or known to be a repeat). Acknowledge to the platform only then.

        Raises NotSent while nothing can be stored, whatever the event: do not acknowledge; offer it again until it is.
        Any other error is the event's own fault: offer it again a few times, then set it aside.
        """
        ...

    async def set_aside(self, channel: str, event_id: str, raw: str, reason: str) -> None:
        """Keep a payload that cannot be read, for the admins; then acknowledge it. It must not hold up its neighbours."""
        ...

    async def keep(self, channel: str, delivery_id: str, raw: str) -> bool:
        """Store a payload that cannot be read before something was looked up; False if it was kept before. Acknowledge
        it then, and when it is read, `receive` its event and `release` it. Raises NotSent."""
        ...

    async def kept(self, channel: str) -> list[tuple[str, str]]:
        """What was kept and not released, oldest first: the id of each, and the payload."""
        ...

    async def release(self, channel: str, delivery_id: str) -> None:
        """A kept payload was read. Raises NotSent."""
        ...

    def report(self, channel: str, state: ChannelState, detail: str = "") -> None:
        """Say how the connection is; shown by `/readyz`, `status` and the log."""
        ...


class Adapter(Protocol):
    @property
    def limits(self) -> Limits: ...

    async def run(self, inlet: Inlet) -> None:
        """Connect, listen until cancelled. Raises Misconfigured when trying again cannot help; the supervisor
        starts it again after any other error."""
        ...

    async def send(self, to: Conversation, message: Outgoing) -> MessageRef:
        """Post a message that keeps to `limits`. Raises a ChannelError."""
        ...

    async def edit(self, ref: MessageRef, message: Outgoing) -> None:
        """Make an earlier message say this instead; nothing happens if it says so already. Raises a ChannelError."""
        ...


@runtime_checkable
class HasRoutes(Protocol):
    """Reached by HTTP: mounted by the web server under the paths it names."""

    def routes(self, inlet: Inlet) -> Sequence[web.RouteDef]: ...


@runtime_checkable
class Removes(Protocol):
    async def remove(self, ref: MessageRef) -> None:
        """Take a message of ours away; nothing happens if it is gone already. Raises a ChannelError."""
        ...


@runtime_checkable
class Finds(Protocol):
    async def find(self, to: Conversation, mark: str, since: float) -> MessageRef | None:
        """The message of ours with this mark that was posted there after `since`, if it arrived. Raises a ChannelError."""
        ...


@runtime_checkable
class KnowsPlaces(Protocol):
    async def places(self) -> frozenset[str]:
        """Every chat that we are in, at this moment: where the platform does not say that we were removed, it is seen
        here. Raises a ChannelError."""
        ...


@runtime_checkable
class ShowsActivity(Protocol):
    async def show(self, to: Conversation, activity: Activity) -> bool:
        """A passing sign of what is going on ("typing …"); False where there is none. Lost signs do not matter. Raises a
        ChannelError."""
        ...


@runtime_checkable
class Downloads(Protocol):
    async def download(self, attachment: Attachment, at_most: int) -> bytes:
        """A file that came with a message. No more than `at_most` bytes are read: raises FileTooLarge for more, FileGone for
        what is not there, Refused for what will never be given (the message says why), or another ChannelError."""
        ...


@runtime_checkable
class Uploads(Protocol):
    async def upload(self, to: Conversation, file: File, caption: Outgoing) -> MessageRef:
        """Post a file with a short text, which has the file's `FileRef`. Raises Refused or FileTooLarge where the chat does
        not take files like this one (the message says why), or another ChannelError."""
        ...


@runtime_checkable
class Streams(Protocol):
    async def stream(self, to: Conversation, run_id: str, text: str) -> None:
        """The answer as far as it is written (markdown, whole text so far). The message itself follows by `send` or `edit`."""
        ...
