"""What a browser posts → events. Pure."""

import re
from gettext import gettext as _
from typing import TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from channels.events import Attachment, ButtonPress, Command, Conversation, Message, Sender
from channels.outgoing import MessageRef
from channels.web.limits import LIMITS, TYPED
from channels.web.visitors import Visitor


class Unreadable(ValueError):
    """What the browser sent is not what it may send. The message is a sentence for the visitor."""


class TooLong(ValueError):
    """The text is longer than a message may be. The message is a sentence for the visitor."""


class PostedMessage(BaseModel):
    """`id` is made by the browser, so that a second try is known as a repeat."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: UUID
    text: str


class PostedPress(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: UUID
    token: str = Field(min_length=1, max_length=LIMITS.token_bytes)
    message: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9-]+$")


Posted = TypeVar("Posted", PostedMessage, PostedPress)

_COMMAND = re.compile(r"/([A-Za-z][A-Za-z0-9_-]*)(?:\s+(.*))?", re.DOTALL)


def posted(model: type[Posted], raw: bytes) -> Posted:
    """Raises Unreadable."""
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or _("the request")
        sentence = _("This was not understood, so nothing was sent. {field}: {fault}.")
        raise Unreadable(sentence.format(field=where, fault=first["msg"])) from error


def conversation(channel: str, visitor: Visitor) -> Conversation:
    return Conversation(channel, visitor.name)


def sender(channel: str, visitor: Visitor) -> Sender:
    return Sender(channel, visitor.name, visitor.display)


def said(channel: str, visitor: Visitor, message: PostedMessage, at: float) -> Message | Command:
    """`/name rest` is a command, `//` stands for a slash that is only text. Raises Unreadable, TooLong."""
    text = message.text.replace("\0", "").strip()
    if not text:
        raise Unreadable(_("The message is empty, so nothing was sent."))
    if len(text) > TYPED:
        sentence = _("The message has {length} characters; at most {limit} can be sent at once. Nothing was sent.")
        raise TooLong(sentence.format(length=len(text), limit=TYPED))
    event_id = f"{visitor.name}/{message.id}"  # nobody can take up the ids of someone else's messages
    where, who, ref = conversation(channel, visitor), sender(channel, visitor), str(message.id)
    if command := _COMMAND.fullmatch(text):
        name, arguments = command[1].lower(), (command[2] or "").strip()
        return Command(event_id, at, where, who, True, name, arguments, ref)
    if text.startswith("//"):
        text = text[1:]
    return Message(event_id, at, where, who, True, text, True, ref)


def sent(channel: str, visitor: Visitor, number: UUID, attachment: Attachment, at: float) -> Message:
    """A file without words."""
    where, who = conversation(channel, visitor), sender(channel, visitor)
    event_id = f"{visitor.name}/{number}"
    return Message(event_id, at, where, who, True, "", True, str(number), attachments=(attachment,))


def pressed(channel: str, visitor: Visitor, press: PostedPress, at: float) -> ButtonPress:
    """Raises Unreadable."""
    if len(press.token.encode()) > LIMITS.token_bytes:
        raise Unreadable(_("This button is not one of ours. Nothing was changed."))
    where = conversation(channel, visitor)
    ref = MessageRef(where.key, press.message)
    return ButtonPress(f"{visitor.name}/press/{press.id}", at, where, sender(channel, visitor), True, press.token, ref)
