from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from psycopg import sql
from sqlalchemy.engine import make_url

from bot.store import documents
from bot.store.schema import migrate
from tests.databases import new_postgres, open_store, postgres_server


def indexes(url: str) -> set[str]:
    with closing(psycopg.connect(url)) as connection:
        rows = connection.execute("SELECT indexname FROM pg_indexes WHERE tablename = 'search_documents'").fetchall()
    return {name for (name,) in rows}


@pytest.fixture
def plain_users_database(postgres_database: str) -> Iterator[str]:
    """The URL of an empty database in which the user may make tables, but no extension."""
    server = postgres_server()
    with new_postgres(server) as url, closing(psycopg.connect(url, autocommit=True)) as connection:
        role = str(make_url(url).database)
        name = sql.Identifier(role)
        connection.execute(sql.SQL("CREATE ROLE {}").format(name))
        try:
            connection.execute(sql.SQL("GRANT ALL ON SCHEMA public TO {}").format(name))
            yield make_url(url).update_query_dict({"options": f"-crole={role}"}).render_as_string(hide_password=False)
        finally:
            connection.execute(sql.SQL("DROP OWNED BY {}").format(name))
            connection.execute(sql.SQL("DROP ROLE {}").format(name))


def test_trigram_index_is_made_where_it_can_be(postgres_database: str) -> None:
    assert "search_documents_trigrams" in indexes(postgres_database)


async def test_without_the_extension_documents_are_found_all_the_same(plain_users_database: str) -> None:
    migrate(plain_users_database)
    assert indexes(plain_users_database) == {"pk_search_documents"}
    store = open_store(plain_users_database)
    await store.tx(documents.add, "guide", "Opening hours", "营业时间", "web:admin", 1.0)
    assert [hit.title for hit in await store.tx(documents.search, "guide", "业时 HOURS", 5)] == ["Opening hours"]
    await store.close()


def test_migrating_again_changes_nothing(database_url: str) -> None:
    migrate(database_url)
    migrate(database_url)
