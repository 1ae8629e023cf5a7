"""A raw delivery → an event. Pure; every field is distrusted.

Rules of this room:

- *What is a message*: one without a subtype, with files, by `/me`, or a reply that is sent to the channel too. What bots,
  workflows, Slackbot and we ourselves write is ignored (two bots would talk for ever), and so is whatever else comes as a
  message: joins, topics, pins, deletions.
- *Once*: a mention comes twice, as `message` and as `app_mention`, each under an id of its own: both are one event, by place
  and time. An edit is an event of its own, never a command and never a mention, and only if the words did change.
- *Where*: in channels, what answers nothing opens the thread in which it will be answered; so root and replies are one
  conversation. A direct chat is one conversation, but for what is said in its threads.
- *To whom*: a direct chat, a mention of us, a reply below a message of ours, or everything if so configured. What else is
  said in a thread follows it, unless it turns to someone else.
- *Commands*: `!name` with a known name, or `stop` behind a mention of us; in channels only where a message would be addressed
  or would follow. The slash-command is answered aside.
- *What cannot be read* is named beside the words, and messages that it shares are quoted there. Without words of its own a
  share is a forward; files alone are a message with an empty text, so that its sender can be told.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, assert_never

from channels.events import (
    Attachment,
    ButtonPress,
    Command,
    Conversation,
    Edited,
    Event,
    FormAnswer,
    Gone,
    Message,
    Sender,
)
from channels.fields import Fields, Json, Unreadable
from channels.outgoing import MessageRef
from channels.slack.form import CALLBACK, filled, opened
from channels.slack.limits import LIMITS
from channels.slack.people import Me, People
from channels.slack.quoted import content
from channels.slack.sender import SLACKBOT, Origin, of_command, of_interaction, of_message, sender
from channels.slack.words import Words, arguments, mentioned, turns_to_another, words

_SUBTYPES = ("", "file_share", "thread_broadcast", "me_message")
_LEFT = {
    "channel_archive": "the channel was archived",
    "group_archive": "the channel was archived",
    "channel_deleted": "the channel was deleted",
    "group_deleted": "the channel was deleted",
    "channel_left": "removed from the channel",
    "group_left": "removed from the channel",
    "member_left_channel": "removed from the channel",
}
_ID = re.compile(r"[A-Z0-9]{1,32}")
_TIME = re.compile(r"[0-9]{1,12}\.[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class _Told:
    """What is there to be read, by whom, and the words in which others may be mentioned."""

    kind: Literal["message", "edit", "press", "form", "slash"]
    origin: Origin
    text: str = ""


@dataclass(frozen=True, slots=True)
class Parser:
    """`command` is the slash-command, with its slash; `commands` the names of those that can be typed. `now` is the time
    of arrival, for what carries none."""

    channel: str
    me: Me
    listen: Literal["addressed", "all"]
    command: str
    commands: frozenset[str]

    def who(self, body: Json) -> frozenset[str]:
        """The ids of those whom one must know to read it: its sender and whom it mentions. Nobody's if it does not
        concern us or cannot be read."""
        try:
            told = self._told("", Fields("", "body", body))
        except Unreadable:
            return frozenset()
        return frozenset() if told is None else mentioned(told.text) - {self.me.user} | {told.origin.user}

    def event(self, body: Json, people: People, now: float) -> Event | None:
        """None for what does not concern us. Raises Unreadable for a known kind that is not shaped as documented, and
        UnknownSender where the sender is not among the people."""
        event_id = delivery_id(body)
        fields = Fields(event_id, "body", body)
        if (gone := self._gone(event_id, fields, body)) is not None:
            return gone
        told = self._told(event_id, fields)
        by = sender(self.channel, self.me, told.origin, people) if told else None
        if told is None or by is None:
            return None
        match told.kind:
            case "message":
                return self._message(event_id, fields.inside("event"), by, people)
            case "edit":
                return self._edited(event_id, fields, by, people)
            case "press":
                return self._press(event_id, fields, by, now)
            case "form":
                return self._form(event_id, fields, by, now)
            case "slash":
                return self._slash(event_id, fields, by, people, now)
            case _:
                assert_never(told.kind)

    def _told(self, event_id: str, body: Fields) -> _Told | None:
        """None for what nobody said to whom we listen."""
        told = self._found(body)
        if told is None or told.origin.user in (self.me.user, SLACKBOT):
            return None
        _checked(event_id, "the user", told.origin.user)
        if told.origin.team:
            _checked(event_id, "the team", told.origin.team)
        return told

    def _found(self, body: Fields) -> _Told | None:
        if body.has("command") and not body.has("type"):
            ours = body.text("command").lower() == self.command
            return _Told("slash", of_command(body), body.maybe_text("text")) if ours else None
        match body.text("type"):
            case "event_callback":
                return _said(body, body.inside("event"))
            case "block_actions":
                return _Told("press", of_interaction(body)) if _button(body) else None
            case "view_submission":
                ours = body.inside("view").maybe_text("callback_id") == CALLBACK
                return _Told("form", of_interaction(body)) if ours else None
            case _:
                return None

    def _message(self, event_id: str, event: Fields, by: Sender, people: People) -> Event | None:
        chat, ts = _id(event_id, event, "channel"), _time(event_id, event, "ts")
        thread = _time(event_id, event, "thread_ts") if event.has("thread_ts") else ts
        private = _is_direct(event, chat)
        typed = event.maybe_text("text")
        said = words(typed, self.me, people, self.commands)
        addressed = private or self.listen == "all" or self._is_addressed(event, said)
        follows = not addressed and thread != ts and not turns_to_another(typed, self.me)
        once, at, where = f"m:{chat}:{ts}", float(ts), self._where(chat, thread, ts, private)
        if said.command and (addressed or follows):
            name, rest = said.command.name, said.command.arguments
            return Command(once, at, where, by, private, name, rest, ts, follows=follows, mark=LIMITS.mark)
        found = content(event, said, people)
        if found is None:
            return None
        text, quoted, forwarded = found
        attachments = tuple(_attached(event))
        return Message(once, at, where, by, private, text, addressed, ts, quoted, forwarded, follows, attachments)

    def _is_addressed(self, event: Fields, said: Words) -> bool:
        ours = event.maybe_text("parent_user_id") == self.me.user
        return said.mentions_us or ours or event.text("type") == "app_mention"

    def _where(self, chat: str, thread: str, ts: str, private: bool) -> Conversation:
        return Conversation(self.channel, chat, None if private and thread == ts else thread)

    def _edited(self, event_id: str, body: Fields, by: Sender, people: People) -> Event | None:
        event = body.inside("event")
        message = event.inside("message")
        text = words(message.maybe_text("text"), self.me, people, self.commands).text
        if not text:
            return None
        chat, ts = _id(event_id, event, "channel"), _time(event_id, message, "ts")
        thread = _time(event_id, message, "thread_ts") if message.has("thread_ts") else ts
        where = self._where(chat, thread, ts, _is_direct(event, chat))
        return Edited(*_when(body), where, by, text, ts)

    def _press(self, event_id: str, body: Fields, by: Sender, now: float) -> Event | None:
        button, container, message = _button(body), body.inside("container"), body.maybe("message")
        if button is None:
            return None
        chat, ts = _id(event_id, body.inside("channel"), "id"), _time(event_id, container, "message_ts")
        told = message if message and message.has("thread_ts") else container
        thread = _time(event_id, told, "thread_ts") if told.has("thread_ts") else ts
        # A message that opened a thread itself was not posted in one.
        where = Conversation(self.channel, chat, None if thread == ts else thread)
        ref = None if container.flag("is_ephemeral") else MessageRef(where.key, ts)
        once = f"a:{chat}:{ts}:{body.inside('user').text('id')}:{_time(event_id, button, 'action_ts')}"
        return ButtonPress(once, now, where, by, _is_direct_id(chat), button.text("value"), ref)

    def _form(self, event_id: str, body: Fields, by: Sender, now: float) -> Event:
        once, view = f"v:{body.text('trigger_id')}", body.inside("view")
        kept = opened(event_id, view, self.channel)
        return FormAnswer(once, now, kept.where, by, kept.private, kept.token, filled(view))

    def _slash(self, event_id: str, body: Fields, by: Sender, people: People, now: float) -> Event:
        chat = _id(event_id, body, "channel_id")
        name, *rest = body.maybe_text("text").split(maxsplit=1) or ["help"]
        where, private = Conversation(self.channel, chat), _is_direct_id(chat)
        once, typed = f"c:{body.text('trigger_id')}", arguments("".join(rest), people)
        return Command(once, now, where, by, private, name.lower(), typed, aside=True, mark=f"{self.command} ")

    def _gone(self, event_id: str, body: Fields, raw: Json) -> Gone | None:
        if body.maybe_text("type") != "event_callback":
            return None
        event = body.inside("event")
        kind = event.text("type")
        if kind == "app_uninstalled":
            return Gone(*_when(body), self.channel, None, "channel", "the app was uninstalled")
        if kind == "tokens_revoked" and _within(raw, "event", "tokens", "bot"):
            return Gone(*_when(body), self.channel, None, "channel", "its token was revoked")
        if kind not in _LEFT or (kind == "member_left_channel" and event.text("user") != self.me.user):
            return None
        where = Conversation(self.channel, _id(event_id, event, "channel"))
        return Gone(*_when(body), self.channel, where, "chat", _LEFT[kind])


def delivery_id(body: Json) -> str:
    """What a delivery is put aside under if it cannot be read; `unknown` if Slack gave it none."""
    for kind, name in (("e", "event_id"), ("v", "trigger_id")):
        if isinstance(found := _within(body, name), str) and found:
            return f"{'c' if _within(body, 'command') else kind}:{found}"
    return "unknown"


def _when(body: Fields) -> tuple[str, float]:
    return f"e:{body.text('event_id')}", float(body.number("event_time"))


def _said(body: Fields, event: Fields) -> _Told | None:
    kind, subtype = event.text("type"), event.maybe_text("subtype")
    if kind == "message" and subtype == "message_changed":
        message, before = event.inside("message"), event.maybe("previous_message")
        same = before is not None and before.maybe_text("text") == message.maybe_text("text")
        return None if same or not _is_by_a_person(message) else _by("edit", body, message)
    if kind not in ("message", "app_mention") or event.has("edited") or not _is_by_a_person(event):
        return None  # a mention that is edited into a message comes as app_mention with `edited`
    return _by("message", body, event)


def _by(kind: Literal["message", "edit"], body: Fields, message: Fields) -> _Told:
    return _Told(kind, of_message(body, message), message.maybe_text("text"))


def _is_by_a_person(message: Fields) -> bool:
    return message.maybe_text("subtype") in _SUBTYPES and message.has("user") and not message.has("bot_id")


def _button(body: Fields) -> Fields | None:
    """The button that was pressed on a message. A link opens without us, and other kinds of control are not ours."""
    action = next(iter(body.each("actions")), None)
    if action is None or action.text("type") != "button" or not action.has("value") or not body.has("channel"):
        return None
    return action


def _attached(event: Fields) -> Iterator[Attachment]:
    """Its files, as far as they can be fetched: one from another organisation, or beyond the limit of a free workspace, is
    not described."""
    for file in event.each("files"):
        number, size = file.maybe_text("id"), file.number("size") if file.has("size") else None
        if _ID.fullmatch(number):
            yield Attachment(number, file.maybe_text("name"), size, file.maybe_text("mimetype"))


def _is_direct(event: Fields, chat: str) -> bool:
    return event.maybe_text("channel_type") == "im" or _is_direct_id(chat)


def _is_direct_id(chat: str) -> bool:
    return chat.startswith("D")


def _id(event_id: str, fields: Fields, name: str) -> str:
    return _checked(event_id, name, fields.text(name))


def _checked(event_id: str, name: str, value: str) -> str:
    if not _ID.fullmatch(value):
        raise Unreadable(event_id, name, "an id")
    return value


def _time(event_id: str, fields: Fields, name: str) -> str:
    value = fields.text(name)
    if not _TIME.fullmatch(value):
        raise Unreadable(event_id, name, "a time")
    return value


def _within(value: Json, *names: str) -> Json:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
