"""What an operator can do: the same functions behind commands, HTTP API and console. Each checks nothing about who asks."""

from collections.abc import Sequence
from gettext import gettext as _

from bot.assignments import Assignments
from bot.closer import Closer
from bot.curator import Curator
from bot.errors import Impossible, Unknown
from bot.granter import Granter
from bot.registrar import Registrar
from bot.store import audit, channels, conversations, sessions, task_tokens
from bot.store.database import Tx
from bot.store.sessions import Session


class Admin:
    def __init__(
        self,
        granter: Granter,
        assignments: Assignments,
        registrar: Registrar,
        curator: Curator,
        closer: Closer,
        configured: Sequence[str],
    ) -> None:
        """`configured`: names of the channels in the configuration."""
        self.granter = granter
        self.assignments = assignments
        self.registrar = registrar
        self.curator = curator
        self._closer = closer
        self._configured = tuple(configured)

    @property
    def channel_names(self) -> tuple[str, ...]:
        return self._configured

    def disconnect(self, tx: Tx, name: str, by: str, now: float) -> int:
        """Switch a channel off: its runs, cards, queue and sessions end in this commit; how many sessions ended."""
        self._known_channel(name)
        if not channels.disconnect(tx, name, by, now):
            raise Impossible(_("{name} is disconnected already.").format(name=name), "disconnected_already", "name")
        audit.record(tx, now, by, "disconnected", name, {})
        ended = self._closer.clear(tx, conversations.of_channel(tx, name), by, _("the channel was disconnected"), now)
        task_tokens.revoke_on(tx, name, now)
        tx.tell("channel", name)
        return ended

    def connect(self, tx: Tx, name: str, by: str, now: float) -> None:
        """Switch a channel on; one that had ended by itself is started again."""
        self._known_channel(name)
        tx.tell("channel", name)
        if channels.connect(tx, name):
            audit.record(tx, now, by, "connected", name, {})

    def others_on(self, tx: Tx, name: str) -> bool:
        """Is any other channel on, from which this one could be brought back?"""
        return bool(set(self._configured) - channels.disconnected(tx) - {name})

    def sessions(self, tx: Tx, channel: str | None, limit: int) -> list[Session]:
        return sessions.everything(tx, channel, limit)

    def _known_channel(self, name: str) -> None:
        if name not in self._configured:
            known = ", ".join(self._configured)
            words = _("There is no channel {name}. Nothing changed. There are: {known}.")
            raise Unknown(words.format(name=name, known=known), "unknown_channel", "name")
