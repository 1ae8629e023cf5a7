"""Verbs of the control API: people, places, and what people do there."""

from typing import Any, Literal

from tests.fakes.telegram.protocol import Frozen
from tests.fakes.telegram.world import Standing

# People and places.


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


# What people do.


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
