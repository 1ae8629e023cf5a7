"""Presses, submitted modals and slash commands: their trigger, their response_url, and how they were answered."""

import secrets
from dataclasses import dataclass, field
from typing import Literal

from tests.fakes.slack.errors import ApiError, Impossible, Json, wrong
from tests.fakes.slack.world import Channel, Install, Message, User, World

InteractionKind = Literal["press", "command", "submit", "close", "shortcut"]

TRIGGER_LIFE = 3.0
URL_LIFE = 30 * 60.0
URL_USES = 5


@dataclass(slots=True)
class Interaction:
    """`failed` says what the person saw instead of an answer in time; `notices` are what only that person was shown."""

    id: str
    kind: InteractionKind
    user: User
    install: Install
    channel: Channel | None
    created: float
    message: Message | None = None
    view: str = ""
    trigger: str = ""
    trigger_used: bool = False
    url: str = ""
    url_uses: int = 0
    acked: bool = False
    failed: str = ""
    answer: Json | str | None = None
    errors: dict[str, str] = field(default_factory=dict)
    notices: list[Message] = field(default_factory=list)
    settled: bool = False
    """The test has been told how it was answered."""


class Interactions:
    def __init__(self, world: World) -> None:
        self._world = world
        self._all: dict[str, Interaction] = {}
        self._by_trigger: dict[str, Interaction] = {}
        self._by_url: dict[str, Interaction] = {}
        self.base_url = ""

    def begin(
        self,
        kind: InteractionKind,
        user: User,
        install: Install,
        channel: Channel | None,
        *,
        message: Message | None = None,
        view: str = "",
    ) -> Interaction:
        """It has a trigger_id, and a response_url where there is a channel."""
        number = len(self._all) + 1
        made = Interaction(
            f"I{number}", kind, user, install, channel, self._world.clock.now(), message=message, view=view
        )
        made.trigger = f"{number}.{secrets.randbelow(10**12)}.{secrets.token_hex(16)}"
        self._all[made.id] = made
        self._by_trigger[made.trigger] = made
        if channel is not None and kind in ("press", "command"):
            path = (
                f"/{'commands' if kind == 'command' else 'actions'}/{install.teams[0]}/{number}/{secrets.token_hex(12)}"
            )
            made.url = f"{self.base_url}{path}"
            self._by_url[path] = made
        return made

    def known(self, number: str) -> Interaction:
        if number not in self._all:
            raise Impossible(f"there was no interaction {number!r}")
        return self._all[number]

    def take_trigger(self, trigger: str, install: Install) -> Interaction:
        """Once, within three seconds. Raises ApiError."""
        found = self._by_trigger.get(trigger)
        if found is None or found.install is not install:
            raise wrong("invalid_trigger_id", "no such trigger_id was ever given out")
        if found.trigger_used:
            raise wrong("exchanged_trigger_id", "a trigger_id serves once")
        if self._world.clock.now() - found.created > TRIGGER_LIFE:
            raise ApiError("expired_trigger_id")
        found.trigger_used = True
        return found

    def by_url(self, path: str) -> Interaction | None:
        return self._by_url.get(path)

    def noticed(self, channel: Channel, message: Message) -> None:
        """An ephemeral message counts as an answer to the last interaction of that person there that has none yet."""
        for interaction in reversed(self._all.values()):
            same = interaction.channel is channel and interaction.user.id == message.ephemeral_to
            if same and not interaction.notices and not interaction.settled:
                interaction.notices.append(message)
                return
