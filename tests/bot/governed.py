"""A little house to govern: tools of two sorts, servers whose names begin alike, skills, and a database in memory."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

from bot.commands import granting
from bot.commands.desk import Typed
from bot.domain.capability import EVERYONE, Capability, Effect, Grant
from bot.foreign import McpTool
from bot.health import Health
from bot.inventory import KnownSkill
from bot.store import buttons, grants, personas
from bot.store.database import Tx, sqlite_engine
from bot.toolbox import Toolbox
from bot.tools.notes import add_note, delete_note, list_notes
from channels.events import ButtonPress, Command
from channels.telegram.limits import LIMITS
from tests.bot.parts import ANN, CHAT, Parts

P = ParamSpec("P")
T = TypeVar("T")

SERVERS = ("git", "git-hub", "GIT")
TOOLS = ("look", "change")


def tool(server: str, name: str, *, reads: bool = False, destructive: bool = False) -> McpTool:
    return McpTool(server, name, f"{name} at {server}", Capability(f"mcp/{server}/{name}", reads, destructive))


@dataclass(frozen=True, slots=True)
class Connected:
    """A catalogue of servers that are all connected."""

    offered: Sequence[McpTool] = ()

    def tools(self) -> Sequence[McpTool]:
        return self.offered

    def connected(self, server: str) -> bool:
        return True

    def trouble(self, server: str) -> str:
        return ""


@dataclass(slots=True)
class Library:
    """Skills as they are known just now."""

    known: list[KnownSkill] = field(default_factory=list)

    def __call__(self, _tx: Tx) -> Sequence[KnownSkill]:
        return tuple(self.known)


HOUSE_SKILL = KnownSkill("house", True, "comes with the house")
POEMS = KnownSkill("poems", False, "somebody uploaded it")

PARTS = Parts(
    toolbox=Toolbox((list_notes, add_note, delete_note)),
    catalogue=Connected([tool(server, name, reads=name == "look") for server in SERVERS for name in TOOLS]),
    skills=Library([HOUSE_SKILL, POEMS]),
)

DESK = PARTS.desk(Health(lambda: 0.0))


class Memory:
    """A migrated SQLite database in memory, one transaction a call."""

    def __init__(self, template: Path) -> None:
        self._engine = sqlite_engine(":memory:")
        with self._engine.connect() as connection, closing(sqlite3.connect(template)) as source:
            target = connection.connection.driver_connection
            assert isinstance(target, sqlite3.Connection)
            connection.rollback()
            source.backup(target)

    def tx(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        with self._engine.begin() as connection:
            tx = Tx(connection)
            value = fn(tx, *args, **kwargs)
            tx.finish()
            return value

    def close(self) -> None:
        self._engine.dispose()


class Held(NamedTuple):
    """What somebody may do with something, and until when the row that says so holds."""

    effect: Effect
    until: float | None

    @property
    def granted(self) -> bool:
        return self.effect != "deny"


Snapshot = Mapping[tuple[str, str], Held]
"""By persona and capability."""


class Seen(NamedTuple):
    """How it looks at one moment."""

    rows: list[Grant]
    people: list[str]
    lists: Mapping[str, list[str]]
    """Of each server."""
    held: Snapshot

    def own(self, persona_id: str) -> list[Grant]:
        return [row for row in self.rows if row.persona_id == persona_id]

    def is_everyones(self, server: str | None) -> bool:
        return server is not None and EVERYONE in self.lists.get(server, ())


def look(tx: Tx, now: float) -> Seen:
    held = {}
    for persona in personas.everyone(tx):
        for line in PARTS.granter.effective(tx, persona, now):
            row = line.decision.row
            held[persona.id, line.item.id] = Held(line.decision.effect, row.until if row else None)
    lists = {name: PARTS.admin.assignments.allowed(tx, name, now) for name in PARTS.inventory.servers(tx)}
    return Seen(grants.everything(tx), personas.ids(tx), lists, held)


def typed(tx: Tx, text: str, now: float) -> None:
    """An admin types a command of the chat, and presses Confirm where that is asked. Raises Impossible."""
    name, _space, arguments = text.partition(" ")
    command = Typed(Command("u1", now, CHAT, ANN, True, name, arguments), "ann", now, LIMITS)
    answer = {"grant": granting.grant, "revoke": granting.revoke}[name](DESK, tx, command)
    for button in answer.rows[0] if answer.rows else ():
        meaning = buttons.find(tx, button.token)
        if meaning is not None and meaning.action == "confirm_grant":
            granting.answer_preview(DESK, tx, meaning, ButtonPress("u2", now, CHAT, ANN, True, button.token), now)
