"""Our own getUpdates loop: the offset moves only past what is stored. (The library's confirms first and handles later.)"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from channels.adapter import ChannelState
from channels.errors import ChannelError, Misconfigured, NotSent, NotStored, OutcomeUnknown, RateLimited, Refused
from channels.fields import Json
from channels.telegram.client import Client
from channels.telegram.intake import Intake, identified
from channels.telegram.parse import chat_id
from channels.telegram.refusals import Conflict, Unauthorized

Report = Callable[[ChannelState, str], None]


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds. `wait`: how long a poll stays open; `probe`: the same after trouble, so that its end is seen soon.
    `first`, `longest`: the growing pause after a failure. `watch`: how often a webhook is looked after.

    A poller that had been at it for `established` when another one turned up is not the one that leaves.
    """

    wait: int = 25
    probe: int = 5
    watch: float = 60.0
    first: float = 0.05
    longest: float = 30.0
    conflict: float = 1.0
    established: float = 15.0
    streak: float = 60.0


CONFLICTS = 3
"""So many, and the later one of two pollers leaves: one alone is seen whenever a poll of before is still open."""


class _Rivalry:
    """Conflicts with another poller: how many in a row, and how old we were at the first of them."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._started = asyncio.get_running_loop().time()
        self._first = self._last = float("-inf")
        self._count = 0

    def struck(self) -> None:
        """One more; after a long peace it is the first again."""
        now = asyncio.get_running_loop().time()
        if now - self._last > self._pace.streak:
            self._first, self._count = now, 0
        self._last = now
        self._count += 1

    @property
    def ours_to_leave(self) -> bool:
        """Whoever had hardly begun when the rivals met is the later one."""
        return self._count >= CONFLICTS and self._first - self._started < self._pace.established


class Poller:
    def __init__(self, client: Client, intake: Intake, report: Report, connected: str, pace: Pace) -> None:
        self._client = client
        self._intake = intake
        self._report = report
        self._connected = connected
        self._pace = pace
        self._offset: int | None = None

    async def run(self) -> None:
        """Poll until cancelled. Raises Misconfigured where trying again cannot help."""
        self._report("connected", self._connected)
        rivalry = _Rivalry(self._pace)
        failures = webhooks = 0
        troubled = False
        while True:
            try:
                batch = await self._client.updates(self._offset, self._pace.probe if troubled else self._pace.wait)
            except Conflict as conflict:
                troubled = True
                if conflict.webhook:
                    webhooks += 1
                    await self._take_back(conflict, webhooks)
                else:
                    rivalry.struck()
                    self._give_way(conflict, rivalry)
                await asyncio.sleep(self._pace.conflict)
                continue
            except Unauthorized as error:
                raise Misconfigured(
                    "Telegram does not take the bot's token any more: it was revoked or the bot deleted. Nothing is"
                    " received. Get a new token from @BotFather and put it into the environment."
                ) from error
            except (NotSent, OutcomeUnknown, RateLimited, Refused) as error:
                failures, troubled = failures + 1, True
                await self._pause(error, failures)
                continue
            if troubled:
                self._report("connected", self._connected)
            failures, webhooks, troubled = 0, 0, False
            await self._take(batch)

    async def _take_back(self, conflict: Conflict, times: int) -> None:
        """Remove a webhook that someone set. Raises Misconfigured when that goes on."""
        if times >= CONFLICTS:
            raise Misconfigured(
                "Another program keeps setting a webhook for this bot, so nothing can be polled. Stop that program,"
                " or give one of the two a bot of its own (@BotFather)."
            ) from conflict
        await self._client.delete_webhook()

    def _give_way(self, conflict: Conflict, rivalry: _Rivalry) -> None:
        """Raises Misconfigured when it is us who should leave."""
        if rivalry.ours_to_leave:
            raise Misconfigured(
                "Another program polls with this bot's token and was there before, so this one has stopped. Stop the"
                " other one and connect again, or give one of the two a bot of its own (@BotFather)."
            ) from conflict
        self._report("error", "Another program polls with this bot's token. Stop it: each takes updates of the other.")

    async def _pause(self, error: ChannelError, failures: int) -> None:
        pause = min(self._pace.longest, self._pace.first * 2**failures)
        if isinstance(error, RateLimited):
            pause = error.retry_after
        self._report("error", f"{error} Trying again in {pause:g} s.")
        await asyncio.sleep(pause)

    async def _take(self, batch: Sequence[Json]) -> None:
        """Store a batch: in order within a chat, the chats beside each other; then move on."""
        lanes: dict[int | None, list[Json]] = {}
        for update in batch:
            lanes.setdefault(chat_id(update), []).append(update)
        async with asyncio.TaskGroup() as group:
            for lane in lanes.values():
                group.create_task(self._lane(lane))
        ids = [int(number) for update in batch if (number := identified(update)) is not None]
        if ids:
            self._offset = max(ids) + 1
        elif batch:
            await asyncio.sleep(self._pace.conflict)  # nothing that could be confirmed: do not spin

    async def _lane(self, updates: Sequence[Json]) -> None:
        for update in updates:
            failures = 0
            while True:
                try:
                    await self._intake.take(update)
                    break
                except NotStored as error:
                    failures += 1
                    await self._wait_for_store(error, failures)

    async def _wait_for_store(self, error: NotStored, failures: int) -> None:
        pause = min(self._pace.longest, self._pace.first * 2 ** (failures - 1))
        if pause >= 1:
            self._report("error", f"Telegram's updates wait there: {error}. Trying again in {pause:g} s.")
        await asyncio.sleep(pause)
