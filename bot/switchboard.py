"""Switches channels on and off: what admins decided, and what is configured."""

import asyncio
from collections.abc import Mapping

from bot.clock import Clock
from bot.health import Health
from bot.log import logger
from bot.reach import Reach
from bot.store import channels, outbox
from bot.store.database import Signal, Store, Tx
from bot.supervisor import Crash, Supervisor, attempt
from channels.adapter import Adapter, Inlet
from channels.errors import ChannelError, ChannelGone, Misconfigured

log = logger("askfirst.switchboard")

LAST_WORDS_S = 10.0
"""How long a channel that is switched off may still send: its cards are closed where the platform lets us."""

FATAL = (Misconfigured, ChannelGone)
"""Starting again cannot help; an admin must act."""


class Switchboard:
    def __init__(self, store: Store, adapters: Mapping[str, Adapter], health: Health, clock: Clock) -> None:
        self._store = store
        self._adapters = adapters
        self._reach = {name: Reach.of(adapter) for name, adapter in adapters.items()}
        self._health = health
        self._clock = clock
        self._supervisor = Supervisor(FATAL, (ChannelError,))
        self._on: set[str] = set()
        self._turns: dict[str, asyncio.Lock] = {}
        self._inlet: Inlet | None = None
        self._changes: set[asyncio.Task[Crash | None]] = set()

    def connected(self, name: str) -> Reach | None:
        """A channel while it is switched on."""
        return self._reach[name] if name in self._on else None

    async def start(self, inlet: Inlet) -> None:
        self._inlet = inlet
        off = await self._store.tx(channels.disconnected)
        for name in self._adapters:
            if name in off:
                self._health.note(f"channel:{name}", "disconnected", ok=True)
            else:
                self._switch_on(name, inlet)

    async def stop(self) -> None:
        """Return when no channel listens any more; what is on its way out still goes."""
        self._inlet = None
        for change in self._changes:
            change.cancel()
        await self._supervisor.stop_all()

    def heed(self, signal: Signal) -> None:
        """An admin switched a channel."""
        if signal.topic != "channel" or self._inlet is None:
            return
        follow = attempt("switch", self._follow(signal.subject, self._inlet))
        change = asyncio.create_task(follow, name=f"switch {signal.subject}")
        self._changes.add(change)
        change.add_done_callback(self._changes.discard)

    async def _follow(self, name: str, inlet: Inlet) -> None:
        """Bring the channel to where the store says it is, one change after the other."""
        async with self._turns.setdefault(name, asyncio.Lock()):
            if await self._store.tx(channels.is_off, name):
                await self._switch_off(name)
            elif name not in self._on or not self._supervisor.running(name):
                self._switch_on(name, inlet)
                await self._store.tx(_deliver_all)

    async def _switch_off(self, name: str) -> None:
        if name not in self._on:
            return
        await self._last_words(name)
        if not await self._store.tx(channels.is_off, name):
            return  # switched on again meanwhile
        await self._supervisor.stop(name)
        self._on.discard(name)
        await self._store.tx(outbox.drop_channel, name)
        self._health.note(f"channel:{name}", "disconnected", ok=True)

    async def _last_words(self, name: str) -> None:
        end = self._clock() + LAST_WORDS_S
        left = await self._store.tx(outbox.unsettled, name)
        while left and self._clock() < end:
            await asyncio.sleep(0.05)  # the courier tells nobody: looking again is cheap and rare
            left = await self._store.tx(outbox.unsettled, name)

    def _switch_on(self, name: str, inlet: Inlet) -> None:
        self._on.add(name)
        self._health.note(f"channel:{name}", "connecting", ok=False)
        adapter = self._adapters[name]

        async def listen() -> None:
            await adapter.run(inlet)

        def failed(error: Exception) -> None:
            detail = str(error) if isinstance(error, ChannelError) else type(error).__name__
            self._health.note(f"channel:{name}", "error", detail, ok=False)

        self._supervisor.start(name, listen, failed)


def _deliver_all(tx: Tx) -> None:
    for conversation in outbox.busy(tx):
        tx.tell("deliver", conversation)
