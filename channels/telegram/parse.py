"""A raw update → an event. Pure; every field is distrusted.

Rules of this room: an edit is never a command; what bots write is ignored (two of them would talk for ever), and so are
channels; what is forwarded is never a command; a photo, a voice note or the like without words is a message with an
empty text, so that its sender can be told that it cannot be read; with words, those are the text, and what they came with
is named beside them.
"""

from dataclasses import dataclass
from typing import Literal

from channels.events import Attachment, ButtonPress, Command, Conversation, Edited, Event, Gone, Message, Moved, Sender
from channels.fields import Fields, Json, Unreadable
from channels.outgoing import MessageRef
from channels.telegram.words import Me, Words, words

_GENERAL = 1
"""The topic General has this id, but nothing can be sent to it by that id."""
_CARRIES = (
    *("animation", "audio", "checklist", "contact", "dice", "document", "game", "live_photo", "location", "paid_media"),
    *("photo", "poll", "sticker", "story", "venue", "video", "video_note", "voice"),
)


@dataclass(frozen=True, slots=True)
class Parser:
    """`now` is the time of arrival, for kinds of update that carry none."""

    channel: str
    me: Me
    listen: Literal["addressed", "all"]

    def event(self, update: Json, now: float) -> Event | None:
        """None for what does not concern us. Raises Unreadable for a known kind that is not shaped as documented."""
        event_id = update_id(update)
        fields = Fields(event_id, "update", update)
        if fields.has("message"):
            return self._message(event_id, fields.inside("message"))
        if fields.has("edited_message"):
            return self._edited(event_id, fields.inside("edited_message"))
        if fields.has("callback_query"):
            return self._press(event_id, fields.inside("callback_query"), now)
        if fields.has("my_chat_member"):
            return self._standing(event_id, fields.inside("my_chat_member"))
        return None

    def _message(self, event_id: str, message: Fields) -> Event | None:
        chat = message.inside("chat")
        if not _is_group(chat) and not _is_private(chat):
            return None
        where, at = self._where(chat, message), float(message.number("date"))
        if message.has("migrate_to_chat_id"):
            to = Conversation(self.channel, str(message.number("migrate_to_chat_id")))
            return Moved(event_id, at, Conversation(self.channel, where.chat), to)
        if message.has("migrate_from_chat_id"):  # before anything is said under the new id
            old = Conversation(self.channel, str(message.number("migrate_from_chat_id")))
            return Moved(event_id, at, old, Conversation(self.channel, where.chat))
        sender = self._sender(message)
        if sender is None:
            return None
        said, ref, private = words(message, self.me), str(message.number("message_id")), _is_private(chat)
        if said.command and not message.has("forward_origin"):
            if said.command.bot not in ("", self.me.username.lower()):
                return None
            return Command(event_id, at, where, sender, private, said.command.name, said.command.arguments, ref)
        if not said.text and not any(message.has(kind) for kind in _CARRIES):
            return None  # a service message: someone joined, a title was changed
        addressed = private or self.listen == "all" or self._is_addressed(message, said)
        quoted = _quoted(message)
        # Our bare name asks something only where it stands below a message that it answers.
        text = "" if said.bare and quoted is None else said.text
        forwarded = message.has("forward_origin")
        attachments = _documents(message)
        return Message(
            event_id, at, where, sender, private, text, addressed, ref, quoted, forwarded, attachments=attachments
        )

    def _edited(self, event_id: str, message: Fields) -> Event | None:
        chat, sender = message.inside("chat"), self._sender(message)
        if sender is None or not (_is_group(chat) or _is_private(chat)):
            return None
        text = words(message, self.me).text
        if not text:
            return None  # a live location that moves, for one
        at = float(message.number("edit_date" if message.has("edit_date") else "date"))
        return Edited(event_id, at, self._where(chat, message), sender, text, str(message.number("message_id")))

    def _press(self, event_id: str, query: Fields, now: float) -> Event | None:
        query.text("id")
        sender, message = self._sender(query), query.maybe("message")
        if sender is None or message is None or query.has("game_short_name"):
            return None
        chat = message.inside("chat")
        if not _is_group(chat) and not _is_private(chat):
            return None
        # An inaccessible message has its chat and its id, and no more: not its topic either.
        where = self._where(chat, message)
        ref = MessageRef(where.key, str(message.number("message_id")))
        return ButtonPress(event_id, now, where, sender, _is_private(chat), query.text("data"), ref)

    def _standing(self, event_id: str, change: Fields) -> Event | None:
        """Our own standing in a chat has changed."""
        chat, member = change.inside("chat"), change.inside("new_chat_member")
        status = member.text("status")
        outside = status in ("kicked", "left") or (status == "restricted" and not member.flag("is_member"))
        if not outside or not (_is_group(chat) or _is_private(chat)):
            return None
        reason = "blocked by the person" if _is_private(chat) else "removed from the chat"
        where = Conversation(self.channel, str(chat.number("id")))
        return Gone(event_id, float(change.number("date")), self.channel, where, "chat", reason)

    def _where(self, chat: Fields, message: Fields) -> Conversation:
        """Outside topics, `message_thread_id` is only a thread of replies."""
        thread = None
        if message.flag("is_topic_message"):
            topic = message.number("message_thread_id")
            thread = None if topic == _GENERAL else str(topic)
        return Conversation(self.channel, str(chat.number("id")), thread)

    def _sender(self, fields: Fields) -> Sender | None:
        """Who it is from; None for bots, and where no person is behind it (posts in the name of a chat)."""
        person = fields.maybe("from")
        if person is None or person.flag("is_bot"):
            return None
        return Sender(self.channel, str(person.number("id")), _name(person))

    def _is_addressed(self, message: Fields, said: Words) -> bool:
        if said.mentions_us:
            return True
        reply = _reply(message)
        author = reply.maybe("from") if reply else None
        return author is not None and author.number("id") == self.me.id


