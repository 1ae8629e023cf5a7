"""What admins govern at run time: tokens of the API, MCP servers, skills, how approvals are decided, why a run is wary."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("used_at", sa.Double(), nullable=True),
        sa.Column("revoked_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("hash", name=op.f("uq_api_tokens_hash")),
        comment="hash: SHA-256 of the secret, which is shown once. scope: read or admin.",
    )
    op.create_table(
        "mcp_servers",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("proposed_by", sa.Text(), nullable=True),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_mcp_servers")),
        comment="spec: JSON. proposed_by: the skill that wishes for it, until an admin accepts it. Who may use it: see grants.",
    )
    op.create_table(
        "skills",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("trusted", sa.Boolean(), nullable=False),
        sa.Column("scripts_enabled", sa.Boolean(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_skills")),
        comment="The switches of skills; digest: of the files that they were set for.",
    )
    op.create_table(
        "chosen_skills",
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("persona_id", sa.Text(), nullable=False),
        sa.Column("skill", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("conversation", "persona_id", "skill", name=op.f("pk_chosen_skills")),
        comment="Skills that somebody chose for a conversation.",
    )
    op.create_table(
        "votes",
        sa.Column("approval_id", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["approval_id"], ["approvals.id"], name=op.f("fk_votes_approval_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("approval_id", "person", name=op.f("pk_votes")),
        comment="Who agreed so far, where more than one must.",
    )
    op.add_column("personas", sa.Column("preload_skills", sa.Text(), nullable=False, server_default="[]"))
    op.add_column("approvals", sa.Column("policy", sa.Text(), nullable=False, server_default="{}"))
    op.add_column("runs", sa.Column("wary_because", sa.Text(), nullable=True))


def downgrade() -> None:
    raise NotImplementedError("Schema changes only go forward: restore a copy made before the upgrade.")
