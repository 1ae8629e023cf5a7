"""Tools whose effect is counted by a server of the test, so that how often each really acted is known outside."""

import aiohttp
from pydantic import Field

from bot.store.database import Tx
from bot.tools.spec import ToolContext, ToolInput, ToolSpec

SPECIALIST = "tower_worker"


class Named(ToolInput):
    key: str = Field(description="For whom.")


def _confirm(_tx: Tx, _context: ToolContext, given: Named) -> str:
    return f"For {given.key}"


def counted(counter: str) -> tuple[ToolSpec[Named], ...]:
    """A write, a read, and a write that may be repeated, acting at the server whose address is `counter`."""

    async def act(name: str, key: str) -> str:
        async with aiohttp.ClientSession() as session, session.post(f"{counter}/{name}/{key}") as answer:
            return await answer.text()

    async def ring(_context: ToolContext, given: Named) -> str:
        return await act("ring", given.key)

    async def peek(_context: ToolContext, given: Named) -> str:
        return await act("peek", given.key)

    async def tune(_context: ToolContext, given: Named) -> str:
        return await act("tune", given.key)

    return (
        ToolSpec("ring", SPECIALIST, "Rings the bell.", Named, ring, _confirm, mutates_data=True),
        ToolSpec("peek", SPECIALIST, "Looks at the clock.", Named, peek),
        ToolSpec("tune", SPECIALIST, "Tunes the bell.", Named, tune, _confirm, mutates_data=True, idempotent=True),
    )
