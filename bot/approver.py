"""Asks a human for a decision and takes it, once."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from gettext import gettext as _

from bot import cards
from bot.clock import new_code, new_id, new_token
from bot.domain.access import House
from bot.domain.approval import Approval, ApprovalState
from bot.domain.run import Call, Run
from bot.store import approvals, audit, buttons, calls, entries, names, outbox, personas, runs
from bot.store.buttons import Action, Meaning
from bot.store.database import Tx
from bot.store.entries import Entry
from bot.toolbox import Toolbox
from bot.tools.spec import FailureCode
from channels.adapter import Limits, Receipt
from channels.events import Conversation, Sender
from channels.outgoing import Button, MessageRef, Outgoing
from channels.text.split import split

SHOWN_AGAIN_AFTER_S = 30.0
"""A card that was shown again is not shown once more before this, however much is written while it waits."""

OUTCOMES: dict[ApprovalState, tuple[FailureCode, str]] = {
    "rejected": (
        "rejected",
        "Rejected by {who}{reason}. It was not executed. Do not ask for the same call again, nor do the same another way.",
    ),
    "expired": (
        "expired",
        "Nobody decided in time. That is not consent: it was not executed. Do not do the same another way.",
    ),
    "cancelled": ("cancelled", "Cancelled{reason}. It was not executed."),
}


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds: how long an approval waits, and how long before its end it is reminded of."""

    expire_after: float
    remind_before: float


