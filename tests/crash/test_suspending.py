"""A decision that comes while its run is being suspended is not lost, where two transactions run at once."""

import threading
import time

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url

from bot.domain.run import Run
from bot.store import runs, sessions
from bot.store.database import Tx
from bot.store.runs import Queued
from tests.databases import empty_postgres

WHERE = "tg:1"


@pytest.fixture
def engine(postgres_database: str) -> sa.Engine:
    """SQLite writes one transaction at a time."""
    empty_postgres(postgres_database)
    address = make_url(postgres_database).set(drivername="postgresql+psycopg")
    return sa.create_engine(address, poolclass=sa.pool.NullPool)


def claimed(engine: sa.Engine) -> Run:
    with engine.begin() as connection:
        tx = Tx(connection)
        session = sessions.open_for(tx, WHERE, "tg", "guide", "ses_1", 0.0)
        runs.add(tx, Queued("run_1", session, WHERE, "tg", "guide", "tg:1", "Ann", True, "1", 0.0))
        run = runs.claim(tx, WHERE)
        assert run is not None
        return run


def test_a_decision_waits_for_a_suspension_under_way_and_then_undoes_it(engine: sa.Engine) -> None:
    run = claimed(engine)

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


def test_a_suspension_waits_for_a_decision_under_way_before_it_looks(engine: sa.Engine) -> None:
    run = claimed(engine)
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
