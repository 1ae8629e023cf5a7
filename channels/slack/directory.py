"""Looks people up: users.info, asked once for many, and remembered for a while."""

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from channels.errors import ChannelError
from channels.events import Standing
from channels.slack.client import Client
from channels.slack.people import Known, Me, People
from channels.slack.refusals import NoSuchUser

KNOWN_S = 600.0
"""How long a name and a standing are taken to be as they were."""
MOST = 20_000
"""People remembered; whoever was looked up longest ago is forgotten first."""

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Entry:
    known: Known | None
    at: float


class Directory:
    def __init__(self, client: Client, me: Me) -> None:
        self._client = client
        self._me = me
        self._entries: dict[str, _Entry] = {}
        self._asked: dict[str, asyncio.Task[None]] = {}

    async def look_up(self, users: Iterable[str], within: float) -> People:
        """As many of them as can be had in `within` seconds; those that take longer are there the next time."""
        wanted = set(users)
        asked = [self._ask(user) for user in wanted if not self._fresh(user)]
        if asked:
            await asyncio.wait(asked, timeout=within)
        # What was known before is better than nothing, where it could not be asked again.
        return {user: self._entries[user].known for user in wanted if user in self._entries}

    async def close(self) -> None:
        tasks = list(self._asked.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _fresh(self, user: str) -> bool:
        entry = self._entries.get(user)
        return entry is not None and time.monotonic() - entry.at < KNOWN_S

    def _ask(self, user: str) -> asyncio.Task[None]:
        if user not in self._asked:
            task = asyncio.create_task(self._learn(user), name=f"users.info {user}")
            self._asked[user] = task
            task.add_done_callback(lambda _task: self._asked.pop(user, None))
        return self._asked[user]

    async def _learn(self, user: str) -> None:
        try:
            known: Known | None = _known(await self._client.user(user), self._me)
        except NoSuchUser:
            known = None
        except ChannelError as error:
            _log.warning("slack_user_not_looked_up", reason=str(error))
            return
        self._entries.pop(user, None)
        self._entries[user] = _Entry(known, time.monotonic())
        if len(self._entries) > MOST:
            del self._entries[next(iter(self._entries))]


def _known(user: Mapping[str, Any], me: Me) -> Known | None:
    """None for who cannot be talked with: gone, or no person."""
    if user.get("deleted") is True or user.get("is_bot") is True:
        return None
    return Known(_name(user), _standing(user, me))


def _name(user: Mapping[str, Any]) -> str:
    profile = user.get("profile")
    about = profile if isinstance(profile, Mapping) else {}
    names = (about.get("display_name"), about.get("real_name"), user.get("real_name"), user.get("name"))
    return next((name.strip() for name in names if isinstance(name, str) and name.strip()), "Someone")


def _standing(user: Mapping[str, Any], me: Me) -> Standing:
    """Whoever is not known to be a full member counts as the less trusted."""
    grid = user.get("enterprise_user")
    same_org = me.enterprise is not None and isinstance(grid, Mapping) and grid.get("enterprise_id") == me.enterprise
    ours = user.get("team_id") == me.team or (me.org_wide and same_org)
    if user.get("is_stranger") is True or not ours:
        return "external"
    restricted = user.get("is_restricted") is True or user.get("is_ultra_restricted") is True
    return "guest" if restricted else "member"
