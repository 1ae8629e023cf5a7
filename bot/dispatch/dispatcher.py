"""The protocol. The tables are the truth; a dispatcher only sees to it that somebody looks."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from bot.store.database import Signal

Take = Callable[[str], Awaitable[bool]]
"""Work on the next run of a conversation; False if there is none."""


class Dispatcher(Protocol):
    async def start(self, take: Take) -> None:
        """From now on every conversation that has work is worked on, those that were left over first."""
        ...

    def heed(self, signal: Signal) -> None:
        """A transaction was committed that told this; `wake` names a conversation that has work."""
        ...

    async def sweep(self) -> None:
        """Find work that nobody was told of. Called now and then."""
        ...

    async def stop(self) -> None:
        """Return when no run is worked on any more."""
        ...
