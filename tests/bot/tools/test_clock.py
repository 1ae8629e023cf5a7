import pytest

from bot.domain.run import SILENT_EXIT
from bot.store.database import Store
from bot.tools.spec import ToolFailure
from tests.bot.tools.calls import caller

NOON = 1_753_358_400.0  # 2025-07-24 12:00 UTC


@pytest.mark.parametrize(
    ("zone", "told"),
    [
        ("UTC", "Thursday, 2025-07-24 12:00:00+00:00 (UTC)"),
        ("Europe/Berlin", "Thursday, 2025-07-24 14:00:00+02:00 (Europe/Berlin)"),
        ("Pacific/Kiritimati", "Friday, 2025-07-25 02:00:00+14:00 (Pacific/Kiritimati)"),
    ],
)
async def test_time_is_told_in_the_zone_asked_for(store: Store, zone: str, told: str) -> None:
    assert await caller(store, NOON).call("current_time", timezone=zone) == told


async def test_time_is_told_in_utc_when_no_zone_is_named(store: Store) -> None:
    assert (await caller(store, NOON).call("current_time")).endswith("(UTC)")


@pytest.mark.parametrize("zone", ["Europe", "Mars/Olympus", "/etc/localtime", "Europe//Berlin", "europe/berlin/x", "-"])
async def test_unknown_zone_is_refused_in_a_sentence(store: Store, zone: str) -> None:
    with pytest.raises(ToolFailure, match="There is no time zone") as refusal:
        await caller(store).call("current_time", timezone=zone)
    assert refusal.value.code == "invalid_arguments"


async def test_silent_exit_says_that_nothing_will_be_said(store: Store) -> None:
    assert await caller(store).call(SILENT_EXIT) == "The run ends without a reply."
    assert await caller(store).call(SILENT_EXIT, reason="not meant for me") == "The run ends without a reply."
