"""The audit becomes a chain: what is there already is chained in the order in which it was written."""

import sqlalchemy as sa
from alembic import op

from bot.domain.chain import BEGINNING, link_hash

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_head",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_audit_head")),
        comment="At most one row: the hash that the last entry of the audit must have.",
    )
    op.add_column("audit", sa.Column("hash", sa.Text(), nullable=False, server_default=""))
    _chain(op.get_bind())


def _chain(connection: sa.Connection) -> None:
    before = BEGINNING
    rows = connection.execute(sa.text("SELECT id, at, who, action, subject, detail FROM audit ORDER BY id")).all()
    for number, at, who, action, subject, detail in rows:
        before = link_hash(before, at, who, action, subject, detail)
        connection.execute(sa.text("UPDATE audit SET hash = :hash WHERE id = :id"), {"hash": before, "id": number})
    if rows:
        connection.execute(sa.text("INSERT INTO audit_head (hash) VALUES (:head)"), {"head": before})


def downgrade() -> None:
    raise NotImplementedError("Schema changes only go forward: restore a copy made before the upgrade.")
