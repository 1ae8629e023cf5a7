"""Puts what waits for a decision before people: its card with its buttons, again when that is due, and as it changes."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from gettext import gettext as _

from bot import cards
from bot.clock import new_code, new_id, new_token
from bot.domain.access import House
from bot.domain.approval import Approval
from bot.domain.policy import Policies
from bot.domain.run import Call, Run
from bot.store import approvals, audit, buttons, entries, names, outbox, personas, runs, votes
from bot.store.buttons import Action, Meaning
from bot.store.database import Tx
from bot.store.entries import Entry
from bot.toolbox import Toolbox
from channels.adapter import Limits
from channels.events import Conversation
from channels.outgoing import Button, Outgoing
from channels.text.split import split

SHOWN_AGAIN_AFTER_S = 30.0
"""A card that was shown again is not shown once more before this, however much is written while it waits."""

Rows = tuple[tuple[Button, ...], ...]


class Asker:
    def __init__(self, house: House, policies: Policies, toolbox: Toolbox, limits: Callable[[str], Limits]) -> None:
        """`limits` are those of a channel by its name."""
        self._house = house
        self._policies = policies
        self._toolbox = toolbox
        self._limits = limits

    def ask(self, tx: Tx, run: Run, call: Call, effect_text: str, now: float) -> Approval:
        """Let a call wait for a person. Its card is shown by `show`, once all calls of the answer are known."""
        rules = self._policies.of(call.capability_id)
        approval = Approval(
            id=new_id("apr"),
            code=self.new_code(tx),
            run_id=run.id,
            call_id=call.id,
            persona_id=run.persona_id,
            capability_id=call.capability_id,
            conversation=run.conversation,
            arguments=call.arguments,
            digest=call.digest,
            effect_text=effect_text,
            requested_by=run.user,
            requester_name=run.user_name,
            state="pending",
            created_at=now,
            expires_at=now + rules.expire_after,
            reminded_at=None,
            shown_at=None,
            decided_by=None,
            decider_name=None,
            decided_at=None,
            reason=None,
            editor_name=None,
            policy=rules.json,
            remind_at=rules.remind_at(now),
            escalate_at=rules.escalate_at(now),
        )
        approvals.add(tx, approval)
        body = {"approval": approval.id, "call": call.id, "code": approval.code}
        entries.add(tx, Entry(run.id, "approval_requested", call.frame, now, body))
        self.add_buttons(tx, approval, now)
        return approval

    def show(self, tx: Tx, asked: Sequence[Approval], now: float) -> None:
        """The cards of one answer, each with its own buttons; the last also decides them all where there are several."""
        here = [approval for approval in asked if _elsewhere(approval) is None]
        for approval in asked:
            place = _elsewhere(approval)
            if place is not None:
                self._tell(tx, approval, now)
                self._post(tx, approval, place, self._rows(tx, approval, place), None, now)
                continue
            rows = self._rows(tx, approval, approval.conversation)
            if approval is here[-1] and len(here) > 1:
                rows = (*rows, (self._all_button(tx, here, now),))
            self._post(tx, approval, approval.conversation, rows, None, now)

    def show_again(self, tx: Tx, conversation: str, lead: str, now: float) -> None:
        """Whatever waits here is shown once more, below what was written since."""
        for approval in approvals.pending_in(tx, conversation):
            cards_before = [post for post in outbox.about(tx, approval.id) if post.conversation == conversation]
            if len(cards_before) > 1 and now - cards_before[-1].created_at < SHOWN_AGAIN_AFTER_S:
                continue
            if _elsewhere(approval) is None:
                self._post(tx, approval, conversation, self._rows(tx, approval, conversation), lead, now)
            else:
                self._tell(tx, approval, now, lead)

    def remind(self, tx: Tx, now: float) -> int:
        """Show what ends soon once more; how many there were."""
        due = approvals.to_remind(tx, now, 100)
        for approval in due:
            approvals.mark_reminded(tx, approval.id, now)
            lead = _("Still waiting, and it ends {time}.").format(time=cards.moment(approval.expires_at))
            place = _elsewhere(approval) or approval.conversation
            self._post(tx, approval, place, self._rows(tx, approval, place), lead, now)
        return len(due)

    def escalate(self, tx: Tx, now: float) -> int:
        """Ask every admin about what nobody decided, before it ends; how many there were."""
        due = approvals.to_escalate(tx, now, 100)
        for approval in due:
            approvals.mark_escalated(tx, approval.id)
            audit.record(tx, now, "askfirst", "approval_escalated", approval.id, {"capability": approval.capability_id})
            lead = _("Nobody has decided this, and it ends {time}. You are asked as an admin.")
            for admin in sorted(self._house.admins):
                channel, _colon, user = admin.partition(":")
                place = Conversation(channel, user).key
                words = lead.format(time=cards.moment(approval.expires_at))
                self._post(tx, approval, place, self._rows(tx, approval, place), words, now)
        return len(due)

    def redraw(self, tx: Tx, approval: Approval) -> None:
        """Every card of what still waits says what it is about now."""
        for post in outbox.about(tx, approval.id):
            shows = _decides(approval, post.conversation)
            rows = self._rows(tx, approval, post.conversation) if shows else ()
            outbox.amend(
                tx, post, self._fitted(post.conversation, self._card(tx, approval, post.conversation, rows, None))
            )

    def close(self, tx: Tx, ended: Approval) -> None:
        """Every card says how it ended, and has no buttons."""
        asker = self.asker(tx, ended)
        for post in outbox.about(tx, ended.id):
            outbox.amend(tx, post, self.closed(ended, asker, post.conversation))

    def closed(self, ended: Approval, asker: cards.Asker, conversation: str) -> Outgoing:
        return self._fitted(conversation, cards.closed(ended, asker))

    def asker(self, tx: Tx, approval: Approval) -> cards.Asker:
        persona = personas.find(tx, approval.persona_id)
        tool = self._toolbox.by_capability(approval.capability_id)
        name = tool.short if tool else approval.capability_id
        server = tool.server or None if tool else None
        return cards.Asker(persona.display_name if persona else approval.persona_id, name, server)

    def deciders(self, tx: Tx, approval: Approval) -> str:
        """Who may decide, in words."""
        return cards.deciders(approval, self._house, lambda person: names.of(tx, person))

    def new_code(self, tx: Tx) -> str:
        code = new_code()
        while approvals.code_taken(tx, code):
            code = new_code()
        return code

    def add_buttons(self, tx: Tx, approval: Approval, now: float) -> None:
        """Where the platform has forms, one may say more than yes or no."""
        place = Conversation.parse(_elsewhere(approval) or approval.conversation)
        actions: list[Action] = ["approve", "reject"]
        if self._limits(place.channel).forms:
            actions += ["reject_with", "edit"] if approval.arguments != "{}" else ["reject_with"]
        for action in actions:
            buttons.add(tx, new_token(), Meaning(action, approval.id), now)

    def _all_button(self, tx: Tx, asked: Sequence[Approval], now: float) -> Button:
        token = new_token()
        buttons.add(tx, token, Meaning("approve_all", json.dumps({each.id: each.digest for each in asked})), now)
        return Button(_("Approve all {count} shown").format(count=len(asked)), token, "plain")

    def _rows(self, tx: Tx, approval: Approval, where: str) -> Rows:
        forms = self._limits(Conversation.parse(where).channel).forms
        tokens = buttons.tokens_of(tx, approval.id)
        tool = self._toolbox.by_capability(approval.capability_id)
        confirm = _("This takes something away for good. Do it?") if tool and tool.destructive else ""
        row = [
            Button(_("Approve"), tokens["approve"], "primary", confirm),
            Button(_("Reject"), tokens["reject"], "danger"),
        ]
        if forms and "reject_with" in tokens:
            row.append(Button(_("Reject with reason"), tokens["reject_with"]))
        if forms and "edit" in tokens:
            row.append(Button(_("Edit"), tokens["edit"]))
        return (tuple(row),)

    def _tell(self, tx: Tx, approval: Approval, now: float, lead: str | None = None) -> None:
        """Where the run is, what is asked elsewhere is only told."""
        where = approval.conversation
        card = self._fitted(where, self._card(tx, approval, where, (), lead))
        key = f"told:{approval.id}:{new_id('c')}"
        outbox.post(tx, key, Conversation.parse(where), card, now, subject=approval.id)

    def _post(self, tx: Tx, approval: Approval, where: str, rows: Rows, lead: str | None, now: float) -> None:
        card = self._fitted(where, self._card(tx, approval, where, rows, lead))
        key = f"card:{approval.id}:{new_id('c')}"
        outbox.post(tx, key, Conversation.parse(where), card, now, subject=approval.id)

    def _card(self, tx: Tx, approval: Approval, where: str, rows: Rows, lead: str | None) -> Outgoing:
        notes = []
        if not _decides(approval, where):
            notes.append(_("This is decided in another conversation; the outcome is told here."))
        elif where != approval.conversation:
            notes.append(_("Asked for by {name}.").format(name=approval.requester_name))
        because = runs.wary_because(tx, approval.run_id)
        if because is not None:
            notes.append(_("Look twice: this conversation has read {what}.").format(what=because))
        rules = approval.rules
        if rules.needed > 1:
            agreed = votes.of(tx, approval.id)
            count = _("{have} of {needed} have agreed").format(have=len(agreed), needed=rules.needed)
            notes.append(f"{count}: {', '.join(agreed)}." if agreed else f"{count}.")
        mark = self._limits(Conversation.parse(where).channel).mark
        return cards.waiting(approval, self.asker(tx, approval), self.deciders(tx, approval), rows, lead, mark, notes)

    def _fitted(self, conversation: str, card: Outgoing) -> Outgoing:
        """A card is one message: it is built to fit, and on a very narrow platform its text is cut before its buttons."""
        parts = split(card, self._limits(Conversation.parse(conversation).channel))
        return replace(parts[0], rows=card.rows)


def _elsewhere(approval: Approval) -> str | None:
    """The conversation in which it is asked, if that is not the run's own."""
    place = approval.rules.place
    return None if place == approval.conversation else place


def _decides(approval: Approval, conversation: str) -> bool:
    """Has a card there buttons?"""
    return _elsewhere(approval) is None or conversation != approval.conversation
