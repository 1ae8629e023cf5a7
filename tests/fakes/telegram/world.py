"""Users, chats, messages and files, and how they look in the Bot API's JSON. No HTTP here."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from tests.fakes.telegram.clock import Clock
from tests.fakes.telegram.errors import ApiError, Json, forbidden, migrated, refused, wrong
from tests.fakes.telegram.texts import Unit
from tests.fakes.telegram.updates import Updates

ChatKind = Literal["private", "group", "supergroup"]
Standing = Literal["creator", "administrator", "member", "left", "kicked"]

TOPIC_COLOR = 7322096


@dataclass(frozen=True, slots=True)
class User:
    id: int
    first_name: str
    username: str | None = None
    language_code: str | None = None
    is_bot: bool = False

    def json(self) -> Json:
        shown: Json = {"id": self.id, "is_bot": self.is_bot, "first_name": self.first_name}
        if self.username:
            shown["username"] = self.username
        if self.language_code:
            shown["language_code"] = self.language_code
        return shown


@dataclass(slots=True)
class Message:
    """`body` is what the message carries: text and entities, a document and its caption, or a service field."""

    id: int
    sender: User
    date: int
    body: Json
    markup: Json | None = None
    thread: int | None = None
    in_topic: bool = False
    reply_to: int | None = None
    edit_date: int | None = None
    edits: int = 0
    deleted: bool = False
    reactions: list[Json] = field(default_factory=list)


@dataclass(slots=True)
class Topic:
    id: int
    name: str
    closed: bool = False
    deleted: bool = False


@dataclass(slots=True)
class Chat:
    id: int
    kind: ChatKind
    title: str
    forum: bool = False
    started: bool = True
    """Private: the person has written first."""
    deactivated: bool = False
    members: dict[int, Standing] = field(default_factory=dict)
    messages: dict[int, Message] = field(default_factory=dict)
    topics: dict[int, Topic] = field(default_factory=dict)
    last_id: int = 0
    moved_to: int | None = None
    actions: list[Json] = field(default_factory=list)
    drafts: list[Json] = field(default_factory=list)
    instance: str = field(default_factory=lambda: str(secrets.randbits(62)))


@dataclass(slots=True)
class Query:
    """A press that waits for its answer."""

    id: str
    chat: int
    user: int
    created: float
    answer: Json | None = None


@dataclass(frozen=True, slots=True)
class File:
    id: str
    unique_id: str
    path: str
    name: str
    mime: str
    content: bytes


class World:
    """`text_limit` counts in `text_unit`; Telegram's own unit is code points, as far as anyone could measure."""

    def __init__(self, clock: Clock, updates: Updates, bot: User, *, text_unit: Unit = "characters") -> None:
        self.clock = clock
        self.updates = updates
        self.bot = bot
        self.text_unit: Unit = text_unit
        self.text_limit = 4096
        self.privacy = False
        """In groups, deliver only commands, mentions and replies to the bot (unless it is an administrator)."""
        self.users: dict[int, User] = {bot.id: bot}
        self.chats: dict[int, Chat] = {}
        self.queries: dict[str, Query] = {}
        self.files: dict[str, File] = {}
        self.commands: dict[tuple[str, str], list[Json]] = {}
        self.changed: Callable[[], None] = lambda: None
        self._last_user = 1000
        self._last_group = 0
        self._last_message = 0

    # People and places.

    def add_user(
        self, first_name: str, username: str | None = None, language_code: str | None = "en", *, is_bot: bool = False
    ) -> User:
        self._last_user += 1
        user = User(self._last_user, first_name, username, language_code, is_bot)
        self.users[user.id] = user
        return user

    def add_private(self, user: User, *, started: bool = True) -> Chat:
        chat = Chat(user.id, "private", user.first_name, started=started)
        chat.members = {user.id: "member", self.bot.id: "member"}
        self.chats[chat.id] = chat
        return chat

    def add_group(self, kind: ChatKind, title: str, *, forum: bool = False) -> Chat:
        self._last_group += 1
        number = -(4_000_000 + self._last_group) if kind == "group" else -(1_002_000_000_000 + self._last_group)
        chat = Chat(
            number, kind, title, forum=forum, last_id=1
        )  # message 1 is the making of the chat; also General's number
        self.chats[chat.id] = chat
        return chat

    def reachable(self, chat_id: int | str) -> Chat:
        """The chat, if the bot may act there. Raises ApiError as Telegram would."""
        chat = self.chats.get(chat_id) if isinstance(chat_id, int) else None
        if chat is None:
            raise refused("chat not found")
        if chat.moved_to is not None:
            raise migrated(chat.moved_to)
        standing = chat.members.get(self.bot.id, "left")
        if chat.kind == "private":
            self._refuse_private(chat, standing)
        elif standing == "kicked":
            raise forbidden(f"bot was kicked from the {chat.kind} chat")
        elif standing == "left":
            raise forbidden(f"bot is not a member of the {chat.kind} chat")
        return chat

    def _refuse_private(self, chat: Chat, standing: Standing) -> None:
        if chat.deactivated:
            raise forbidden("user is deactivated")
        if standing == "kicked":
            raise forbidden("bot was blocked by the user")
        if not chat.started:
            raise forbidden("bot can't initiate conversation with a user")

    def message(self, chat: Chat, number: int, missing: ApiError) -> Message:
        found = chat.messages.get(number)
        if found is None or found.deleted:
            raise missing
        return found

    # Writing.

    def post(
        self,
        chat: Chat,
        sender: User,
        body: Json,
        *,
        markup: Json | None = None,
        thread: int | None = None,
        reply_to: int | None = None,
    ) -> Message:
        """Put a message into the chat; thread and reply have been checked."""
        if chat.kind == "supergroup":
            chat.last_id += 1
            number = chat.last_id
        else:
            self._last_message += 1  # private chats and basic groups share the account's own count
            number = self._last_message
        message = Message(number, sender, int(self.clock.now()), body, markup, reply_to=reply_to)
        self._place(chat, message, thread)
        chat.messages[number] = message
        self.changed()
        return message

    def _place(self, chat: Chat, message: Message, thread: int | None) -> None:
        quoted = chat.messages.get(message.reply_to) if message.reply_to is not None else None
        if thread is None and quoted is not None and (quoted.in_topic or chat.kind == "supergroup"):
            thread = quoted.thread if chat.forum or quoted.thread is not None else quoted.id
        message.thread = thread
        message.in_topic = thread in chat.topics
        if message.in_topic and message.reply_to is None:
            message.reply_to = thread  # in a topic, what answers nothing answers the topic's first message

    def check_thread(self, chat: Chat, thread: int | None) -> None:
        """Raises ApiError when nothing can be sent into this topic or reply thread."""
        if thread is None:
            return
        missing = refused("message thread not found")
        topic = chat.topics.get(thread)
        if topic is not None:
            if topic.deleted:
                raise missing
            if topic.closed and chat.members.get(self.bot.id) != "administrator":
                raise refused("TOPIC_CLOSED")
            return
        if chat.forum or chat.kind != "supergroup" or thread not in chat.messages:
            raise missing

    def add_topic(self, chat: Chat, creator: User, name: str) -> Message:
        message = self.post(chat, creator, {"forum_topic_created": {"name": name, "icon_color": TOPIC_COLOR}})
        chat.topics[message.id] = Topic(message.id, name)
        message.thread, message.in_topic = message.id, True
        return message

    def add_file(self, name: str, mime: str, content: bytes) -> File:
        number = len(self.files) + 1
        folder = "photos" if mime.startswith("image/") else "voice" if mime.startswith("audio/") else "documents"
        ending = name.rpartition(".")[2] if "." in name else "bin"
        file = File(
            f"BQACAgIAAxkB{number:06d}AAE{secrets.token_hex(8)}",
            f"AgAD{number:06d}",
            f"{folder}/file_{number}.{ending}",
            name,
            mime,
            content,
        )
        self.files[file.id] = file
        return file

    # How it looks from outside.

    def chat_json(self, chat: Chat) -> Json:
        shown: Json = {"id": chat.id, "type": chat.kind}
        if chat.kind == "private":
            person = self.users[chat.id]
            shown["first_name"] = person.first_name
            if person.username:
                shown["username"] = person.username
        else:
            shown["title"] = chat.title
        if chat.forum:
            shown["is_forum"] = True
        return shown

    def message_json(self, chat: Chat, message: Message, *, with_reply: bool = True) -> Json:
        shown: Json = {
            "message_id": message.id,
            "from": message.sender.json(),
            "chat": self.chat_json(chat),
            "date": message.date,
            **message.body,
        }
        if message.markup:
            shown["reply_markup"] = message.markup
        if message.edit_date is not None:
            shown["edit_date"] = message.edit_date
        if message.thread is not None:
            shown["message_thread_id"] = message.thread
            if message.in_topic:
                shown["is_topic_message"] = True
        quoted = chat.messages.get(message.reply_to) if with_reply and message.reply_to is not None else None
        if quoted is not None and not quoted.deleted:
            shown["reply_to_message"] = self.message_json(chat, quoted, with_reply=False)
        return shown

    def member_json(self, chat: Chat, user: User, standing: Standing | None = None) -> Json:
        status = standing or chat.members.get(user.id, "left")
        member: Json = {"status": status, "user": user.json()}
        if status == "creator":
            member["is_anonymous"] = False
        if status == "kicked":
            member["until_date"] = 0
        if status == "administrator":
            member.update(dict.fromkeys(_RIGHTS, False))
            member.update(can_be_edited=False, can_manage_chat=True, can_delete_messages=True, can_invite_users=True)
        return member

    def known(self, user_id: int) -> User:
        """Raises ApiError for a person that does not exist."""
        user = self.users.get(user_id)
        if user is None:
            raise wrong("user not found") if user_id == 0 else refused("user not found")
        return user


_RIGHTS = (
    "can_be_edited",
    "is_anonymous",
    "can_manage_chat",
    "can_delete_messages",
    "can_manage_video_chats",
    "can_restrict_members",
    "can_promote_members",
    "can_change_info",
    "can_invite_users",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
    "can_send_welcome_messages",
)
