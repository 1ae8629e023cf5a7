"""Strangers: told once in one line, announced to the admins, and nothing they send goes any further."""

from collections.abc import Collection
from dataclasses import dataclass
from gettext import gettext as _

from bot.cards import moment
from bot.clock import new_id, new_token
from bot.domain.access import House, invited
from bot.prompt import one_line
from bot.store import audit, buttons, outbox, people
from bot.store.buttons import Meaning
from bot.store.database import Tx
from bot.store.people import Person
from channels.adapter import Receipt
from channels.events import Conversation, Sender
from channels.outgoing import Button, Outgoing, Paragraph, Span, plain
from channels.text.characters import visible


@dataclass(frozen=True, slots=True)
class Door:
    """Who may talk on one channel; `knock`: admins are asked about the others."""

    allow: tuple[str, ...]
    knock: bool


class Doorman:
    def __init__(self, house: House, doors: dict[str, Door], reachable: Collection[str]) -> None:
        """`reachable`: channels that are configured, so that an admin there can be asked."""
        self._house = house
        self._doors = doors
        self._reachable = reachable

    def lets_in(self, tx: Tx, sender: Sender, where: Conversation, private: bool) -> bool:
        """May this person talk here, at this moment?"""
        if self._house.is_admin(sender.id):
            return True
        if invited(sender, where, private, self._doors[where.channel].allow):
            return True
        person = people.find(tx, sender.id)
        return person is not None and person.state == "let_in"

    def turn_away(self, tx: Tx, sender: Sender, where: Conversation, now: float) -> str | None:
        """A stranger spoke. The first time they are told, in what this returns, and the admins are asked; after that
        there is silence."""
        known = Person(sender.id, sender.name, "knocked", where.key)
        if not people.knock(tx, known, where.channel, now):
            return None
        if not self._doors[where.channel].knock:
            return _("This is a private assistant.")
        self._announce(tx, sender, now)
        return _("This is a private assistant. Its admins have been told that you knocked.")

    def press(self, tx: Tx, meaning: Meaning, by: Sender, now: float) -> Receipt:
        """An admin decided about a stranger."""
        if not self._house.is_admin(by.id):
            return Receipt(_("Only an admin may decide this. Nothing changed."), alert=True)
        let_in = meaning.action == "let_in"
        if not people.decide(tx, meaning.subject, "let_in" if let_in else "ignored", by.id, now):
            return Receipt(_("This was decided before. Nothing changed."), alert=True)
        person = people.find(tx, meaning.subject)
        name = self._named(meaning.subject, person.name if person else "")
        verdict = _("let in") if let_in else _("ignored")
        line = _("{who} was {verdict} by {by}, {time}.").format(
            who=name, verdict=verdict, by=one_line(by.name), time=moment(now)
        )
        for post in outbox.about(tx, f"knock:{meaning.subject}"):
            outbox.amend(tx, post, Outgoing(plain(line)))
        audit.record(tx, now, by.id, meaning.action, meaning.subject, {"name": person.name if person else None})
        if let_in and person is not None:
            words = _("You have been let in. Say what you need.")
            to = Conversation.parse(person.conversation)
            outbox.post(tx, f"let_in:{new_id('m')}", to, Outgoing(plain(words)), now)
        return Receipt(line)

    def _announce(self, tx: Tx, sender: Sender, now: float) -> None:
        tokens = (new_token(), new_token())
        buttons.add(tx, tokens[0], Meaning("let_in", sender.id), now)
        buttons.add(tx, tokens[1], Meaning("ignore", sender.id), now)
        rows = ((Button(_("Let in"), tokens[0], "primary"), Button(_("Ignore"), tokens[1], "plain")),)
        text = _("{who} would like to talk. Nothing of what they wrote was passed on.").format(
            who=self._named(sender.id, sender.name)
        )
        card = Outgoing((Paragraph((Span(text),)),), rows)
        for admin in sorted(self._house.admins):
            channel, _colon, user = admin.partition(":")
            if channel in self._reachable:
                key = f"knock:{sender.id}:{admin}:{new_id('m')}"
                outbox.post(tx, key, Conversation(channel, user), card, now, subject=f"knock:{sender.id}")

    def _named(self, person: str, name: str) -> str:
        return f"“{visible(one_line(name))}” ({person})"
