"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_audit_at"), "audit", ["at"], unique=False)
    op.create_table(
        "buttons",
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_buttons")),
        comment="What a button stands for. The token is an address: the right to press is checked at the press.",
    )
    op.create_index(op.f("ix_buttons_created_at"), "buttons", ["created_at"], unique=False)
    op.create_index(op.f("ix_buttons_subject"), "buttons", ["subject"], unique=False)
    op.create_table(
        "channels",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("disconnected_by", sa.Text(), nullable=True),
        sa.Column("disconnected_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_channels")),
        comment="Channels that were ever configured; disconnected_at is set while an admin keeps one off.",
    )
    op.create_table(
        "conversations",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("persona_id", sa.Text(), nullable=True),
        sa.Column("gone_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_conversations")),
        comment="persona_id: switched to here, else the channel's own. gone_at: we were removed; what was said before is void.",
    )
    op.create_index(op.f("ix_conversations_channel"), "conversations", ["channel"], unique=False)
    op.create_table(
        "documents",
        sa.Column("id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("persona_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("added_by", sa.Text(), nullable=False),
        sa.Column("added_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
        comment="What a persona knows, the same in every conversation.",
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_documents_persona_id"), "documents", ["persona_id"], unique=False)
    op.create_table(
        "grants",
        sa.Column("id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("persona_id", sa.Text(), nullable=False),
        sa.Column("capability", sa.Text(), nullable=False),
        sa.Column("effect", sa.Text(), nullable=False),
        sa.Column("until", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("made_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_grants")),
        sa.UniqueConstraint("persona_id", "capability", name=op.f("uq_grants_persona_id_capability")),
        comment="The one truth about who may use what. persona_id may be '*', capability may end in '/*'.",
        sqlite_autoincrement=True,
    )
    op.create_table(
        "inbox",
        sa.Column("id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("received_at", sa.Double(), nullable=False),
        sa.Column("trouble", sa.Text(), nullable=True),
        sa.Column("raw", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint("channel", "event_id", name=op.f("uq_inbox_channel_event_id")),
        comment="What was accepted: the memory of repeats, kept by age. trouble: set aside, with its payload in raw.",
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_inbox_received_at"), "inbox", ["received_at"], unique=False)
    op.create_table(
        "memories",
        sa.Column("id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("persona_id", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memories")),
        comment="scope: `user:<person>` or `chat:<channel>:<chat>`; what is remembered in private stays there.",
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_memories_persona_id_scope"), "memories", ["persona_id", "scope"], unique=False)
    op.create_table(
        "moves",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("old_chat", sa.Text(), nullable=False),
        sa.Column("new_chat", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("channel", "old_chat", name=op.f("pk_moves")),
        comment="Chats that the platform gave another id.",
    )
    op.create_table(
        "notes",
        sa.Column("id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("added_by", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notes")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_notes_scope"), "notes", ["scope"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("sent_version", sa.Integer(), nullable=False),
        sa.Column("ref", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("doubtful", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("not_before", sa.Double(), nullable=False),
        sa.Column("sent_at", sa.Double(), nullable=True),
        sa.Column("trouble", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("key", name=op.f("uq_outbox_key")),
        comment="A message as it should look (body, version) and as it was last shown (ref, sent_version).",
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_outbox_channel_state"), "outbox", ["channel", "state"], unique=False)
    op.create_index(
        "ix_outbox_due",
        "outbox",
        ["conversation", "id"],
        unique=False,
        sqlite_where=sa.text("state IN ('due', 'sending')"),
        postgresql_where=sa.text("state IN ('due', 'sending')"),
    )
    op.create_index(op.f("ix_outbox_subject"), "outbox", ["subject"], unique=False)
    op.create_table(
        "people",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=True),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        comment="People who are not let in by the config: state knocked, let_in or ignored.",
    )
    op.create_table(
        "personas",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("instructions", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("default_builtin", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_personas")),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("persona_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("conversation", "persona_id", name=op.f("uq_sessions_conversation_persona_id")),
        comment="What one persona remembers in one conversation; the row goes when the session ends.",
    )
    op.create_index(op.f("ix_sessions_channel"), "sessions", ["channel"], unique=False)
    op.create_table(
        "settings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_settings")),
    )
    op.create_table(
        "signin_links",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("used_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_signin_links")),
        comment="One-time links for the browser chat: the SHA-256 of each, never the link.",
    )
    op.create_table(
        "transcripts",
        sa.Column("id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("change", NUMBER, nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("edited_at", sa.Double(), nullable=True),
        sa.Column("removed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transcripts")),
        sa.UniqueConstraint("conversation", "message_id", name=op.f("uq_transcripts_conversation_message_id")),
        comment="What the browser chat shows. change: number of the latest change within the conversation.",
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_transcripts_conversation_change"), "transcripts", ["conversation", "change"], unique=False)
    op.create_table(
        "runs",
        sa.Column("seq", NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("persona_id", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("user_name", sa.Text(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("message_ref", sa.Text(), nullable=True),
        sa.Column("tainted", sa.Boolean(), nullable=False),
        sa.Column("held_until", sa.Double(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("handoffs", sa.Integer(), nullable=False),
        sa.Column("active_s", sa.Double(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_runs_session_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_runs")),
        sa.UniqueConstraint("id", name=op.f("uq_runs_id")),
        comment="active_s and attempts count only work: neither waiting for people nor a clean stop.",
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_runs_open",
        "runs",
        ["conversation", "seq"],
        unique=False,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.create_index(op.f("ix_runs_session_id_seq"), "runs", ["session_id", "seq"], unique=False)
    op.create_index(op.f("ix_runs_state"), "runs", ["state"], unique=False)
    op.create_table(
        "calls",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("frame", sa.Text(), nullable=True),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("asked_id", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("capability_id", sa.Text(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("repeatable", sa.Boolean(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_calls_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calls")),
        comment="ready -> started -> done -> sent, or waiting -> ready | denied. failure: a code, NULL for success.",
    )
    op.create_index(op.f("ix_calls_run_id_turn_place"), "calls", ["run_id", "turn", "place"], unique=False)
    op.create_table(
        "entries",
        sa.Column("id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("frame", sa.Text(), nullable=True),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_entries_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entries")),
        comment="The log of a run, append-only. frame: the call that opened the worker it belongs to, None for the run itself.",
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_entries_run_id_id"), "entries", ["run_id", "id"], unique=False)
    op.create_table(
        "approvals",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("persona_id", sa.Text(), nullable=False),
        sa.Column("capability_id", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("effect_text", sa.Text(), nullable=False),
        sa.Column("requested_by", sa.Text(), nullable=False),
        sa.Column("requester_name", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("reminded_at", sa.Double(), nullable=True),
        sa.Column("shown_at", sa.Double(), nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decider_name", sa.Text(), nullable=True),
        sa.Column("decided_at", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["call_id"], ["calls.id"], name=op.f("fk_approvals_call_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_approvals_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approvals")),
        sa.UniqueConstraint("call_id", name=op.f("uq_approvals_call_id")),
    )
    op.create_index(op.f("ix_approvals_conversation_state"), "approvals", ["conversation", "state"], unique=False)
    op.create_index(
        "ix_approvals_pending",
        "approvals",
        ["expires_at"],
        unique=False,
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_index(op.f("ix_approvals_run_id"), "approvals", ["run_id"], unique=False)
    op.create_index(
        "uq_approvals_code",
        "approvals",
        ["code"],
        unique=True,
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )


def downgrade() -> None:
    raise NotImplementedError("Schema changes only go forward: restore a copy made before the upgrade.")
