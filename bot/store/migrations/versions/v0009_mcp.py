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
    op.create_table(
        "parcels",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("sender", sa.Text(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("taken_at", sa.Double(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_parcels")),
        comment="Archives of skills that an admin sent into a chat, until they are fetched and installed, or refused.",
    )
    op.add_column("calls", sa.Column("whole", sa.Text(), nullable=True))
    op.create_table(
        "task_tokens",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("persona_id", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=True),
        sa.Column("capabilities", sa.Text(), nullable=True),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("revoked_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_task_tokens_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task_tokens")),
        sa.UniqueConstraint("hash", name=op.f("uq_task_tokens_hash")),
        comment="With what another program acts for a persona: within a run, or in the private chat of a user. hash: "
        "SHA-256 of the secret. capabilities: a JSON list, NULL for all.",
    )
    op.create_index(op.f("ix_task_tokens_persona_id"), "task_tokens", ["persona_id"])
    op.create_index(op.f("ix_task_tokens_expires_at"), "task_tokens", ["expires_at"])
    op.create_table(
        "questions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("persona_id", sa.Text(), nullable=False),
        sa.Column("capability_id", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("server", sa.Text(), nullable=False),
        sa.Column("resumes", sa.Boolean(), nullable=False),
        sa.Column("inquiry", sa.Text(), nullable=False),
        sa.Column("answers", sa.Text(), nullable=False),
        sa.Column("picked", sa.Text(), nullable=False),
        sa.Column("requested_by", sa.Text(), nullable=False),
        sa.Column("requester_name", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("remind_at", sa.Double(), nullable=False),
        sa.Column("reminded_at", sa.Double(), nullable=True),
        sa.Column("shown_at", sa.Double(), nullable=True),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["call_id"], ["calls.id"], name=op.f("fk_questions_call_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_questions_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_questions")),
        comment="What is asked of the requester. inquiry, answers and picked are JSON; resumes: the answer is the result of "
        "the call.",
    )
    pending = sa.text("state = 'pending'")
    op.create_index("ix_questions_pending", "questions", ["expires_at"], sqlite_where=pending, postgresql_where=pending)
    op.create_index(op.f("ix_questions_run_id"), "questions", ["run_id"])
    op.create_index(op.f("ix_questions_call_id"), "questions", ["call_id"])
    op.create_index(op.f("ix_questions_conversation_state"), "questions", ["conversation", "state"])
    op.create_table(
        "files",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("mime", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_files_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_files")),
        comment="What tools gave that goes to the chat as files, for some days. The id is not to be guessed.",
    )
    op.create_index(op.f("ix_files_run_id"), "files", ["run_id"])
    op.create_index(op.f("ix_files_created_at"), "files", ["created_at"])
    op.add_column("runs", sa.Column("token_id", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("parent_id", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("beat_at", sa.Double(), nullable=True))
    op.add_column("runs", sa.Column("silent", sa.Boolean(), nullable=False, server_default=sa.false()))
    for column in ("token_id", "parent_id"):
        there = sa.text(f"{column} IS NOT NULL")
        op.create_index(f"ix_runs_{column}", "runs", [column], sqlite_where=there, postgresql_where=there)


def downgrade() -> None:
    raise NotImplementedError("Schema changes only go forward: restore a copy made before the upgrade.")
