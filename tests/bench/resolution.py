"""How long it takes to find out what a persona may do, in a house of 10,000 personas and 1,000 capabilities."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bot.domain.capability import EVERYONE, Capability, Effect, Grant, decide
from bot.domain.persona import Persona
from bot.store import grants, personas
from bot.store.database import SqliteStore, Tx
from bot.store.schema import migrate
from bot.toolbox import Toolbox
from bot.tools.spec import ToolContext, ToolInput, ToolSpec

PERSONAS = 10_000
CAPABILITIES = 1_000
TOOLS_OF_A_SERVER = 20
OWN_ROWS = 10
"""Of each persona, beside everyone's: a row for one in ten capabilities, and for every other server."""
ASKED = 200
TRIES = 5
NOW = 1_800_000_000.0

EFFECTS: Sequence[Effect] = ("allow", "ask", "deny", "auto")


@dataclass(frozen=True, slots=True)
class Resolved:
    """Medians: microseconds for one decision with its rows at hand, milliseconds for all tools of a persona, read afresh."""

    decide_us: float
    tools_ms: float


async def resolved(directory: Path) -> Resolved:
    path = directory / "resolution.db"
    migrate(f"sqlite:///{path}")
    store = SqliteStore(path)
    try:
        await store.tx(_fill)
        return Resolved(await store.tx(_deciding), await store.tx(_listing))
    finally:
        await store.close()


def _id(number: int) -> str:
    return f"persona{number:05}"


def _mcp(number: int) -> Capability:
    server = number // TOOLS_OF_A_SERVER
    return Capability(f"mcp/server{server}/tool{number}", reads=number % 2 == 0)


async def _nothing(_context: ToolContext, _given: ToolInput) -> str:
    return ""


def _spec(number: int) -> ToolSpec[ToolInput]:
    return ToolSpec(f"tool{number}", "worker", "Does it.", ToolInput, _nothing, mutates_data=number % 2 == 1)


def _row(who: str, what: str, number: int) -> Grant:
    return Grant(who, what, EFFECTS[number % 4], NOW + 3600, "", "config", NOW)


def _fill(tx: Tx) -> None:
    chance = random.Random(1)
    rows = [_row(EVERYONE, f"builtin/tool{each}", each) for each in range(0, CAPABILITIES, 10)]
    rows += [_row(EVERYONE, f"mcp/server{each}/*", 1) for each in range(0, CAPABILITIES // TOOLS_OF_A_SERVER, 2)]
    for number in range(PERSONAS):
        personas.put_missing(tx, Persona(_id(number), f"Persona {number}", "main", "", "direct", "read"))
        first, *others = chance.sample(range(CAPABILITIES), OWN_ROWS)
        rows.append(_row(_id(number), f"mcp/server{first // TOOLS_OF_A_SERVER}/*", 0))
        rows += [_row(_id(number), f"builtin/tool{each}", each) for each in others]
    grants.put_all(tx, rows)


def _deciding(tx: Tx) -> float:
    capabilities = [_mcp(number) for number in range(CAPABILITIES)]

    def decide_all(persona_id: str) -> Callable[[], object]:
        rows = grants.of(tx, persona_id)
        return lambda: [decide(persona_id, "read", each, rows, NOW) for each in capabilities]

    return _median_s(decide_all) / CAPABILITIES * 1e6


def _listing(tx: Tx) -> float:
    toolbox = Toolbox([_spec(number) for number in range(CAPABILITIES)])

    def usable(persona_id: str) -> Callable[[], object]:
        persona = personas.find(tx, persona_id)
        assert persona is not None
        return lambda: toolbox.usable(tx, persona, NOW)

    return _median_s(usable) * 1e3


def _median_s(work: Callable[[str], Callable[[], object]]) -> float:
    """Of different personas; of each the best of a few, since others use the machine as well."""
    chosen = random.Random(2).sample(range(PERSONAS), ASKED)
    return median(
        min(_taken_s(measured) for _ in range(TRIES)) for measured in (work(_id(number)) for number in chosen)
    )


def _taken_s(measured: Callable[[], object]) -> float:
    begun = time.perf_counter()
    measured()
    return time.perf_counter() - begun
