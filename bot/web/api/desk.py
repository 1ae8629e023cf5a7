"""What the endpoints need to do their work."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.admin import Admin
from bot.approver import Approver
from bot.closer import Closer
from bot.connector import Connector
from bot.health import Health
from bot.librarian import Librarian
from bot.store.database import Store
from bot.toolbox import Toolbox
from bot.web.api.streams import Streams
from bot.why import Explainer


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
    streams: Streams
    librarian: Librarian
    connector: Connector
