"""Modals and home tabs: what is open, for whom, and what has been filled in."""

import secrets
from dataclasses import dataclass, field

from tests.fakes.slack.errors import Json, refused
from tests.fakes.slack.message_rules import stored_blocks
from tests.fakes.slack.world import Install, User, World

MOST_PUSHED = 3


@dataclass(slots=True)
class View:
    id: str
    user: User
    install: Install
    body: Json
    hash: str
    root: str
    previous: str | None = None
    open: bool = True
    errors: dict[str, str] = field(default_factory=dict)
    values: Json = field(default_factory=dict)
    """As in state.values: by block_id, then action_id."""
    channel: str = ""
    """Where the person was when it opened."""
    changes: int = 0

    @property
    def external_id(self) -> str:
        return str(self.body.get("external_id", ""))


class Views:
    def __init__(self, world: World) -> None:
        self._world = world
        self.all: dict[str, View] = {}
        self.homes: dict[tuple[str, str], View] = {}
        """By person and installation's bot."""

    def open(self, user: User, install: Install, body: Json, channel: str, below: View | None = None) -> View:
        """Raises ApiError when the external_id is taken or too many are stacked."""
        self._refuse_twin(body, install, None)
        if below is not None and self._depth(below) >= MOST_PUSHED:
            raise refused("push_limit_reached")
        number = self._world.new_id("V")
        view = View(number, user, install, _kept(body), _hash(self._world), below.root if below else number)
        view.previous = below.id if below else None
        view.channel = channel
        self.all[number] = view
        self._world.changed()
        return view

    def publish(self, user: User, install: Install, body: Json, wanted_hash: str) -> View:
        self._refuse_twin(body, install, self.homes.get((user.id, install.bot.id)))
        key = (user.id, install.bot.id)
        home = self.homes.get(key)
        if home is None:
            number = self._world.new_id("V")
            home = self.homes[key] = View(number, user, install, _kept(body), _hash(self._world), number)
            self._world.changed()
            return home
        return self.change(home, body, wanted_hash)

    def change(self, view: View, body: Json, wanted_hash: str) -> View:
        """Raises ApiError when the view has changed since the caller looked."""
        if wanted_hash and wanted_hash != view.hash:
            raise refused("hash_conflict")
        view.body, view.hash, view.errors = _kept(body), _hash(self._world), {}
        view.changes += 1
        self._world.changed()
        return view

    def find(self, install: Install, view_id: str, external_id: str) -> View:
        """An open one. Raises ApiError."""
        for view in self.all.values():
            wanted = view.id == view_id or (external_id and view.external_id == external_id)
            if wanted and view.open and view.install is install:
                return view
        raise refused("not_found")

    def close(self, view: View, *, everything: bool = False) -> None:
        """With `everything` the whole stack goes; else what lies below is seen again."""
        for other in self.all.values():
            if other is view or (everything and other.root == view.root):
                other.open = False
        self._world.changed()

    def _depth(self, view: View) -> int:
        return sum(other.open and other.root == view.root for other in self.all.values())

    def _refuse_twin(self, body: Json, install: Install, mine: View | None) -> None:
        wanted = body.get("external_id")
        for view in self.all.values():
            if wanted and view is not mine and view.open and view.install is install and view.external_id == wanted:
                raise refused("duplicate_external_id")

    def json(self, view: View) -> Json:
        shown: Json = {
            "id": view.id,
            "team_id": view.user.team,
            "app_id": self._world.app.id,
            "app_installed_team_id": view.install.teams[0],
            "bot_id": view.install.bot.bot_id,
            "root_view_id": view.root,
            "previous_view_id": view.previous,
            "hash": view.hash,
            "state": {"values": view.values},
            "callback_id": "",
            "external_id": "",
            "private_metadata": "",
            **view.body,
        }
        if view.body["type"] == "modal":
            for name, otherwise in (("clear_on_close", False), ("notify_on_close", False), ("close", None)):
                shown.setdefault(name, otherwise)
            shown.setdefault("submit", None)
        return shown


def _kept(body: Json) -> Json:
    return {**body, "blocks": stored_blocks(body["blocks"])}


def _hash(world: World) -> str:
    return f"{int(world.clock.now())}.{secrets.token_hex(4)}"
