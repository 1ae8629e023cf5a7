"""Who may talk, who is an admin, who may decide: by immutable ids, never by names."""

from collections.abc import Collection
from dataclasses import dataclass

from channels.events import Conversation, Sender

ANYONE = "anyone"
WORKSPACE = "workspace"


@dataclass(frozen=True, slots=True)
class House:
    """The people rules of the whole service, as configured. People are written `tg:4242`."""

    admins: frozenset[str]
    approvers: tuple[str, ...]
    deny_self: bool

    def is_admin(self, person: str) -> bool:
        return person in self.admins

    def may_decide(self, person: str, requester: str) -> bool:
        """May `person` decide what `requester`'s message led to?"""
        if self.deny_self and person == requester:
            return False
        for rule in self.approvers:
            if rule == "requester" and person == requester:
                return True
            if rule == "admins" and self.is_admin(person):
                return True
            if rule == person:
                return True
        return False


def invited(sender: Sender, where: Conversation, private: bool, allow: Collection[str]) -> bool:
    """Does the channel's `talk.allow` let this sender talk here?

    `group:<chat>` lets in everyone who writes in that chat.
    """
    if ANYONE in allow or sender.id in allow:
        return True
    if WORKSPACE in allow and sender.member:
        return True
    return not private and f"group:{where.chat}" in allow
