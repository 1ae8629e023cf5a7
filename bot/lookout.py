"""Sees by itself that we were removed from a chat, where the platform does not say so."""

import asyncio
from gettext import gettext as _

from bot.clock import Clock
from bot.closer import Closer
from bot.log import logger
from bot.reach import Connected
from bot.store import conversations, sessions
from bot.store.database import Store, Tx
from channels.errors import ChannelError
from channels.events import Conversation

log = logger("askfirst.lookout")


class Lookout:
    def __init__(
        self, store: Store, connected: Connected, channels: list[str], closer: Closer, every_s: float, clock: Clock
    ) -> None:
        self._store = store
        self._connected = connected
        self._channels = channels
        self._closer = closer
        self._every_s = every_s
        self._clock = clock

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(self._every_s)
            for channel in self._channels:
                await self.look(channel)

    async def look(self, channel: str) -> None:
        """End what belongs to chats that we are no longer in. A platform that cannot be asked now is asked later."""
        reach = self._connected(channel)
        if reach is None or reach.places is None:
            return
        began = self._clock()
        try:
            places = await reach.places.places()
        except ChannelError as error:
            log.warning("it could not be seen where we are", channel=channel, why=str(error))
            return
        await self._store.tx(self._leave, channel, places, began)

    def _leave(self, tx: Tx, channel: str, places: frozenset[str], began: float) -> None:
        """Whatever began after the platform was asked is left alone."""
        keys = sessions.conversations_of(tx, channel, began)
        for chat in {Conversation.parse(key).chat for key in keys} - places:
            where = Conversation(channel, chat)
            log.info("we are no longer in a chat", channel=channel, chat=chat)
            every = list({where.key, *conversations.of_chat(tx, where)})
            self._closer.gone(tx, every, _("removed from the chat"), None, self._clock())
