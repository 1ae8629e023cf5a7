"""Both databases for tests: the fixture `store` gives each test a migrated, empty one of either make.

SQLite is a copy of one migrated file. PostgreSQL is one database for the whole session, on the server named by
ASKFIRST_TEST_POSTGRES, else the one that `scripts.services` starts, else the one on this machine; its tables are
emptied before each test. It is dropped at the end.
"""

import asyncio
import os
import secrets
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from sqlalchemy.engine import make_url

from bot.store.database import PostgresStore, SqliteStore, Store, is_postgres
from bot.store.schema import migrate

HERE = "postgresql://postgres@127.0.0.1:5432/postgres"


def postgres_server() -> str:
    """The URL of a database on a server where others may be created."""
    if named := os.environ.get("ASKFIRST_TEST_POSTGRES"):
        return named
    try:
        services = import_module("scripts.services")
    except ModuleNotFoundError:
        return HERE
    url: str = services.postgres_url()
    return url


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{path}"


@contextmanager
def new_postgres(server: str) -> Iterator[str]:
    """The URL of an empty database that is dropped afterwards, whoever is still connected."""
    name = f"askfirst_test_{secrets.token_hex(6)}"
    with closing(psycopg.connect(server, autocommit=True)) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield make_url(server).set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def empty_postgres(url: str) -> None:
    """Take every row away, but for the mark of the schema's version. Numbers go on where they were."""
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        connection.execute("SET lock_timeout = '10s'")  # a test that left a transaction open is named, not waited for
        names = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'alembic_version'"
        ).fetchall()
        filled = [name for (name,) in names if _holds_rows(connection, name)]
        if filled:
            tables = sql.SQL(", ").join(sql.Identifier(name) for name in filled)
            connection.execute(sql.SQL("TRUNCATE {} CASCADE").format(tables))


async def someone_waits(url: str) -> None:
    """Until a transaction on this PostgreSQL database waits for a lock that another one holds."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection, asyncio.timeout(10):
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        while True:
            row = await (await connection.execute(query)).fetchone()
            if row is not None and row[0]:
                return
            await asyncio.sleep(0.01)  # locks have no event to wait for


def _holds_rows(connection: psycopg.Connection[tuple[object, ...]], table: str) -> bool:
    query = sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.Identifier(table))
    row = connection.execute(query).fetchone()
    return row is not None and bool(row[0])


def open_store(url: str) -> Store:
    if is_postgres(url):
        return PostgresStore(url, pool=4)
    path = make_url(url).database
    assert path is not None
    return SqliteStore(path)


@pytest.fixture(scope="session")
def postgres_database() -> Iterator[str]:
    """The URL of the session's migrated PostgreSQL database."""
    server = postgres_server()
    with new_postgres(server) as url:
        migrate(url)
        yield url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file, to be copied and never opened."""
    path = tmp_path_factory.mktemp("template") / "askfirst.db"
    migrate(sqlite_url(path))
    return path


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a migrated, empty database; the test runs once for each make."""
    if request.param == "postgres":
        url: str = request.getfixturevalue("postgres_database")
        empty_postgres(url)
        return url
    path = tmp_path / "askfirst.db"
    shutil.copyfile(request.getfixturevalue("sqlite_template"), path)
    return sqlite_url(path)


ON_POSTGRES = pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
"""For what SQLite, with its one writer, cannot come to."""


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    """An open store on `database_url`."""
    opened = open_store(database_url)
    yield opened
    await opened.close()
