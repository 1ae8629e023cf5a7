"""What people do in the chats, and the updates that the bot gets from it."""

import secrets
from typing import Any

from tests.fakes.telegram.documents import document_json
from tests.fakes.telegram.errors import Json
from tests.fakes.telegram.sending import text_body
from tests.fakes.telegram.texts import Formatted, check_entities, with_found
from tests.fakes.telegram.updates import QUERY_LIFE
from tests.fakes.telegram.world import Chat, Message, Query, Standing, User, World

_WRITTEN = ("text", "entities", "caption", "caption_entities")

ANONYMOUS = User(1087968824, "Group", "GroupAnonymousBot", is_bot=True)
"""Stands for an administrator who writes as the group."""


class Impossible(Exception):
    """Nobody could do this in Telegram: the test asks for something that is not there."""


class People:
    def __init__(self, world: World) -> None:
        self._world = world

    def write(
        self,
        chat: Chat,
        user: User,
        body: Json,
        *,
        thread: int | None = None,
        reply_to: int | None = None,
    ) -> tuple[Message, int | None]:
        """The message, and the id of its update (None when the bot is not told)."""
        if chat.moved_to is not None:
            raise Impossible(f"chat {chat.id} has become {chat.moved_to}")
        chat.started = True
        message = self._world.post(chat, user, body, thread=thread, reply_to=reply_to)
        return message, self._tell(chat, message)

    def text(
        self,
        chat: Chat,
        user: User,
        text: str,
        *,
        thread: int | None = None,
        reply_to: int | None = None,
        entities: list[Json] | None = None,
        extras: Json | None = None,
    ) -> tuple[Message, int | None]:
        """`extras`: further fields of the message, such as a quote or where it was forwarded from."""
        given = Formatted(text, check_entities(text, entities or []))
        body = {**text_body(with_found(given)), **(extras or {})}
        return self.write(chat, user, body, thread=thread, reply_to=reply_to)

    def edit(self, chat: Chat, number: int, text: str) -> int | None:
        message = chat.messages[number]
        field = "text" if "text" in message.body else "caption"
        kept = {name: value for name, value in message.body.items() if name not in _WRITTEN}
        message.body = {**kept, **text_body(with_found(Formatted(text)), field)}
        message.edit_date = int(self._world.clock.now())
        message.edits += 1
        self._world.changed()
        return self._tell(chat, message, "edited_message")

    def file(
        self,
        chat: Chat,
        user: User,
        kind: str,
        name: str,
        mime: str,
        content: bytes,
        caption: str,
        thread: int | None,
        media_group: str | None,
    ) -> tuple[Message, int | None]:
        """A document, a photo or a voice message."""
        file = self._world.add_file(name, mime, content)
        known: Json = {"file_id": file.id, "file_unique_id": file.unique_id, "file_size": len(content)}
        bodies: dict[str, Json] = {
            "document": {"document": document_json(file)},
            "photo": {"photo": [{**known, "width": 640, "height": 480}]},
            "voice": {"voice": {**known, "duration": 3, "mime_type": mime}},
        }
        body = bodies[kind]
        if caption:
            body.update(text_body(with_found(Formatted(caption)), "caption"))
        if media_group is not None:
            body["media_group_id"] = media_group
        return self.write(chat, user, body, thread=thread)

    def _tell(self, chat: Chat, message: Message, kind: str = "message") -> int | None:
        if not self._hears(chat, message):
            return None
        payload = self._world.message_json(chat, message)
        return self._world.updates.add(kind, payload, queue=f"chat:{chat.id}", chat=chat.id)

    def _hears(self, chat: Chat, message: Message) -> bool:
        """Whether the bot is there, and the group's privacy lets it know."""
        bot = self._world.bot
        standing = chat.members.get(bot.id, "left")
        if standing in ("left", "kicked"):
            return False
        if chat.kind == "private" or standing == "administrator" or not self._world.privacy:
            return True
        if "text" not in message.body and "caption" not in message.body:
            return "document" not in message.body and "photo" not in message.body and "voice" not in message.body
        quoted = chat.messages.get(message.reply_to or 0)
        if quoted is not None and quoted.sender.id == bot.id:
            return True
        text = message.body.get("text") or message.body.get("caption") or ""
        return text.startswith("/") or f"@{bot.username}".lower() in text.lower()

    def press(
        self, chat: Chat, user: User, message: Message | None, number: int, data: str
    ) -> tuple[Query, int | None]:
        """A press on a message; without one the bot is told only where it was (InaccessibleMessage)."""
        query = Query(str(secrets.randbits(62)), chat.id, user.id, self._world.clock.now())
        self._world.queries[query.id] = query
        shown: Json = {"chat": self._world.chat_json(chat), "message_id": number, "date": 0}
        if message is not None:
            shown = self._world.message_json(chat, message)
        payload: Json = {
            "id": query.id,
            "from": user.json(),
            "chat_instance": chat.instance,
            "message": shown,
            "data": data,
        }
        update = self._world.updates.add(
            "callback_query", payload, queue=f"user:{user.id}", chat=chat.id, life=QUERY_LIFE
        )
        return query, update

    def set_bot(self, chat: Chat, by: User, standing: Standing) -> list[int | None]:
        """Someone adds, removes, promotes, blocks or unblocks the bot: its updates, in order."""
        world = self._world
        old = world.member_json(chat, world.bot)
        chat.members[world.bot.id] = standing
        there = standing in ("member", "administrator")
        updates: list[int | None] = [
            world.updates.add(
                "my_chat_member",
                {
                    "chat": world.chat_json(chat),
                    "from": by.json(),
                    "date": int(world.clock.now()),
                    "old_chat_member": old,
                    "new_chat_member": world.member_json(chat, world.bot),
                },
                queue=f"chat:{chat.id}",
                chat=chat.id,
            )
        ]
        if there and old["status"] in ("left", "kicked") and chat.kind != "private":
            bot = world.bot.json()
            updates.append(self.write(chat, by, {"new_chat_members": [bot]})[1])
        world.changed()
        return updates

    def migrate(self, chat: Chat, by: User) -> tuple[Chat, list[int | None]]:
        """A basic group becomes a supergroup; both sides get their service message."""
        world = self._world
        if chat.kind != "group":
            raise Impossible(f"chat {chat.id} is no basic group")
        new = world.add_group("supergroup", chat.title)
        new.members = dict(chat.members)
        _, before = self.write(chat, by, {"migrate_to_chat_id": new.id})
        _, after = self.write(new, by, {"migrate_from_chat_id": chat.id})
        chat.moved_to = new.id
        world.changed()
        return new, [before, after]

    def react(self, chat: Chat, user: User, number: int, emoji: str) -> int | None:
        payload: Json = {
            "chat": self._world.chat_json(chat),
            "message_id": number,
            "user": user.json(),
            "date": int(self._world.clock.now()),
            "old_reaction": [],
            "new_reaction": [{"type": "emoji", "emoji": emoji}],
        }
        return self._world.updates.add("message_reaction", payload, queue=f"chat:{chat.id}", chat=chat.id)

    def stop_draft(self, chat: Chat, draft_id: int) -> int | None:
        payload: dict[str, Any] = {"chat": self._world.chat_json(chat), "draft_id": draft_id}
        return self._world.updates.add("stopped_message_generation", payload, queue=f"chat:{chat.id}", chat=chat.id)
