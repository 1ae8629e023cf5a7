"""What the configuration created once is remembered, so that an admin may take it away; grants are found by their end."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sown",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "mark", name=op.f("pk_sown")),
        comment="What the configuration has created once: taken away by an admin, it does not come back by itself.",
    )
    op.create_index(op.f("ix_grants_until"), "grants", ["until"])


def downgrade() -> None:
    raise NotImplementedError("Schema changes only go forward: restore a copy made before the upgrade.")
