"""Workspaces, people, channels and messages. No HTTP and no JSON of Slack's here."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from tests.fakes.slack.codes import all_scopes
from tests.fakes.slack.errors import Impossible, Json
from tests.fakes.telegram.clock import Clock

ChannelKind = Literal["public", "private", "im", "mpim"]

EVENT_SCOPES = frozenset({"app_mentions:read", "reactions:read", "commands"})
"""Scopes that only events and commands need."""


@dataclass(frozen=True, slots=True)
class App:
    """What the app's pages show: the same in every workspace."""

    id: str
    name: str
    token: str
    """App-level (`xapp-…`): for Socket Mode."""
    signing_secret: str
    verification_token: str
    client_id: str
    client_secret: str


@dataclass(frozen=True, slots=True)
class Team:
    id: str
    name: str
    domain: str
    enterprise: str | None = None


@dataclass(slots=True)
class User:
    id: str
    team: str
    name: str
    """The handle, lower case; `display_name` and `real_name` are what people see."""
    real_name: str
    display_name: str
    is_bot: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    deleted: bool = False
    is_stranger: bool | None = None
    bot_id: str = ""

    @property
    def shown_name(self) -> str:
        return self.display_name or self.real_name or self.name


@dataclass(slots=True)
class Install:
    """The app in a workspace, or in all of an organisation (`enterprise` is set): one token, one bot."""

    token: str
    bot: User
    teams: tuple[str, ...]
    scopes: set[str]
    enterprise: str | None = None
    revoked: bool = False
    uninstalled: bool = False

    @property
    def alive(self) -> bool:
        return not self.revoked and not self.uninstalled


@dataclass(slots=True)
class Message:
    """`user` is who is shown as the author; `bot_id` is set for what a bot posted. `blocks` are as they are stored."""

    ts: str
    user: str
    team: str
    text: str
    blocks: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    files: list[Json] = field(default_factory=list)
    metadata: Json | None = None
    bot_id: str = ""
    thread: str | None = None
    broadcast: bool = False
    subtype: str | None = None
    ephemeral_to: str | None = None
    edited_by: str = ""
    edited_ts: str = ""
    edits: int = 0
    deleted: bool = False
    reactions: dict[str, list[str]] = field(default_factory=dict)
    stream: Literal["", "live", "stopped", "done"] = ""
    loose_mentions: bool = False
    """Posted with `link_names` or `parse=full`: a bare @name notifies too."""
    markdown: bool = False
    """`text` is Markdown, not mrkdwn."""
    extra: Json = field(default_factory=dict)


@dataclass(slots=True)
class Channel:
    id: str
    kind: ChannelKind
    name: str
    teams: list[str]
    """The host first; more than one: shared."""
    creator: str
    created: int
    members: dict[str, None] = field(default_factory=dict)
    archived: bool = False
    topic: str = ""
    messages: dict[str, Message] = field(default_factory=dict)
    ephemerals: list[Message] = field(default_factory=list)
    last_ts: tuple[int, int] = (0, 0)
    posted_at: float = 0.0
    status: dict[str, Json] = field(default_factory=dict)
    """What assistant.threads.* set, by thread."""

    @property
    def type(self) -> str:
        """As events name it."""
        return {"public": "channel", "private": "group", "im": "im", "mpim": "mpim"}[self.kind]

    def replies(self, thread: str) -> Iterator[Message]:
        return (m for m in self.messages.values() if m.thread == thread and m.ts != thread and not m.deleted)


class World:
    def __init__(self, clock: Clock, app: App) -> None:
        self.clock = clock
        self.app = app
        self.teams: dict[str, Team] = {}
        self.users: dict[str, User] = {}
        self.installs: list[Install] = []
        self.channels: dict[str, Channel] = {}
        self.changed: Callable[[], None] = lambda: None
        self._last = 1000

    def new_id(self, prefix: str) -> str:
        self._last += 1
        return f"{prefix}0{self._last:09d}"

    # Workspaces.

    def add_team(self, name: str, enterprise: str | None = None) -> Team:
        team = Team(self.new_id("T"), name, name.lower().replace(" ", "-"), enterprise)
        self.teams[team.id] = team
        return team

    def install(self, teams: tuple[str, ...], *, token: str = "", enterprise: str | None = None) -> Install:
        bot = self.add_user(teams[0], self.app.name, is_bot=True)
        bot.bot_id = self.new_id("B")
        token = token or f"xoxb-{secrets.randbelow(10**12)}-{secrets.token_hex(12)}"
        install = Install(token, bot, teams, set(all_scopes() | EVENT_SCOPES), enterprise)
        self.installs.append(install)
        return install

    def install_in(self, team: str) -> Install:
        """The newest. Raises Impossible where the app is not installed."""
        for install in reversed(self.installs):
            if team in install.teams and not install.uninstalled:
                return install
        raise Impossible(f"the app is not installed in {team}")

    def by_token(self, token: str) -> Install | None:
        return next((install for install in self.installs if install.token == token), None)

    # People.

    def add_user(self, team: str, name: str, *, real_name: str = "", is_bot: bool = False) -> User:
        user = User(
            self.new_id("U"),
            team,
            name.lower().replace(" ", "."),
            real_name or name,
            "" if is_bot else name,
            is_bot,
        )
        self.users[user.id] = user
        return user

    def bot_by_id(self, bot_id: str) -> User | None:
        return next((user for user in self.users.values() if bot_id and user.bot_id == bot_id), None)

    # Channels.

    def add_channel(self, kind: ChannelKind, name: str, teams: list[str], creator: str) -> Channel:
        prefix = {"public": "C", "private": "C", "im": "D", "mpim": "C"}[kind]
        channel = Channel(self.new_id(prefix), kind, name, teams, creator, int(self.clock.now()))
        self.channels[channel.id] = channel
        return channel

    def im(self, install: Install, user: User) -> Channel:
        """The direct messages of someone with the bot; made when there are none."""
        for channel in self.channels.values():
            if channel.kind == "im" and set(channel.members) == {install.bot.id, user.id}:
                return channel
        team = user.team if user.team in install.teams else install.teams[0]
        channel = self.add_channel("im", "", [team], user.id)
        channel.members = {user.id: None, install.bot.id: None}
        return channel

    def sees(self, install: Install, channel: Channel) -> bool:
        """Public channels are seen from outside, all others by their members."""
        if install.bot.id in channel.members:
            return True
        return channel.kind == "public" and any(team in install.teams for team in channel.teams)

    # Messages.

    def next_ts(self, channel: Channel) -> str:
        """Unique in the channel and later than any before."""
        seconds, micros = divmod(int(self.clock.now() * 1_000_000), 1_000_000)
        if (seconds, micros) <= channel.last_ts:
            seconds, micros = channel.last_ts
            micros += 1
            if micros == 1_000_000:
                seconds, micros = seconds + 1, 0
        channel.last_ts = (seconds, micros)
        return f"{seconds:d}.{micros:06d}"

    def put(self, channel: Channel, message: Message) -> None:
        channel.messages[message.ts] = message
        self.changed()

    def put_ephemeral(self, channel: Channel, message: Message) -> None:
        channel.ephemerals.append(message)
        self.changed()