class Approver:
    def __init__(self, house: House, times: Times, toolbox: Toolbox, limits: Callable[[str], Limits]) -> None:
        """`limits` are those of a channel by its name."""
        self._house = house
        self._times = times
        self._toolbox = toolbox
        self._limits = limits

    # Asking

    def ask(self, tx: Tx, run: Run, call: Call, effect_text: str, now: float) -> Approval:
        """Let a call wait for a person. Its card is shown by `show`, once all calls of the answer are known."""
        approval = Approval(
            id=new_id("apr"),
            code=self._new_code(tx),
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
            expires_at=now + self._times.expire_after,
            reminded_at=None,
            shown_at=None,
            decided_by=None,
            decider_name=None,
            decided_at=None,
            reason=None,
        )
        approvals.add(tx, approval)
        entries.add(
            tx,
            Entry(
                run.id,
                "approval_requested",
                call.frame,
                now,
                {"approval": approval.id, "call": call.id, "code": approval.code},
            ),
        )
        self._add_buttons(tx, approval, now)
        return approval

    def show(self, tx: Tx, asked: Sequence[Approval], now: float) -> None:
        """The cards of one answer, each with its own buttons; the last also decides them all where there are several."""
        for approval in asked:
            rows = self._rows(tx, approval)
            if approval is asked[-1] and len(asked) > 1:
                token = new_token()
                shown = json.dumps({each.id: each.digest for each in asked})
                buttons.add(tx, token, Meaning("approve_all", shown), now)
                label = _("Approve all {count} shown").format(count=len(asked))
                rows = (*rows, (Button(label, token, "plain"),))
            self._post(tx, approval, rows, None, now)

    def show_again(self, tx: Tx, conversation: str, lead: str, now: float) -> None:
        """Whatever waits here is shown once more, below what was written since."""
        for approval in approvals.pending_in(tx, conversation):
            cards_before = outbox.about(tx, approval.id)
            if len(cards_before) > 1 and now - cards_before[-1].created_at < SHOWN_AGAIN_AFTER_S:
                continue
            self._post(tx, approval, self._rows(tx, approval), lead, now)

    def remind(self, tx: Tx, now: float) -> int:
        """Show what ends soon once more; how many there were."""
        due = approvals.to_remind(tx, now, self._times.remind_before, 100)
        for approval in due:
            approvals.mark_reminded(tx, approval.id, now)
            lead = _("Still waiting, and it ends {time}.").format(time=cards.moment(approval.expires_at))
            self._post(tx, approval, self._rows(tx, approval), lead, now)
        return len(due)

    # Deciding

    def press(self, tx: Tx, meaning: Meaning, by: Sender, on: MessageRef | None, now: float) -> Receipt:
        """A button of the card `on` was pressed."""
        every = json.loads(meaning.subject) if meaning.action == "approve_all" else {meaning.subject: ""}
        approval = approvals.find(tx, list(every)[-1])
        if approval is not None:
            self._find_again(tx, approval, on, now)
        if meaning.action == "approve_all":
            return self._take_all(tx, every, by, now)
        if approval is None:
            return Receipt(_("This is no longer known. Nothing was done."), alert=True)
        return self.take(tx, approval, meaning.action == "approve", by, None, now)

    def take(self, tx: Tx, approval: Approval, approve: bool, by: Sender, reason: str | None, now: float) -> Receipt:
        """The one way to decide, whoever asks for it: the first decision counts, the rest are told of it."""
        refusal = self.barred(tx, approval, by, now)
        if refusal is not None:
            return refusal
        state: ApprovalState = "approved" if approve else "rejected"
        if not self._close(tx, approval, state, by.id, by.name, reason, now):
            fresh = approvals.find(tx, approval.id)
            return Receipt(self._too_late(fresh or approval), alert=True)
        audit.record(
            tx,
            now,
            by.id,
            f"approval_{state}",
            approval.id,
            {"capability": approval.capability_id, "digest": approval.digest, "run": approval.run_id, "reason": reason},
        )
        return Receipt(_("Approved.") if approve else _("Rejected. It will not be done."))

    def barred(self, tx: Tx, approval: Approval, by: Sender, now: float) -> Receipt | None:
        """Why this person cannot decide this (any more); None if they can."""
        if not self._house.may_decide(by, approval.requested_by):
            audit.record(tx, now, by.id, "decision_refused", approval.id, {"capability": approval.capability_id})
            who = self._deciders(tx, approval)
            return Receipt(_("You may not decide this; {who} may. Nothing changed.").format(who=who), alert=True)
        if approval.state != "pending":
            return Receipt(self._too_late(approval), alert=True)
        if now >= approval.expires_at:
            self._close(tx, approval, "expired", None, None, None, now)
            return Receipt(_("Too late: this has expired. Nothing was done."), alert=True)
        if not runs.alive(tx, approval.run_id):
            self._close(tx, approval, "cancelled", None, None, _("the run had ended"), now)
            return Receipt(_("Too late: the run had ended. Nothing was done."), alert=True)
        return None

    def rewrite(self, tx: Tx, approval: Approval, edited: Approval, by: Sender, now: float) -> bool:
        """Let what waits be about another call, as `edited` says; False if it was decided or edited meanwhile.

        The code and the buttons are new: whoever still looks at the earlier card cannot approve what they do not see.
        """
        runs.hold(tx, approval.run_id)
        edited = replace(edited, code=self._new_code(tx), editor_name=by.name)
        if not approvals.rewrite(tx, approval, edited):
            return False
        calls.rewrite(tx, approval.call_id, edited.arguments, edited.digest)
        buttons.remove_subject(tx, approval.id)
        self._add_buttons(tx, edited, now)
        call = calls.find(tx, approval.call_id)
        body = {"approval": approval.id, "call": approval.call_id, "code": edited.code, "edited_by": by.id}
        entries.add(tx, Entry(approval.run_id, "approval_requested", call.frame if call else None, now, body))
        audit.record(
            tx,
            now,
            by.id,
            "approval_edited",
            approval.id,
            {"run": approval.run_id, "was": approval.digest, "digest": edited.digest},
        )
        asker, rows = self._asker(tx, edited), self._rows(tx, edited)
        for post in outbox.about(tx, approval.id):
            card = cards.waiting(edited, asker, self._deciders(tx, edited), rows, None, self._mark(edited))
            outbox.amend(tx, post, self._fitted(post.conversation, card))
        return True

    def expire(self, tx: Tx, now: float) -> int:
        """End what nobody decided in time; how many there were."""
        due = approvals.due(tx, now, 100)
        for approval in due:
            self._close(tx, approval, "expired", None, None, None, now)
        return len(due)

    def cancel(self, tx: Tx, approval: Approval, reason: str, now: float) -> None:
        """End an approval because what it belongs to ended."""
        self._close(tx, approval, "cancelled", None, None, reason, now)

    def undelivered(self, tx: Tx, approval_id: str, now: float) -> None:
        """The card cannot be shown: the run is freed, and the outcome is neither a yes nor a no."""
        approval = approvals.find(tx, approval_id)
        if approval is None or approval.state != "pending" or approval.shown_at is not None:
            return
        self._close(tx, approval, "cancelled", None, None, _("the card could not be shown in the chat"), now)

    def _find_again(self, tx: Tx, approval: Approval, on: MessageRef | None, now: float) -> None:
        """A card that was shown while we crashed, and shown again because nobody knew, gives itself away when it is
        pressed: from then on it is kept up to date like the others."""
        if on is None or on.conversation != approval.conversation or outbox.by_ref(tx, on):
            return
        posts = outbox.about(tx, approval.id)
        if not any(post.doubtful for post in posts):
            return
        found = outbox.adopt(tx, f"card:{approval.id}:{new_id('c')}", on, posts[-1], now)
        if approval.state != "pending":
            card = self._fitted(on.conversation, cards.closed(approval, self._asker(tx, approval)))
            outbox.amend(tx, found, card)

    def _take_all(self, tx: Tx, digests: Mapping[str, str], by: Sender, now: float) -> Receipt:
        """`digests` by approval: what the card showed that had the button. One that was edited since is left out."""
        found = [approval for each in digests if (approval := approvals.find(tx, each)) is not None]
        unchanged = [approval for approval in found if approval.digest == digests[approval.id]]
        waiting = [approval for approval in unchanged if approval.state == "pending" and approval.shown_at is not None]
        if not waiting:
            return Receipt(_("All of these were decided before, or not shown yet. Nothing was done."), alert=True)
        barred = [approval for approval in waiting if not self._house.may_decide(by, approval.requested_by)]
        if barred:
            who = self._deciders(tx, barred[0])
            return Receipt(
                _("You may not decide all of these; {who} may. Nothing changed.").format(who=who), alert=True
            )
        receipts = [self.take(tx, approval, True, by, None, now) for approval in waiting]
        approved = sum(1 for receipt in receipts if not receipt.alert)
        return Receipt(_("Approved: {count}.").format(count=approved), alert=approved == 0)

    def _close(
        self,
        tx: Tx,
        approval: Approval,
        state: ApprovalState,
        by: str | None,
        name: str | None,
        reason: str | None,
        now: float,
    ) -> bool:
        runs.hold(tx, approval.run_id)
        if not approvals.decide(tx, approval.id, state, now, by, name, reason):
            return False
        ended = replace(approval, state=state, decided_at=now, decided_by=by, decider_name=name, reason=reason)
        if state == "approved":
            calls.step(tx, approval.call_id, "waiting", "ready")
        else:
            failure, words = OUTCOMES[state]
            given = f" ({reason})" if reason else ""
            result = words.format(who=name or by, reason=given)
            calls.answer(tx, approval.call_id, "waiting", "denied", result, failure)
        call = calls.find(tx, approval.call_id)
        body = {"approval": approval.id, "call": approval.call_id, "state": state, "by": by, "reason": reason}
        entries.add(tx, Entry(approval.run_id, "approval_decided", call.frame if call else None, now, body))
        asker = self._asker(tx, ended)
        for post in outbox.about(tx, approval.id):
            outbox.amend(tx, post, self._fitted(post.conversation, cards.closed(ended, asker)))
        runs.resume(tx, approval.run_id)
        tx.tell("decided", approval.run_id)
        tx.tell("wake", approval.conversation)
        return True

    def _too_late(self, approval: Approval) -> str:
        return _("Too late: {verdict}. Nothing changed.").format(verdict=cards.verdict(approval).lstrip("✓✗ "))

    def _new_code(self, tx: Tx) -> str:
        code = new_code()
        while approvals.code_taken(tx, code):
            code = new_code()
        return code

    def _add_buttons(self, tx: Tx, approval: Approval, now: float) -> None:
        """Where the platform has forms, one may say more than yes or no."""
        forms = self._limits(Conversation.parse(approval.conversation).channel).forms
        actions: list[Action] = ["approve", "reject"]
        if forms:
            actions += ["reject_with", "edit"] if approval.arguments != "{}" else ["reject_with"]
        for action in actions:
            buttons.add(tx, new_token(), Meaning(action, approval.id), now)

    def _rows(self, tx: Tx, approval: Approval) -> tuple[tuple[Button, ...], ...]:
        tokens = buttons.tokens_of(tx, approval.id)
        tool = self._toolbox.by_capability(approval.capability_id)
        confirm = _("This takes something away for good. Do it?") if tool and tool.spec.destructive else ""
        row = [
            Button(_("Approve"), tokens["approve"], "primary", confirm),
            Button(_("Reject"), tokens["reject"], "danger"),
        ]
        if "reject_with" in tokens:
            row.append(Button(_("Reject with reason"), tokens["reject_with"]))
        if "edit" in tokens:
            row.append(Button(_("Edit"), tokens["edit"]))
        return (tuple(row),)

    def _post(
        self, tx: Tx, approval: Approval, rows: tuple[tuple[Button, ...], ...], lead: str | None, now: float
    ) -> None:
        who, mark = self._deciders(tx, approval), self._mark(approval)
        card = cards.waiting(approval, self._asker(tx, approval), who, rows, lead, mark)
        to = Conversation.parse(approval.conversation)
        outbox.post(tx, f"card:{approval.id}:{new_id('c')}", to, self._fitted(to.key, card), now, subject=approval.id)

    def _deciders(self, tx: Tx, approval: Approval) -> str:
        return cards.deciders(approval, self._house, lambda person: names.of(tx, person))

    def _mark(self, approval: Approval) -> str:
        return self._limits(Conversation.parse(approval.conversation).channel).mark

    def _fitted(self, conversation: str, card: Outgoing) -> Outgoing:
        """A card is one message: it is built to fit, and on a very narrow platform its text is cut before its buttons."""
        parts = split(card, self._limits(Conversation.parse(conversation).channel))
        return replace(parts[0], rows=card.rows)

    def _asker(self, tx: Tx, approval: Approval) -> cards.Asker:
        persona = personas.find(tx, approval.persona_id)
        tool = self._toolbox.by_capability(approval.capability_id)
        name = tool.spec.name if tool else approval.capability_id
        return cards.Asker(
            persona.display_name if persona else approval.persona_id, name, tool.spec.server or None if tool else None
        )
