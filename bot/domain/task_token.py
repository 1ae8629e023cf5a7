"""A task token: with it another program acts for a persona, within a run or in one person's private chat."""

from dataclasses import dataclass

from bot.domain.capability import EVERYONE


@dataclass(frozen=True, slots=True)
class TaskToken:
    """Times in seconds since the epoch. `run_id`: the run that it belongs to, and ends with; else `conversation` is the
    private chat of `user`. `capabilities`: the only ones that it may use, None for all that the persona is granted.
    """

    id: str
    run_id: str | None
    persona_id: str
    user: str
    conversation: str | None
    capabilities: frozenset[str] | None
    made_by: str
    created_at: float
    expires_at: float

    @property
    def lists_only(self) -> bool:
        """Does it show what there is, and call nothing?"""
        return self.persona_id == EVERYONE

    def allows(self, capability_id: str) -> bool:
        """It narrows what the persona is granted, and never widens it."""
        return self.capabilities is None or capability_id in self.capabilities
