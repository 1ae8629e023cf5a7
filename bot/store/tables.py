"""The tables, once for both databases. Times are seconds since the epoch; JSON is text written by the shelf that owns it."""

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

BigId = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # else SQLite does not number the rows itself
# sqlite_autoincrement: the number of a deleted row is never given out again, so an old card cannot mean a new thing.
Time: sa.Double[float] = sa.Double()

settings = sa.Table(
    "settings",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

channels = sa.Table(
    "channels",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("disconnected_by", sa.Text),
    sa.Column("disconnected_at", Time),
    comment="Channels that were ever configured; disconnected_at is set while an admin keeps one off.",
)

inbox = sa.Table(
    "inbox",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("event_id", sa.Text, nullable=False),
    sa.Column("received_at", Time, nullable=False),
    sa.Column("trouble", sa.Text),
    sa.Column("raw", sa.Text),
    sa.UniqueConstraint("channel", "event_id"),
    sa.Index(None, "received_at"),
    comment="What was accepted: the memory of repeats, kept by age. trouble: set aside, with its payload in raw.",
    sqlite_autoincrement=True,
)

conversations = sa.Table(
    "conversations",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("persona_id", sa.Text),
    sa.Column("gone_at", Time),
    sa.Index(None, "channel"),
    comment="persona_id: switched to here, else the channel's own. gone_at: we were removed; what was said before is void.",
)

moves = sa.Table(
    "moves",
    metadata,
    sa.Column("channel", sa.Text, primary_key=True),
    sa.Column("old_chat", sa.Text, primary_key=True),
    sa.Column("new_chat", sa.Text, nullable=False),
    comment="Chats that the platform gave another id.",
)

personas = sa.Table(
    "personas",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("display_name", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("instructions", sa.Text, nullable=False),
    sa.Column("mode", sa.Text, nullable=False),
    sa.Column("default_builtin", sa.Text, nullable=False),
    sa.Column("preload_skills", sa.Text, nullable=False, server_default="[]"),
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("conversation", sa.Text, nullable=False),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("persona_id", sa.Text, nullable=False),
    sa.Column("created_at", Time, nullable=False),
    sa.UniqueConstraint("conversation", "persona_id"),
    sa.Index(None, "channel"),
    comment="What one persona remembers in one conversation; the row goes when the session ends.",
)

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("seq", BigId, primary_key=True, autoincrement=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("session_id", sa.Text, sa.ForeignKey("sessions.id", ondelete="SET NULL")),
    sa.Column("conversation", sa.Text, nullable=False),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("persona_id", sa.Text, nullable=False),
    sa.Column("user", sa.Text, nullable=False),
    sa.Column("user_name", sa.Text, nullable=False),
    sa.Column("private", sa.Boolean, nullable=False),
    sa.Column("message_ref", sa.Text),
    sa.Column("tainted", sa.Boolean, nullable=False),
    sa.Column("wary_because", sa.Text),
    sa.Column("held_until", Time),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("epoch", sa.Integer, nullable=False, default=0),
    sa.Column("attempts", sa.Integer, nullable=False, default=0),
    sa.Column("steps", sa.Integer, nullable=False, default=0),
    sa.Column("handoffs", sa.Integer, nullable=False, default=0),
    sa.Column("active_s", Time, nullable=False, default=0.0),
    sa.Column("input_tokens", sa.Integer, nullable=False, default=0),
    sa.Column("output_tokens", sa.Integer, nullable=False, default=0),
    sa.Column("cost", sa.Text),
    sa.Column("created_at", Time, nullable=False),
    sa.Column("ended_at", Time),
    sa.Column("error_code", sa.Text),
    sa.Column("error_message", sa.Text),
    sa.Column("token_id", sa.Text),
    sa.Column("parent_id", sa.Text),
    sa.Column("beat_at", Time),
    sa.Column("silent", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Index(
        "ix_runs_open",
        "conversation",
        "seq",
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    ),
    sa.Index(None, "session_id", "seq"),
    sa.Index(None, "state"),
    *(
        sa.Index(
            f"ix_runs_{column}",
            column,
            sqlite_where=sa.text(f"{column} IS NOT NULL"),
            postgresql_where=sa.text(f"{column} IS NOT NULL"),
        )
        for column in ("token_id", "parent_id")
    ),
    # token_id: another program's call, made with that task token, for the run parent_id if that token belongs to one. Such
    # a run is in nobody's queue; beat_at is the last sign of life of the process that sees to it. silent: a run for a message
    # that ends without a reply, because such a call said so.
    comment="active_s and attempts count only work: neither waiting for people nor a clean stop.",
    sqlite_autoincrement=True,
)

entries = sa.Table(
    "entries",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("run_id", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("frame", sa.Text),
    sa.Column("at", Time, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Index(None, "run_id", "id"),
    comment="The log of a run, append-only. frame: the call that opened the worker it belongs to, None for the run itself.",
    sqlite_autoincrement=True,
)

calls = sa.Table(
    "calls",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("run_id", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    sa.Column("frame", sa.Text),
    sa.Column("turn", sa.Integer, nullable=False),
    sa.Column("place", sa.Integer, nullable=False),
    sa.Column("asked_id", sa.Text, nullable=False),
    sa.Column("tool", sa.Text, nullable=False),
    sa.Column("capability_id", sa.Text, nullable=False),
    sa.Column("arguments", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("repeatable", sa.Boolean, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("result", sa.Text),
    sa.Column("failure", sa.Text),
    sa.Column("whole", sa.Text),
    sa.Index(None, "run_id", "turn", "place"),
    comment="ready -> started -> done -> sent, or waiting -> ready | denied. failure: a code, NULL for success.",
)

approvals = sa.Table(
    "approvals",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("code", sa.Text, nullable=False),
    sa.Column("run_id", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    sa.Column("call_id", sa.Text, sa.ForeignKey("calls.id", ondelete="CASCADE"), nullable=False, unique=True),
    sa.Column("persona_id", sa.Text, nullable=False),
    sa.Column("capability_id", sa.Text, nullable=False),
    sa.Column("conversation", sa.Text, nullable=False),
    sa.Column("arguments", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("effect_text", sa.Text, nullable=False),
    sa.Column("requested_by", sa.Text, nullable=False),
    sa.Column("requester_name", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("created_at", Time, nullable=False),
    sa.Column("expires_at", Time, nullable=False),
    sa.Column("reminded_at", Time),
    sa.Column("shown_at", Time),
    sa.Column("decided_by", sa.Text),
    sa.Column("decider_name", sa.Text),
    sa.Column("decided_at", Time),
    sa.Column("reason", sa.Text),
    sa.Column("editor_name", sa.Text),
    sa.Column("policy", sa.Text, nullable=False, server_default="{}"),
    sa.Column("remind_at", Time, nullable=False, server_default="0"),
    sa.Column("escalate_at", Time),
    sa.Index(
        "ix_approvals_pending",
        "expires_at",
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    ),
    sa.Index(
        "uq_approvals_code",
        "code",
        unique=True,
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    ),
    sa.Index(None, "run_id"),
    sa.Index(None, "conversation", "state"),
)

questions = sa.Table(
    "questions",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("run_id", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    sa.Column("call_id", sa.Text, sa.ForeignKey("calls.id", ondelete="CASCADE"), nullable=False),
    sa.Column("persona_id", sa.Text, nullable=False),
    sa.Column("capability_id", sa.Text, nullable=False),
    sa.Column("conversation", sa.Text, nullable=False),
    sa.Column("server", sa.Text, nullable=False),
    sa.Column("resumes", sa.Boolean, nullable=False),
    sa.Column("inquiry", sa.Text, nullable=False),
    sa.Column("answers", sa.Text, nullable=False),
    sa.Column("picked", sa.Text, nullable=False),
    sa.Column("requested_by", sa.Text, nullable=False),
    sa.Column("requester_name", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("created_at", Time, nullable=False),
    sa.Column("expires_at", Time, nullable=False),
    sa.Column("remind_at", Time, nullable=False),
    sa.Column("reminded_at", Time),
    sa.Column("shown_at", Time),
    sa.Column("ended_at", Time),
    sa.Column("reason", sa.Text),
    sa.Index(
        "ix_questions_pending",
        "expires_at",
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    ),
    sa.Index(None, "run_id"),
    sa.Index(None, "call_id"),
    sa.Index(None, "conversation", "state"),
    comment="What is asked of the requester. inquiry, answers and picked are JSON; resumes: the answer is the result of "
    "the call.",
)

buttons = sa.Table(
    "buttons",
    metadata,
    sa.Column("token", sa.Text, primary_key=True),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("created_at", Time, nullable=False),
    sa.Index(None, "subject"),
    sa.Index(None, "created_at"),
    comment="What a button stands for. The token is an address: the right to press is checked at the press.",
)

outbox = sa.Table(
    "outbox",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("key", sa.Text, nullable=False, unique=True),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("conversation", sa.Text, nullable=False),
    sa.Column("subject", sa.Text),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("sent_version", sa.Integer, nullable=False),
    sa.Column("ref", sa.Text),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("doubtful", sa.Integer, nullable=False),
    sa.Column("created_at", Time, nullable=False),
    sa.Column("not_before", Time, nullable=False),
    sa.Column("sent_at", Time),
    sa.Column("trouble", sa.Text),
    sa.Index(
        "ix_outbox_due",
        "conversation",
        "id",
        sqlite_where=sa.text("state IN ('due', 'sending')"),
        postgresql_where=sa.text("state IN ('due', 'sending')"),
    ),
    sa.Index(None, "subject"),
    sa.Index(None, "channel", "state"),
    # attempts: refused tries in a row; doubtful: posts of which nobody knows whether they arrived.
    comment="A message as it should look (body, version) and as it was last shown (ref, sent_version).",
    sqlite_autoincrement=True,
)

files = sa.Table(
    "files",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("run_id", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    sa.Column("conversation", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("mime", sa.Text, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("created_at", Time, nullable=False),
    sa.Index(None, "run_id"),
    sa.Index(None, "created_at"),
    comment="What tools gave that goes to the chat as files, for some days. The id is not to be guessed.",
)

grants = sa.Table(
    "grants",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("persona_id", sa.Text, nullable=False),
    sa.Column("capability", sa.Text, nullable=False),
    sa.Column("effect", sa.Text, nullable=False),
    sa.Column("until", Time),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("made_by", sa.Text, nullable=False),
    sa.Column("made_at", Time, nullable=False),
    sa.Column("before", sa.Text),
    sa.UniqueConstraint("persona_id", "capability"),
    sa.Index(None, "until"),
    comment="The one truth about who may use what. persona_id may be '*', capability may end in '/*'.",
    sqlite_autoincrement=True,
)

sown = sa.Table(
    "sown",
    metadata,
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("mark", sa.Text, primary_key=True),
    comment="What the configuration has created once: taken away by an admin, it does not come back by itself.",
)

people = sa.Table(
    "people",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("by", sa.Text),
    sa.Column("at", Time, nullable=False),
    sa.Column("conversation", sa.Text, nullable=False),
    comment="People who are not let in by the config: state knocked, let_in or ignored.",
)

names = sa.Table(
    "names",
    metadata,
    sa.Column("person", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    comment="What people were called when they were last heard: to be shown, never to be matched.",
)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("at", Time, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("detail", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False, server_default=""),
    sa.Index(None, "at"),
    sqlite_autoincrement=True,
)

api_tokens = sa.Table(
    "api_tokens",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False, unique=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("made_by", sa.Text, nullable=False),
    sa.Column("created_at", Time, nullable=False),
    sa.Column("used_at", Time),
    sa.Column("revoked_at", Time),
    comment="hash: SHA-256 of the secret, which is shown once. scope: read or admin.",
)

task_tokens = sa.Table(
    "task_tokens",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("hash", sa.Text, nullable=False, unique=True),
    sa.Column("run_id", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE")),
    sa.Column("persona_id", sa.Text, nullable=False),
    sa.Column("user", sa.Text, nullable=False),
    sa.Column("conversation", sa.Text),
    sa.Column("capabilities", sa.Text),
    sa.Column("made_by", sa.Text, nullable=False),
    sa.Column("created_at", Time, nullable=False),
    sa.Column("expires_at", Time, nullable=False),
    sa.Column("revoked_at", Time),
    sa.Index(None, "persona_id"),
    sa.Index(None, "expires_at"),
    comment="With what another program acts for a persona: within a run, or in the private chat of a user. hash: SHA-256 of "
    "the secret. capabilities: a JSON list, NULL for all.",
)

mcp_servers = sa.Table(
    "mcp_servers",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("spec", sa.Text, nullable=False),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("proposed_by", sa.Text),
    sa.Column("made_by", sa.Text, nullable=False),
    sa.Column("created_at", Time, nullable=False),
    comment="spec: JSON. proposed_by: the skill that wishes for it, until an admin accepts it. Who may use it: see grants.",
)

pins = sa.Table(
    "pins",
    metadata,
    sa.Column("capability", sa.Text, primary_key=True),
    sa.Column("server", sa.Text, nullable=False),
    sa.Column("fingerprint", sa.Text, nullable=False),
    sa.Column("definition", sa.Text, nullable=False),
    sa.Column("new_since", Time),
    sa.Column("told", sa.Text),
    sa.Column("pinned_by", sa.Text, nullable=False),
    sa.Column("pinned_at", Time, nullable=False),
    sa.Index(None, "server"),
    comment="Tools of MCP servers as they were when somebody looked at them. new_since: came after all of the server was "
    "granted. told: the fingerprint of the change that admins were told of.",
)

skills = sa.Table(
    "skills",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("trusted", sa.Boolean, nullable=False),
    sa.Column("scripts_enabled", sa.Boolean, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("made_by", sa.Text, nullable=False),
    sa.Column("created_at", Time, nullable=False),
    comment="The switches of skills; digest: of the files that they were set for.",
)

chosen_skills = sa.Table(
    "chosen_skills",
    metadata,
    sa.Column("conversation", sa.Text, primary_key=True),
    sa.Column("persona_id", sa.Text, primary_key=True),
    sa.Column("skill", sa.Text, primary_key=True),
    comment="Skills that somebody chose for a conversation.",
)

votes = sa.Table(
    "votes",
    metadata,
    sa.Column("approval_id", sa.Text, sa.ForeignKey("approvals.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("person", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("at", Time, nullable=False),
    comment="Who agreed so far, where more than one must.",
)

parcels = sa.Table(
    "parcels",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("conversation", sa.Text, nullable=False),
    sa.Column("sender", sa.Text, nullable=False),
    sa.Column("file", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("at", Time, nullable=False),
    sa.Column("taken_at", Time),
    sa.Column("tries", sa.Integer, nullable=False),
    comment="Archives of skills that an admin sent into a chat, until they are fetched and installed, or refused.",
)

audit_head = sa.Table(
    "audit_head",
    metadata,
    sa.Column("hash", sa.Text, primary_key=True),
    comment="At most one row: the hash that the last entry of the audit must have.",
)

documents = sa.Table(
    "documents",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("persona_id", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("added_by", sa.Text, nullable=False),
    sa.Column("added_at", Time, nullable=False),
    sa.Index(None, "persona_id"),
    comment="What a persona knows, the same in every conversation.",
    sqlite_autoincrement=True,
)

memories = sa.Table(
    "memories",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("persona_id", sa.Text, nullable=False),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("at", Time, nullable=False),
    sa.Index(None, "persona_id", "scope"),
    comment="scope: `user:<person>` or `chat:<channel>:<chat>`; what is remembered in private stays there.",
    sqlite_autoincrement=True,
)

notes = sa.Table(
    "notes",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("added_by", sa.Text, nullable=False),
    sa.Column("at", Time, nullable=False),
    sa.Index(None, "scope"),
    sqlite_autoincrement=True,
)

transcripts = sa.Table(
    "transcripts",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("conversation", sa.Text, nullable=False),
    sa.Column("message_id", sa.Text, nullable=False),
    sa.Column("change", BigId, nullable=False),
    sa.Column("author", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("at", Time, nullable=False),
    sa.Column("edited_at", Time),
    sa.Column("removed", sa.Boolean, nullable=False),
    sa.UniqueConstraint("conversation", "message_id"),
    sa.Index(None, "conversation", "change"),
    comment="What the browser chat shows. change: number of the latest change within the conversation.",
    sqlite_autoincrement=True,
)

signin_links = sa.Table(
    "signin_links",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("expires_at", Time, nullable=False),
    sa.Column("used_at", Time),
    comment="One-time links for the browser chat: the SHA-256 of each, never the link.",
)
