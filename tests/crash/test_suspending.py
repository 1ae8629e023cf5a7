"""A decision that comes while its run is being suspended is not lost, where two transactions run at once."""

import threading
import time

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url

from bot.domain.run import Run
from bot.store import runs
from bot.store.database import Tx
from tests.crash.scene import Scene
from tests.crash.service import PATIENCE_S
from tests.fakes.model.script import Reply

pytestmark = pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
"""SQLite writes one transaction at a time."""


@pytest.fixture
def engine(database_url: str) -> sa.Engine:
    address = make_url(database_url).set(drivername="postgresql+psycopg")
    return sa.create_engine(address, poolclass=sa.pool.NullPool)


@pytest.fixture
async def run(scene: Scene, engine: sa.Engine) -> Run:
    """Begun by a service that is no more."""
    await scene.model.answer(Reply(hold="for ever"))
    await scene.start()
    await scene.say("hello")
    await scene.model.wait_request(1, PATIENCE_S)
    await scene.kill()
    with engine.connect() as connection:
        tx = Tx(connection)
        (run_id,) = runs.open_in(tx, [f"tg:{scene.chat.id}"])
        found = runs.find(tx, run_id)
    assert found is not None
    return found


def test_a_decision_waits_for_a_suspension_under_way_and_then_undoes_it(engine: sa.Engine, run: Run) -> None:
    def decide() -> None:
        with engine.begin() as connection:
            runs.resume(Tx(connection), run.id)

    deciding = threading.Thread(target=decide)
    with engine.begin() as connection:
        tx = Tx(connection)
        runs.hold(tx, run.id)
        runs.suspend(tx, run)
        deciding.start()
        _until_blocked(engine, deciding)
    deciding.join(10)
    with engine.connect() as connection:
        fresh = runs.find(Tx(connection), run.id)
    assert fresh is not None
    assert fresh.state == "running"


def test_a_suspension_waits_for_a_decision_under_way_before_it_looks(engine: sa.Engine, run: Run) -> None:
    looked: list[float] = []

    def look() -> None:
        with engine.begin() as connection:
            runs.hold(Tx(connection), run.id)
            looked.append(time.monotonic())

    looking = threading.Thread(target=look)
    with engine.begin() as connection:
        runs.resume(Tx(connection), run.id)
        looking.start()
        _until_blocked(engine, looking)
        decided = time.monotonic()
    looking.join(10)
    assert looked[0] > decided


def _until_blocked(engine: sa.Engine, other: threading.Thread) -> None:
    """Until the other transaction waits for ours, or has not waited and is through."""
    waiting = sa.text(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        while other.is_alive() and not connection.scalar(waiting):
            time.sleep(0.01)
