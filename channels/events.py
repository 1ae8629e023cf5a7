"""What channels report: frozen values, parsed from a platform's payload and nothing else.

An event's `id` is the platform's own id of the delivery: the same delivery repeated has the same id.
Times are seconds since the epoch.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self

from channels.outgoing import MessageRef


@dataclass(frozen=True, slots=True)
class Conversation:
    """A chat, or one thread or topic of it, on one configured channel.

    `chat` and `thread` are the platform's ids as text; neither may hold a colon.
    """

    channel: str
    chat: str
    thread: str | None = None

    def __post_init__(self) -> None:
        for part in (self.channel, self.chat, self.thread):
            if part is not None and (not part or ":" in part):
                raise ValueError(f"a conversation's parts are not empty and hold no colon: {part!r}")

    @property
    def key(self) -> str:
        """`channel:chat` or `channel:chat:thread`; `parse` reads it back."""
        parts = [self.channel, self.chat]
        if self.thread is not None:
            parts.append(self.thread)
        return ":".join(parts)

    @classmethod
    def parse(cls, key: str) -> Self:
        """Raises ValueError for anything that `key` did not make."""
        channel, chat, *rest = key.split(":")
        if len(rest) > 1:
            raise ValueError(f"not a conversation: {key!r}")
        return cls(channel, chat, rest[0] if rest else None)


Standing = Literal["member", "guest", "external"]


@dataclass(frozen=True, slots=True)
class Sender:
    """Who did it. Only `user` identifies; `name` is shown and never matched (it can be changed and reused).

    `standing` in the workspace, where the platform has such a thing: a full member, a guest, or someone of another
    organisation.
    """

    channel: str
    user: str
    name: str
    standing: Standing | None = None

    @property
    def id(self) -> str:
        """As people are written everywhere: `tg:4242`."""
        return f"{self.channel}:{self.user}"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message and was not fetched. `id` is what its channel fetches it by; `name` and `mime` are
    as somebody wrote them, untrusted; `size` in bytes as the platform says, None where it does not."""

    id: str
    name: str
    size: int | None = None
    mime: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """Someone wrote. `addressed`: meant for us (a private chat, a mention, a reply to us); `follows`: said in a thread,
    where it is meant for us if we are part of it.

    `ref` is the platform's id of the message; `quoted` what it replies to or forwards, unescaped, untrusted.
    """

    id: str
    at: float
    where: Conversation
    sender: Sender
    private: bool
    text: str
    addressed: bool
    ref: str | None = None
    quoted: str | None = None
    forwarded: bool = False
    """Someone else's words, passed on; `quoted` says whose."""
    follows: bool = False
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Edited:
    """A message that was reported before has another text now. Never a command, never a new run."""

    id: str
    at: float
    where: Conversation
    sender: Sender
    text: str
    ref: str


@dataclass(frozen=True, slots=True)
class Command:
    """Someone typed a command: `name` without its mark and in lower case, `arguments` as typed.

    `aside`: where nobody but its sender sees it; then it is answered by the receipt, and nobody else sees that either.
    `follows` as of a message. `mark`: what was typed before the name.
    """

    id: str
    at: float
    where: Conversation
    sender: Sender
    private: bool
    name: str
    arguments: str
    ref: str | None = None
    aside: bool = False
    follows: bool = False
    mark: str = "/"


@dataclass(frozen=True, slots=True)
class ButtonPress:
    """Someone pressed a button. `token` is an address, not a key; it may be forged or old.

    `message` is the message that the button was on, if the platform still says and if others see it too.
    """

    id: str
    at: float
    where: Conversation
    sender: Sender
    private: bool
    token: str
    message: MessageRef | None = None


@dataclass(frozen=True, slots=True)
class FormAnswer:
    """Someone filled in a form that a press had opened: `token` is that of the button. `values` by the names of the
    fields; one that was left empty is an empty text, of several choices each stands on a line of its own."""

    id: str
    at: float
    where: Conversation
    sender: Sender
    private: bool
    token: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Gone:
    """We are no longer there: removed, blocked, uninstalled, or our token was revoked.

    `scope` says how much ended: this topic or thread, this chat with all of its topics, or the whole channel
    (then `where` is None).
    """

    id: str
    at: float
    channel: str
    where: Conversation | None
    scope: Literal["thread", "chat", "channel"]
    reason: str


@dataclass(frozen=True, slots=True)
class Moved:
    """The platform gave a chat another id; what was remembered under `where` goes on under `to`."""

    id: str
    at: float
    where: Conversation
    to: Conversation


Event = Message | Edited | Command | ButtonPress | FormAnswer | Gone | Moved
