"""Brings a database to the current schema."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy.engine import make_url

from bot.store.database import is_postgres, reaching, sqlite_engine

LOCK = 4_711_001
"""Key of the advisory lock under which one process migrates while the others wait."""


def migrate(url: str) -> None:
    """Run what is missing, all or nothing. Safe to call from several processes at once.

    On SQLite foreign keys are off meanwhile: a batch change replaces a table, and a cascade would then delete
    the rows of its children without an error.
    """
    with reaching():
        if not is_postgres(url):
            path = make_url(url).database
            assert path, "a SQLite database is a file"
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            _upgrade(sqlite_engine(path, foreign_keys=False))
            return
        _upgrade(sa.create_engine(make_url(url).set(drivername="postgresql+psycopg")))


def _upgrade(engine: sa.Engine) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    try:
        with engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            if connection.dialect.name == "postgresql":
                _queue_schema(connection)
    finally:
        engine.dispose()


def _queue_schema(connection: sa.Connection) -> None:
    """The tables of the dispatcher's library, which cannot be applied twice."""
    from procrastinate.schema import SchemaManager  # the `postgres` extra: absent in the embedded default

    if connection.execute(sa.text("SELECT to_regclass('procrastinate_jobs')")).scalar() is None:
        raw = connection.connection.driver_connection
        assert raw is not None, "an open connection has a driver"
        raw.execute(SchemaManager.get_schema())
