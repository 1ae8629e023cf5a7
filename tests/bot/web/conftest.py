from tests.databases import database_url, postgres_database, sqlite_template, store

__all__ = ["database_url", "postgres_database", "sqlite_template", "store"]
