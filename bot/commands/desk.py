"""What a command needs to do its work, and what makes a line of the table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bot.admin import Admin
from bot.approver import Approver
from bot.closer import Closer
from bot.domain.access import House
from bot.health import Health
from bot.mcp_client.spoken import Status
from bot.store.database import Tx
from bot.store.mcp_servers import Server
from bot.surveyor import Surveyor
from bot.why import Explainer
from channels.adapter import Limits
from channels.events import Command
from channels.outgoing import Outgoing

Right = Literal["talk", "admin"]

LISTED = 30
"""Lines of a list in a chat; more is for the console."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The parts that commands use. `switchable`: channels on which anybody may switch the persona of a conversation.
    `status`: how it is with an MCP server."""

    house: House
    approver: Approver
    closer: Closer
    admin: Admin
    explainer: Explainer
    health: Health
    switchable: frozenset[str]
    status: Callable[[Server], Status]
    surveyor: Surveyor


@dataclass(frozen=True, slots=True)
class Typed:
    """A command as it was typed, and where: `persona_id` is the one that talks there, `limits` those of the channel."""

    event: Command
    persona_id: str
    now: float
    limits: Limits


Handler = Callable[[Desk, Tx, Typed], Outgoing]


@dataclass(frozen=True, slots=True)
class Entry:
    """`arguments` as the help shows them. `handler` runs within the transaction that accepts the command; it raises
    Impossible, and then nothing changed."""

    name: str
    arguments: str
    right: Right
    help: str
    handler: Handler