def update_id(update: Json) -> str:
    """Raises Unreadable if there is none."""
    return str(Fields("unknown", "update", update).number("update_id"))


def query_id(update: Json) -> str | None:
    """What a press must be answered under, if it is one; also when the rest of it cannot be read."""
    try:
        return Fields("", "update", update).inside("callback_query").text("id")
    except Unreadable:
        return None


def chat_id(update: Json) -> int | None:
    """The chat whose order an update belongs to, as far as it can be seen."""
    for kind in ("message", "edited_message", "my_chat_member", "callback_query"):
        try:
            fields = Fields("", "update", update).inside(kind)
            return (fields if fields.has("chat") else fields.inside("message")).inside("chat").number("id")
        except Unreadable:
            continue
    return None


def _is_private(chat: Fields) -> bool:
    return chat.text("type") == "private"


def _is_group(chat: Fields) -> bool:
    return chat.text("type") in ("group", "supergroup")


def _name(person: Fields) -> str:
    return f"{person.text('first_name')} {person.maybe_text('last_name')}".strip()


def _reply(message: Fields) -> Fields | None:
    """What it answers. In a topic, what answers nothing seems to answer the message that opened the topic."""
    reply = message.maybe("reply_to_message")
    return None if reply is None or reply.has("forum_topic_created") else reply


def _quoted(message: Fields) -> str | None:
    """The part of another message that this one answers, where a forwarded one comes from, and what cannot be read."""
    parts = [part for part in (_answered(message), _forwarded(message), _attached(message)) if part]
    return "\n".join(parts) or None


def _answered(message: Fields) -> str:
    reply, external, quote = _reply(message), message.maybe("external_reply"), message.maybe("quote")
    text = quote.text("text") if quote else ""
    if not text and reply:
        text = reply.maybe_text("text") or reply.maybe_text("caption")
    author = ""
    if reply and (person := reply.maybe("from")):
        author = _name(person)
    elif external:
        author = _origin(external.maybe("origin"))
    if not text:
        return ""
    return f"{author}: {text}" if author else text


def _forwarded(message: Fields) -> str:
    if not message.has("forward_origin"):
        return ""
    return f"Forwarded from {_origin(message.maybe('forward_origin')) or 'elsewhere'}"


def _attached(message: Fields) -> str:
    """Whoever reads the words must know that they are not all of it. Without words there is nothing to be read."""
    kind = next((kind for kind in _CARRIES if message.has(kind)), None)
    if kind is None or not message.has("caption"):
        return ""
    return f"Sent with this, which cannot be read here: {kind.replace('_', ' ')}"


def _documents(message: Fields) -> tuple[Attachment, ...]:
    """One at most: each file of an album is a message of its own."""
    document = message.maybe("document")
    if document is None:
        return ()
    size = document.number("file_size") if document.has("file_size") else None
    name, mime = document.maybe_text("file_name"), document.maybe_text("mime_type")
    return (Attachment(document.text("file_id"), name, size, mime),)


def _origin(origin: Fields | None) -> str:
    if origin is None:
        return ""
    if person := origin.maybe("sender_user"):
        return _name(person)
    chat = origin.maybe("sender_chat") or origin.maybe("chat")
    return origin.maybe_text("sender_user_name") or (chat.maybe_text("title") if chat else "")
