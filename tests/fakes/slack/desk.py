"""What the methods work with, and what many of them ask first."""

from dataclasses import dataclass, field

from tests.fakes.slack.args import needed, text
from tests.fakes.slack.errors import ApiError, Json, ratelimited, refused, wrong
from tests.fakes.slack.events import Events
from tests.fakes.slack.interactions import Interactions
from tests.fakes.slack.schema import Check
from tests.fakes.slack.sockets import Sockets
from tests.fakes.slack.views import Views
from tests.fakes.slack.world import Channel, Install, Message, User, World


@dataclass(slots=True)
class Upload:
    id: str
    path: str
    name: str
    length: int
    install: Install
    content: bytes | None = None
    shared: bool = False


@dataclass(slots=True)
class Desk:
    world: World
    events: Events
    interactions: Interactions
    views: Views
    sockets: Sockets
    check: Check
    base_url: str = ""
    escape_commands: bool = True
    """Commands name people and channels by id, as texts do."""
    strict_rate: bool = False
    """One post per second and channel."""
    codes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Codes of oauth.v2.access, each with the workspaces that it is for."""
    uploads: dict[str, Upload] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    """What people sent, by path."""
    described: dict[str, Json] = field(default_factory=dict)
    """The same by id, as it is told."""

    def channel(self, install: Install, args: Json, name: str = "channel") -> Channel:
        """The channel that is named, if the bot sees it. Raises ApiError."""
        found = self.world.channels.get(needed(args, name))
        if found is None or not self.world.sees(install, found):
            raise refused("channel_not_found")
        return found

    def writable(self, install: Install, args: Json, archived: str = "is_archived") -> Channel:
        """The channel, if the bot may post there; a person stands for the direct messages. Raises ApiError."""
        person = self.world.users.get(text(args, "channel"))
        if person is not None:
            return self.world.im(install, self.visible(install, person))
        channel = self.channel(install, args)
        if channel.archived:
            raise refused(archived)
        if install.bot.id not in channel.members and not (
            channel.kind == "public" and "chat:write.public" in install.scopes
        ):
            raise refused("not_in_channel")
        return channel

    def visible(self, install: Install, user: User) -> User:
        """Raises ApiError where the bot could not write to this person."""
        if user.deleted or (user.is_bot and user.id != install.bot.id):
            raise refused("channel_not_found")
        return user

    def user(self, args: Json, name: str = "user") -> User:
        found = self.world.users.get(needed(args, name))
        if found is None:
            raise refused("user_not_found")
        return found

    def message(self, channel: Channel, ts: str) -> Message:
        found = channel.messages.get(ts)
        if found is None or found.deleted:
            raise refused("message_not_found")
        return found

    def thread(self, channel: Channel, args: Json) -> str | None:
        """Where a reply goes. Raises ApiError where nothing can be answered."""
        wanted = args.get("thread_ts")
        if wanted is None:
            return None
        found = channel.messages.get(str(wanted))
        if found is None or (found.deleted and not any(channel.replies(found.ts))):
            raise refused("cannot_reply_to_message")
        if found.thread not in (None, found.ts):
            raise wrong("cannot_reply_to_message", "thread_ts names a reply; it must name the thread's first message")
        return found.ts

    def pace(self, channel: Channel) -> None:
        """Raises ApiError when the strict rate is on and the last post is less than a second old."""
        now = self.world.clock.now()
        if self.strict_rate and now < channel.posted_at + 1.0:
            raise ratelimited(1)
        channel.posted_at = now


def page(items: list[Json], args: Json, name: str, default: int = 100) -> Json:
    """One page of a list, with the cursor of the next. Raises ApiError."""
    limit = args.get("limit", default)
    if not isinstance(limit, int) or not 0 <= limit <= 1000:
        raise ApiError("invalid_limit", breach=True, reason="limit is 1 to 1000")
    cursor = text(args, "cursor")
    start = 0
    if cursor:
        if not cursor.startswith("next:") or not cursor[5:].isdigit():
            raise wrong("invalid_cursor", f"{cursor!r} was never given out")
        start = int(cursor[5:])
    end = start + (limit or default)
    following = f"next:{end}" if end < len(items) else ""
    return {name: items[start:end], "response_metadata": {"next_cursor": following}}
