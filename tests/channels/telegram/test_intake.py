"""An update is set aside for its own faults alone, never for those of the store."""

from collections.abc import Callable

import pytest

from channels.errors import NotSent, NotStored
from channels.events import Event
from channels.telegram.client import Client
from channels.telegram.intake import TRIES, Intake
from channels.telegram.parse import Parser
from channels.telegram.words import Me
from tests.channels.contract import Broken, RecordingInlet

UPDATE = {
    "update_id": 7,
    "message": {
        "message_id": 1,
        "date": 1_800_000_000,
        "chat": {"id": 5, "type": "private", "first_name": "Ada"},
        "from": {"id": 5, "is_bot": False, "first_name": "Ada"},
        "text": "keep me",
    },
}


def intake(inlet: RecordingInlet) -> Intake:
    client = Client("1:made-up", "http://127.0.0.1:9")
    return Intake(Parser("tg", Me(1, "a_bot", "Guide", reads_all=False), "addressed"), inlet, client)


def raising(error: type[Exception], times: int) -> Callable[[Event], bool]:
    """The first tries end with this error."""
    left = [error("as the test says") for _ in range(times)]

    def refuse(_event: Event) -> bool:
        if left:
            raise left.pop()
        return False

    return refuse


async def offered(taking: Intake, times: int) -> None:
    for _ in range(times):
        with pytest.raises(NotStored):
            await taking.take(UPDATE)


async def test_a_store_that_is_away_is_no_updates_fault_however_often() -> None:
    inlet = RecordingInlet(refuse=raising(NotSent, 10 * TRIES))
    taking = intake(inlet)
    await offered(taking, 10 * TRIES)
    await taking.take(UPDATE)
    assert [event.id for event in inlet.events] == ["7"]
    assert inlet.aside == []


async def test_another_error_counts_and_the_store_being_away_does_not() -> None:
    inlet = RecordingInlet(refuse=raising(Broken, TRIES - 1))
    taking = intake(inlet)
    await offered(taking, TRIES - 1)
    inlet.refuse = raising(NotSent, 3)
    await offered(taking, 3)
    assert inlet.aside == []
    inlet.refuse = raising(Broken, 1)
    await taking.take(UPDATE)
    assert [(event_id, why) for event_id, _raw, why in inlet.aside] == [("7", "it could not be taken: Broken")]
    assert inlet.events == []
