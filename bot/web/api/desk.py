"""What the endpoints need to do their work."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.admin import Admin
from bot.approver import Approver
from bot.closer import Closer
from bot.health import Health
from bot.store.database import Store
from bot.toolbox import Toolbox
from bot.why import Explainer

MOST_STREAMS = 64
"""Open at once: each looks at the store a few times a second."""


@dataclass(frozen=True, slots=True)
class Desk:
    """`channels`: the type of each configured one, by name. `clean` strikes secrets out of a text."""

    store: Store
    toolbox: Toolbox
    approver: Approver
    closer: Closer
    admin: Admin
    explainer: Explainer
    health: Health
    channels: Mapping[str, str]
    clean: Callable[[str], str]
    streams: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_STREAMS))
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the service stops: streams end."""
