"""MCP: tools as they were when they were granted, tokens for one task, what a call gave in full."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "pins",
        sa.Column("capability", sa.Text(), nullable=False),
        sa.Column("server", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("definition", sa.Text(), nullable=False),
        sa.Column("new_since", sa.Double(), nullable=True),
        sa.Column("told", sa.Text(), nullable=True),
        sa.Column("pinned_by", sa.Text(), nullable=False),
        sa.Column("pinned_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("capability", name=op.f("pk_pins")),
        comment="Tools of MCP servers as they were when somebody looked at them. new_since: came after all of the server was "
        "granted. told: the fingerprint of the change that admins were told of.",
    )
    op.create_index(op.f("ix_pins_server"), "pins", ["server"])
    op.add_column("calls", sa.Column("whole", sa.Text(), nullable=True))


def downgrade() -> None:
    raise NotImplementedError("Schema changes only go forward: restore a copy made before the upgrade.")
