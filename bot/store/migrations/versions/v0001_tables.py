"""The first tables."""

from alembic import op

from bot.store.tables import metadata

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    metadata.create_all(op.get_bind())


def downgrade() -> None:
    raise NotImplementedError("Schema changes only go forward: restore a copy made before the upgrade.")
