import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.engine import make_url

from bot.store.database import is_postgres
from bot.store.schema import migrate
from bot.store.tables import metadata


def _ours(name: str | None, kind: str, _parents: object) -> bool:
    return not (kind == "table" and name is not None and name.startswith(("search_", "procrastinate_")))


def test_the_migrations_make_exactly_the_tables_that_the_code_knows(database_url: str) -> None:
    driver = "postgresql+psycopg" if is_postgres(database_url) else "sqlite"
    engine = sa.create_engine(make_url(database_url).set(drivername=driver))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": _ours, "target_metadata": metadata})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_migrating_again_changes_nothing(database_url: str) -> None:
    migrate(database_url)
    migrate(database_url)
