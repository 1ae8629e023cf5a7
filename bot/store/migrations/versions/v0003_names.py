"""Who changed the arguments of a call that waits for a decision, and what people are called."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("approvals", sa.Column("editor_name", sa.Text(), nullable=True))
    op.create_table(
        "names",
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("person", name=op.f("pk_names")),
        comment="What people were called when they were last heard: to be shown, never to be matched.",
    )


def downgrade() -> None:
    raise NotImplementedError("Schema changes only go forward: restore a copy made before the upgrade.")
