"""An approval: a call that waits for a person."""

import json
from dataclasses import dataclass
from typing import Literal

from bot.domain.policy import Rules
from bot.domain.run import RUN_SKILL_SCRIPT

SCRIPTS = f"builtin/{RUN_SKILL_SCRIPT}"

ApprovalState = Literal["pending", "approved", "rejected", "expired", "cancelled"]


@dataclass(frozen=True, slots=True)
class Approval:
    """`arguments` are canonical JSON, `digest` binds the decision to exactly this call.

    `effect_text` is what the call will do, in a sentence; `shown_at` when its card reached the chat; `editor_name` who
    changed the arguments last, if anybody did; `policy` is the JSON of its rules. `remind_at` and `escalate_at`: when it is
    shown again, and when admins are asked.
    """

    id: str
    code: str
    run_id: str
    call_id: str
    persona_id: str
    capability_id: str
    conversation: str
    arguments: str
    digest: str
    effect_text: str
    requested_by: str
    requester_name: str
    state: ApprovalState
    created_at: float
    expires_at: float
    reminded_at: float | None
    shown_at: float | None
    decided_by: str | None
    decider_name: str | None
    decided_at: float | None
    reason: str | None
    editor_name: str | None = None
    policy: str = "{}"
    remind_at: float = 0.0
    escalate_at: float | None = None

    @property
    def rules(self) -> Rules:
        """How it is decided, as it was when it was asked."""
        return Rules.parse(self.policy)

    @property
    def needs(self) -> tuple[str, ...]:
        """All that must be granted for the call: to run a script, its skill as well."""
        if self.capability_id != SCRIPTS:
            return (self.capability_id,)
        return (self.capability_id, f"skill/{json.loads(self.arguments)['skill']}")
