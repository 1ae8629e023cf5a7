"""What people do in channels, and what the app is told of it."""

import secrets

from tests.fakes.slack.desk import Desk
from tests.fakes.slack.errors import Impossible, Json
from tests.fakes.slack.shapes import message_json
from tests.fakes.slack.typed import typed
from tests.fakes.slack.world import Channel, Message, User


class People:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._world = desk.world

    def write(
        self,
        channel: Channel,
        user: User,
        text: str,
        *,
        thread: str | None = None,
        broadcast: bool = False,
        subtype: str | None = None,
        extra: Json | None = None,
    ) -> tuple[Message, list[str]]:
        """The message, and the ids of its events (none when the bot is not told). `extra`: further fields."""
        self._may_write(channel, user)
        written = typed(self._world, channel, text)
        message = Message(self._world.next_ts(channel), user.id, user.team, written.text, list(written.blocks))
        message.thread, message.broadcast = self._thread(channel, thread), broadcast
        message.subtype = "thread_broadcast" if broadcast else subtype
        message.bot_id = user.bot_id
        message.extra = dict(extra or {})
        if not user.is_bot:
            message.extra.setdefault("client_msg_id", secrets.token_hex(16))
        self._world.put(channel, message)
        return message, self._desk.events.posted(channel, message)

    def _may_write(self, channel: Channel, user: User) -> None:
        if channel.archived:
            raise Impossible(f"{channel.name or channel.id} is archived")
        if user.id not in channel.members:
            raise Impossible(f"{user.shown_name} is not in {channel.name or channel.id}")

    def _thread(self, channel: Channel, thread: str | None) -> str | None:
        if thread is None:
            return None
        if thread not in channel.messages:
            raise Impossible(f"there is no message {thread} to answer")
        return channel.messages[thread].thread or thread

    def edit(self, channel: Channel, ts: str, text: str) -> list[str]:
        message = self._there(channel, ts)
        before = message_json(self._world, channel, message)
        written = typed(self._world, channel, text)
        message.text, message.blocks = written.text, list(written.blocks)
        message.edits += 1
        message.edited_by, message.edited_ts = message.user, self._world.next_ts(channel)
        self._world.changed()
        return self._desk.events.changed(channel, message, before)

    def delete(self, channel: Channel, ts: str) -> list[str]:
        message = self._there(channel, ts)
        before = message_json(self._world, channel, message)
        message.deleted = True
        self._world.changed()
        return self._desk.events.deleted(channel, message, before)

    def _there(self, channel: Channel, ts: str) -> Message:
        message = channel.messages.get(ts)
        if message is None or message.deleted:
            raise Impossible(f"there is no message {ts}")
        return message

    def file(
        self, channel: Channel, user: User, name: str, mime: str, content: bytes, caption: str, thread: str | None
    ) -> tuple[Message, list[str]]:
        number = self._world.new_id("F")
        path, loading = f"/files/{number}/{name}", f"/files/{number}/download/{name}"
        self._desk.files[path] = self._desk.files[loading] = content
        file: Json = {
            "id": number,
            "created": int(self._world.clock.now()),
            "name": name,
            "title": name,
            "mimetype": mime,
            "filetype": name.rpartition(".")[2],
            "user": user.id,
            "user_team": user.team,
            "size": len(content),
            "mode": "hosted",
            "is_external": False,
            "file_access": "visible",
            "url_private": f"{self._desk.base_url}{path}",
            "url_private_download": f"{self._desk.base_url}{loading}",
        }
        self._desk.described[number] = file
        self._may_write(channel, user)
        written = typed(self._world, channel, caption)
        message = Message(self._world.next_ts(channel), user.id, user.team, written.text, list(written.blocks))
        message.files, message.subtype = [file], "file_share"
        message.thread = self._thread(channel, thread)
        message.extra = {"upload": False, "display_as_bot": False, "client_msg_id": secrets.token_hex(16)}
        self._world.put(channel, message)
        return message, self._desk.events.posted(channel, message)

    def service(self, channel: Channel, user: User, subtype: str, text: str, extra: Json) -> list[str]:
        """What Slack itself writes: someone joined, a new topic, a pinned item."""
        message = Message(self._world.next_ts(channel), user.id, user.team, text, subtype=subtype, extra=extra)
        self._world.put(channel, message)
        return self._desk.events.posted(channel, message)

    def join(self, channel: Channel, user: User, inviter: User | None) -> list[str]:
        channel.members[user.id] = None
        told = self._desk.events.joined(channel, user, inviter.id if inviter else None)
        extra = {"inviter": inviter.id} if inviter else {}
        return [*told, *self.service(channel, user, "channel_join", f"<@{user.id}> has joined the channel", extra)]

    def topic(self, channel: Channel, user: User, topic: str) -> list[str]:
        channel.topic = topic
        text = f"<@{user.id}> set the channel topic: {typed(self._world, channel, topic).text}"
        return self.service(channel, user, "channel_topic", text, {"topic": topic})

    def react(self, channel: Channel, user: User, ts: str, name: str) -> list[str]:
        message = self._there(channel, ts)
        message.reactions.setdefault(name, []).append(user.id)
        self._world.changed()
        event: Json = {
            "type": "reaction_added",
            "user": user.id,
            "reaction": name,
            "item": {"type": "message", "channel": channel.id, "ts": ts},
            "item_user": message.user,
            "event_ts": self._world.next_ts(channel),
        }
        return self._desk.events.happened("reaction_added", event, channel)

    def assistant_thread(self, channel: Channel, user: User, context: Json) -> tuple[Message, list[str]]:
        """Someone opens the app's assistant: a thread of its own in the direct messages."""
        install = self._world.install_in(user.team)
        root = Message(self._world.next_ts(channel), install.bot.id, user.team, "New chat", bot_id=install.bot.bot_id)
        root.subtype = "assistant_app_thread"
        self._world.put(channel, root)
        return root, self.assistant_event("assistant_thread_started", channel, user, root.ts, context)

    def assistant_event(self, kind: str, channel: Channel, user: User, thread: str, context: Json) -> list[str]:
        event: Json = {
            "type": kind,
            "assistant_thread": {
                "user_id": user.id,
                "context": context,
                "channel_id": channel.id,
                "thread_ts": thread,
            },
            "event_ts": self._world.next_ts(channel),
        }
        return self._desk.events.happened(kind, event, channel)

    def home_opened(self, channel: Channel, user: User, tab: str) -> list[str]:
        event: Json = {
            "type": "app_home_opened",
            "user": user.id,
            "channel": channel.id,
            "tab": tab,
            "event_ts": self._world.next_ts(channel),
        }
        home = self._desk.views.homes.get((user.id, self._world.install_in(user.team).bot.id))
        if tab == "home" and home is not None:
            event["view"] = self._desk.views.json(home)
        return self._desk.events.happened("app_home_opened", event, channel)
