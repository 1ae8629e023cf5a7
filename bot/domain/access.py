"""Who may talk, who is an admin, who may decide: by immutable ids, never by names."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from bot.domain.policy import Rules
from channels.config import STANDINGS
from channels.events import Conversation, Sender, Standing

ANYONE = "anyone"
WORKSPACE = "workspace"

API_ADMIN = "api:admin"
"""Whoever decides through the HTTP API. No channel may be called `api`, so nobody in a chat is this."""

MEMBERS: frozenset[Standing] = frozenset({"member"})


@dataclass(frozen=True, slots=True)
class House:
    """The people rules of the whole service, as configured. People are written `tg:4242`.

    `deciding`: by channel, which standing in its workspace one needs to decide as the requester or as a member of the
    conversation; full members where nothing is said.
    """

    admins: frozenset[str]
    deciding: Mapping[str, Collection[Standing]] = field(default_factory=dict)

    def is_admin(self, person: str) -> bool:
        return person in self.admins or person == API_ADMIN

    def may_decide(self, person: Sender, requester: str, rules: Rules, *, present: bool = False) -> bool:
        """May `person` decide what `requester`'s message led to? `present`: they may talk where it is asked."""
        if rules.deny_self and person.id == requester:
            return False
        for rule in rules.approvers:
            if rule == "requester" and person.id == requester and self._trusted(person):
                return True
            if rule == "members" and present and self._trusted(person):
                return True
            if rule == "admins" and self.is_admin(person.id):
                return True
            if rule == person.id:
                return True
        return False

    def _trusted(self, person: Sender) -> bool:
        """Asking is enough to decide for those whom the workspace knows well, where it has such a thing. Who is named there
        without a standing is not known well."""
        if person.standing is None:
            return person.channel not in self.deciding
        return person.standing in self.deciding.get(person.channel, MEMBERS)


@dataclass(frozen=True, slots=True)
class Decider:
    """Someone who decides, and the key of the conversation in which they do, if they may talk there."""

    person: Sender
    place: str | None = None

    @property
    def id(self) -> str:
        return self.person.id

    @property
    def name(self) -> str:
        return self.person.name

    def is_at(self, conversation: str) -> bool:
        """In the same chat, whatever its thread."""
        if self.place is None:
            return False
        here, there = Conversation.parse(self.place), Conversation.parse(conversation)
        return (here.channel, here.chat) == (there.channel, there.chat)


def invited(sender: Sender, where: Conversation, private: bool, allow: Collection[str]) -> bool:
    """Does the channel's `talk.allow` let this sender talk here?

    `group:<chat>` lets in everyone who writes in that chat.
    """
    if ANYONE in allow or sender.id in allow:
        return True
    if any(word in allow and sender.standing == standing for word, standing in STANDINGS.items()):
        return True
    return not private and f"group:{where.chat}" in allow
