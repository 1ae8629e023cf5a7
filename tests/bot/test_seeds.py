"""What the configuration sows: what is missing, and never what an admin has taken away."""

from pathlib import Path

import pytest

from bot import seeds
from bot.domain.capability import decide
from bot.store import channels, grants, personas
from bot.store.database import Store
from tests.bot.config_files import GOOD, loaded
from tests.bot.parts import NOW, Parts

PARTS = Parts()
DEFAULT_DENIES = GOOD.replace("model: main}", "model: main, default_builtin: none}")
GRANTED = "grants: [{persona: guide, capability: builtin/add_note}]\n"
GRANTED_TO_ALL = "grants: [{persona: '*', capability: builtin/add_note}]\n"


@pytest.mark.parametrize("config", [GOOD, DEFAULT_DENIES], ids=["the default allows", "the default denies"])
@pytest.mark.parametrize(
    ("who", "rows"), [("guide", ""), ("guide", GRANTED), ("guide", GRANTED_TO_ALL), ("*", ""), ("*", GRANTED_TO_ALL)]
)
async def test_what_was_revoked_stays_revoked_over_a_restart(
    store: Store, tmp_path: Path, who: str, config: str, rows: str
) -> None:
    configured = loaded(tmp_path, config + rows)
    await store.tx(seeds.sow, configured, PARTS.closer, NOW)
    await store.tx(PARTS.granter.revoke, who, "builtin/add_note", "tg:1", NOW)
    await store.tx(seeds.sow, configured, PARTS.closer, NOW + 1)
    assert not await may(store)
    await store.tx(seeds.reset, configured, PARTS.closer, NOW + 2)
    assert await may(store) is (config == GOOD or rows != ""), "the configuration is said to win"


async def test_channels_that_are_all_off_come_back_with_the_service(store: Store, tmp_path: Path) -> None:
    """Nobody could bring one back: no admin can be heard."""
    configured = loaded(tmp_path, GOOD)
    await store.tx(seeds.sow, configured, PARTS.closer, NOW)
    for name in configured.channels:
        await store.tx(PARTS.admin.disconnect, name, "tg:1", NOW)
    first, *others = configured.channels
    await store.tx(PARTS.admin.connect, first, "tg:1", NOW)
    await store.tx(seeds.sow, configured, PARTS.closer, NOW)
    assert await store.tx(channels.disconnected) == set(others)
    await store.tx(PARTS.admin.disconnect, first, "tg:1", NOW)
    await store.tx(seeds.sow, configured, PARTS.closer, NOW)
    assert await store.tx(channels.disconnected) == set()


async def may(store: Store) -> bool:
    guide = await store.tx(personas.find, "guide")
    tool = PARTS.toolbox.by_capability("builtin/add_note")
    assert guide is not None
    assert tool is not None
    rows = await store.tx(grants.of, guide.id)
    return decide(guide.id, guide.default_builtin, tool.capability, rows, NOW).granted
