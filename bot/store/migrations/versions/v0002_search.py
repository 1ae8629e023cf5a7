"""What the search for documents needs: a folded copy of each, and an index of its trigrams where one can be had.

Everything is named `search_…`: none of it is in the metadata of the tables. Without `pg_trgm` (a plain user may not
create it) PostgreSQL reads the copies of one persona instead; a tsvector would not help, since it knows no pieces of
words and no words in Chinese.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.exc import DBAPIError

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TRIGRAMS_SQLITE = """
CREATE VIRTUAL TABLE search_documents_trigrams USING fts5(
    body, content='search_documents', content_rowid='document_id', tokenize='trigram case_sensitive 1')
"""

TRIGGERS_SQLITE = (
    """
    CREATE TRIGGER search_documents_added AFTER INSERT ON search_documents BEGIN
        INSERT INTO search_documents_trigrams (rowid, body) VALUES (new.document_id, new.body);
    END
    """,
    """
    CREATE TRIGGER search_documents_deleted AFTER DELETE ON search_documents BEGIN
        INSERT INTO search_documents_trigrams (search_documents_trigrams, rowid, body)
        VALUES ('delete', old.document_id, old.body);
    END
    """,
    """
    CREATE TRIGGER search_documents_changed AFTER UPDATE ON search_documents BEGIN
        INSERT INTO search_documents_trigrams (search_documents_trigrams, rowid, body)
        VALUES ('delete', old.document_id, old.body);
        INSERT INTO search_documents_trigrams (rowid, body) VALUES (new.document_id, new.body);
    END
    """,
)

TRIGRAMS_POSTGRES = (
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    "CREATE INDEX search_documents_trigrams ON search_documents USING gin (body gin_trgm_ops)",
)


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "search_documents",
        sa.Column(
            "document_id",
            number,
            sa.ForeignKey("documents.id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        _postgres(connection)
        return
    op.execute(TRIGRAMS_SQLITE)
    for trigger in TRIGGERS_SQLITE:
        op.execute(trigger)


def _postgres(connection: sa.Connection) -> None:
    try:
        with connection.begin_nested():
            for statement in TRIGRAMS_POSTGRES:
                connection.exec_driver_sql(statement)
    except DBAPIError as refusal:
        if refusal.connection_invalidated:
            raise


def downgrade() -> None:
    raise NotImplementedError("Schema changes only go forward: restore a copy made before the upgrade.")
