"""A run: the work for one message. Its log is its state."""

from dataclasses import dataclass
from typing import Literal

from channels.events import Conversation

RunState = Literal["queued", "running", "waiting_approval", "waiting_input", "completed", "failed", "cancelled"]
CallState = Literal["waiting", "ready", "started", "done", "denied", "sent"]

SUPERVISED_PREFIX = "delegate_to_"

SILENT_EXIT = "silent_exit"
"""The name of the tool: the loop ends a run without a reply when this call has been done."""

LOAD_SKILL = "load_skill"
"""The name of the tool: a call of it that was done puts the text of a skill before the model, to the end of the run."""
READ_SKILL_FILE = "read_skill_file"
RUN_SKILL_SCRIPT = "run_skill_script"

MAX_ATTEMPTS = 3
"""Times that a run may take its process down before it is failed: once is chance, three times is the run."""


def group_scope(where: Conversation) -> str:
    """What the members of a group share, whatever its topic."""
    return f"chat:{where.channel}:{where.chat}"


@dataclass(frozen=True, slots=True)
class Run:
    """A claimed run. `epoch` is the driver's ticket: every commit checks it. `held_until`: the rest of a message that the
    platform cut in pieces may come until then. `silent`: another program that works for it said that it ends without a
    reply."""

    id: str
    seq: int
    epoch: int
    session_id: str | None
    conversation: str
    channel: str
    persona_id: str
    user: str
    user_name: str
    private: bool
    message_ref: str | None
    held_until: float | None
    state: RunState
    attempts: int
    steps: int
    handoffs: int
    active_s: float
    input_tokens: int
    output_tokens: int
    cost: str | None
    created_at: float
    silent: bool = False

    @property
    def scope(self) -> str:
        """What may be remembered together: one person's private chats, or one group with all of its topics."""
        if self.private:
            return f"user:{self.user}"
        return group_scope(Conversation.parse(self.conversation))


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool, the one at `place` in the answer of turn `turn`. `frame` is the call that opened the worker
    it belongs to, None for the persona's own.

    `arguments` are canonical JSON; `repeatable`: may be run again after a crash in the middle.
    """

    id: str
    run_id: str
    frame: str | None
    turn: int
    place: int
    asked_id: str
    tool: str
    capability_id: str
    arguments: str
    digest: str
    repeatable: bool
    state: CallState
    result: str | None
    failure: str | None

    @property
    def answered(self) -> bool:
        return self.state in ("done", "denied", "sent")

    @property
    def delegates(self) -> bool:
        return self.tool.startswith(SUPERVISED_PREFIX)
