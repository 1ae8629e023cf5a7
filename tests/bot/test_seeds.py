"""What the configuration sows: what is missing, and never what an admin has taken away."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bot import seeds
from bot.domain.capability import Grant, decide
from bot.store import channels, grants, mcp_servers, personas
from bot.store.database import Store, Tx
from bot.store.mcp_servers import Server
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


SERVER = Server("github", "{}", True, None, "tg:1", NOW)
LISTED = "grants: [{persona: guide, capability: mcp/github/*}]\n"
TWO = GOOD.replace("  guide: {display", "  reader: {display_name: Reader, model: main}\n  guide: {display")


async def test_a_list_that_was_shortened_stays_so_over_a_restart(store: Store, tmp_path: Path) -> None:
    """A server is denied by having no row: that the configuration would write one must not bring it back."""
    configured = loaded(tmp_path, GOOD + LISTED)
    await store.tx(mcp_servers.add, SERVER)
    await store.tx(seeds.sow, configured, PARTS.closer, NOW)
    assert await allowed(store) == ["guide"]
    await store.tx(PARTS.granter.revoke, "guide", "mcp/github/*", "tg:1", NOW)
    await store.tx(seeds.sow, configured, PARTS.closer, NOW + 1)
    assert await allowed(store) == []
    await store.tx(seeds.reset, configured, PARTS.closer, NOW + 2)
    assert await allowed(store) == ["guide"], "the configuration is said to win"


async def test_a_line_that_was_changed_is_a_new_one(store: Store, tmp_path: Path) -> None:
    await store.tx(mcp_servers.add, SERVER)
    for number, (rows, expected) in enumerate(
        [
            (LISTED, ["guide"]),
            (LISTED, []),
            (LISTED.replace("*}", "*, effect: ask}"), ["guide"]),
            ("", []),
            (LISTED, ["guide"]),
        ]
    ):
        await store.tx(seeds.sow, loaded(tmp_path, GOOD + rows), PARTS.closer, NOW + number)
        assert await allowed(store) == expected
        await store.tx(PARTS.granter.revoke, "guide", "mcp/github/*", "tg:1", NOW + number)


@pytest.mark.parametrize("how", [seeds.sow, seeds.reset])
async def test_a_server_that_is_denied_there_is_one_without_a_row(
    store: Store, tmp_path: Path, how: Callable[..., object]
) -> None:
    rows = (
        "grants: [{persona: guide, capability: mcp/github/*, effect: deny}, "
        "{persona: '*', capability: mcp/github/*, effect: ask}]\n"
    )
    await store.tx(mcp_servers.add, SERVER)
    await store.tx(how, loaded(tmp_path, TWO + rows), PARTS.closer, NOW)
    [row] = await store.tx(grants.everything)
    assert (row.persona_id, row.effect) == ("reader", "ask")


async def test_a_denial_of_a_server_that_an_earlier_version_kept_is_said_without_a_row(
    store: Store, tmp_path: Path
) -> None:
    def earlier(tx: Tx) -> None:
        mcp_servers.add(tx, SERVER)
        grants.put(tx, Grant("guide", "mcp/github/*", "deny", None, "", "tg:1", NOW))
        grants.put(tx, Grant("*", "mcp/github/*", "allow", None, "", "tg:1", NOW))

    await store.tx(earlier)
    await store.tx(seeds.sow, loaded(tmp_path, TWO), PARTS.closer, NOW)
    assert await allowed(store) == ["reader"]


async def test_a_persona_that_was_deleted_does_not_come_back_by_itself(store: Store, tmp_path: Path) -> None:
    """M133: nor do its rows, which a namesake would find."""
    configured = loaded(tmp_path, GOOD + GRANTED)
    await store.tx(seeds.sow, configured, PARTS.closer, NOW)
    await store.tx(PARTS.admin.registrar.delete_persona, "guide", "tg:1", NOW)
    await store.tx(seeds.sow, configured, PARTS.closer, NOW + 1)
    await store.tx(
        seeds.sow, loaded(tmp_path, GOOD + GRANTED.replace("note}", "note, effect: ask}")), PARTS.closer, NOW
    )
    assert await store.tx(personas.ids) == []
    assert await store.tx(grants.everything) == []
    await store.tx(seeds.reset, configured, PARTS.closer, NOW + 2)
    assert await store.tx(personas.ids) == ["guide"]
    assert len(await store.tx(grants.everything)) == 1


async def test_what_is_preloaded_is_as_configured_until_an_admin_changes_it(store: Store, tmp_path: Path) -> None:
    configured = loaded(tmp_path, GOOD.replace("Guide, model: main", "Guide, model: main, preload_skills: [house]"))
    await store.tx(seeds.sow, configured, PARTS.closer, NOW)
    guide = await store.tx(personas.find, "guide")
    assert guide is not None
    assert guide.preload_skills == ("house",)
    await store.tx(personas.put, replace(guide, preload_skills=("poems",)))
    await store.tx(seeds.sow, configured, PARTS.closer, NOW)
    assert await store.tx(personas.find, "guide") == replace(guide, preload_skills=("poems",))
    assert await store.tx(seeds.reset, configured, PARTS.closer, NOW) == ["persona guide is as configured"]
    assert await store.tx(personas.find, "guide") == guide


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


async def allowed(store: Store) -> list[str]:
    return await store.tx(PARTS.admin.assignments.allowed, "github", NOW)


async def may(store: Store) -> bool:
    guide = await store.tx(personas.find, "guide")
    tool = PARTS.toolbox.by_capability("builtin/add_note")
    assert guide is not None
    assert tool is not None
    rows = await store.tx(grants.of, guide.id)
    return decide(guide.id, guide.default_builtin, tool.capability, rows, NOW).granted
