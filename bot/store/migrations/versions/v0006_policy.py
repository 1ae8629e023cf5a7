"""When what waits is reminded of, and when admins are asked, is known from its beginning."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("approvals", sa.Column("remind_at", sa.Double(), nullable=False, server_default="0"))
    op.add_column("approvals", sa.Column("escalate_at", sa.Double(), nullable=True))
    op.execute(sa.text("UPDATE approvals SET remind_at = (created_at + expires_at) / 2"))


def downgrade() -> None:
    raise NotImplementedError("Schema changes only go forward: restore a copy made before the upgrade.")
