"""Alembic's entrance: runs the scripts on the connection that `bot.store.schema` hands over."""

from alembic import context

from bot.store.tables import metadata


def _ours(name: str | None, kind: str, _parents: object) -> bool:
    """The search structures and procrastinate's tables are made by scripts of their own."""
    return not (kind == "table" and name is not None and name.startswith(("search_", "procrastinate_")))


connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=True, include_name=_ours)
with context.begin_transaction():
    context.run_migrations()
