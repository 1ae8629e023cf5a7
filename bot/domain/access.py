"""Who may talk, who is an admin, who may decide: by immutable ids, never by names."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from channels.config import STANDINGS
from channels.events import Conversation, Sender, Standing

ANYONE = "anyone"
WORKSPACE = "workspace"

MEMBERS: frozenset[Standing] = frozenset({"member"})


@dataclass(frozen=True, slots=True)
class House:
    """The people rules of the whole service, as configured. People are written `tg:4242`.

    `deciding`: by channel, which standing in its workspace a requester needs to decide; full members where nothing is said.
    """

    admins: frozenset[str]
    approvers: tuple[str, ...]
    deny_self: bool
    deciding: Mapping[str, Collection[Standing]] = field(default_factory=dict)

    def is_admin(self, person: str) -> bool:
        return person in self.admins

    def may_decide(self, person: Sender, requester: str) -> bool:
        """May `person` decide what `requester`'s message led to?"""
        if self.deny_self and person.id == requester:
            return False
        for rule in self.approvers:
            if rule == "requester" and person.id == requester and self._trusted(person):
                return True
            if rule == "admins" and self.is_admin(person.id):
                return True
            if rule == person.id:
                return True
        return False

    def _trusted(self, person: Sender) -> bool:
        """Asking is enough to decide for those whom the workspace knows well, where it has such a thing."""
        return person.standing is None or person.standing in self.deciding.get(person.channel, MEMBERS)


def invited(sender: Sender, where: Conversation, private: bool, allow: Collection[str]) -> bool:
    """Does the channel's `talk.allow` let this sender talk here?

    `group:<chat>` lets in everyone who writes in that chat.
    """
    if ANYONE in allow or sender.id in allow:
        return True
    if any(word in allow and sender.standing == standing for word, standing in STANDINGS.items()):
        return True
    return not private and f"group:{where.chat}" in allow
