"""Takes a decision from a human, once, and sees to what follows from it."""

import json
from collections.abc import Mapping
from dataclasses import replace
from gettext import gettext as _

from bot import cards
from bot.asker import Asker
from bot.clock import new_id
from bot.domain.access import Decider, House
from bot.domain.approval import Approval, ApprovalState
from bot.store import approvals, audit, buttons, calls, entries, outbox, runs, votes
from bot.store.buttons import Meaning
from bot.store.database import Tx
from bot.store.entries import Entry
from bot.tools.spec import FailureCode
from channels.adapter import Receipt
from channels.outgoing import MessageRef

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


class Approver:
    def __init__(self, house: House, asker: Asker) -> None:
        self._house = house
        self._asker = asker

    def press(self, tx: Tx, meaning: Meaning, by: Decider, on: MessageRef | None, now: float) -> Receipt:
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

    def take(self, tx: Tx, approval: Approval, approve: bool, by: Decider, reason: str | None, now: float) -> Receipt:
        """The one way to decide, whoever asks for it: the first decision counts, the rest are told of it."""
        runs.hold(tx, approval.run_id)
        refusal = self.barred(tx, approval, by, now)
        if refusal is not None:
            return refusal
        name = by.name
        if approve and approval.rules.needed > 1:
            agreed = self._agreed(tx, approval, by, now)
            if isinstance(agreed, Receipt):
                return agreed
            name = agreed
        state: ApprovalState = "approved" if approve else "rejected"
        if not self._close(tx, approval, state, by.id, name, reason, now):
            fresh = approvals.find(tx, approval.id)
            return Receipt(self._too_late(fresh or approval), alert=True)
        self._record(tx, approval, f"approval_{state}", by, reason, now)
        return Receipt(_("Approved.") if approve else _("Rejected. It will not be done."))

    def may_decide(self, approval: Approval, by: Decider) -> bool:
        rules = approval.rules
        present = by.is_at(rules.place or approval.conversation)
        return self._house.may_decide(by.person, approval.requested_by, rules, present=present)

    def barred(self, tx: Tx, approval: Approval, by: Decider, now: float) -> Receipt | None:
        """Why this person cannot decide this (any more); None if they can."""
        if not self.may_decide(approval, by):
            self._record(tx, approval, "decision_refused", by, None, now)
            who = self._asker.deciders(tx, approval)
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

    def rewrite(self, tx: Tx, approval: Approval, edited: Approval, by: Decider, now: float) -> bool:
        """Let what waits be about another call, as `edited` says; False if it was decided or edited meanwhile.

        The code and the buttons are new: whoever still looks at the earlier card cannot approve what they do not see.
        """
        runs.hold(tx, approval.run_id)
        edited = replace(edited, code=self._asker.new_code(tx), editor_name=by.name)
        if not approvals.rewrite(tx, approval, edited):
            return False
        calls.rewrite(tx, approval.call_id, edited.arguments, edited.digest)
        buttons.remove_subject(tx, approval.id)
        self._asker.add_buttons(tx, edited, now)
        votes.clear(tx, approval.id)
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
        self._asker.redraw(tx, edited)
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
        if on is None or outbox.by_ref(tx, on):
            return
        posts = [post for post in outbox.about(tx, approval.id) if post.conversation == on.conversation]
        if not any(post.doubtful for post in posts):
            return
        found = outbox.adopt(tx, f"card:{approval.id}:{new_id('c')}", on, posts[-1], now)
        if approval.state != "pending":
            outbox.amend(tx, found, self._asker.closed(approval, self._asker.asker(tx, approval), on.conversation))

    def _take_all(self, tx: Tx, digests: Mapping[str, str], by: Decider, now: float) -> Receipt:
        """`digests` by approval: what the card showed that had the button. One that was edited since is left out."""
        found = [approval for each in digests if (approval := approvals.find(tx, each)) is not None]
        unchanged = [approval for approval in found if approval.digest == digests[approval.id]]
        waiting = [approval for approval in unchanged if approval.state == "pending" and approval.shown_at is not None]
        if not waiting:
            return Receipt(_("All of these were decided before, or not shown yet. Nothing was done."), alert=True)
        barred = [approval for approval in waiting if not self.may_decide(approval, by)]
        if barred:
            who = self._asker.deciders(tx, barred[0])
            return Receipt(
                _("You may not decide all of these; {who} may. Nothing changed.").format(who=who), alert=True
            )
        receipts = [self.take(tx, approval, True, by, None, now) for approval in waiting]
        approved = sum(1 for receipt in receipts if not receipt.alert)
        return Receipt(_("Approved: {count}.").format(count=approved), alert=approved == 0)

    def _agreed(self, tx: Tx, approval: Approval, by: Decider, now: float) -> Receipt | str:
        """One more of several agrees: who they are once they are enough, else what this one is told."""
        needed = approval.rules.needed
        if not votes.add(tx, approval.id, by.id, by.name, now):
            return Receipt(_("You agreed before; {needed} must. Nothing changed.").format(needed=needed), alert=True)
        agreed = votes.of(tx, approval.id)
        if len(agreed) >= needed:
            return _(" and ").join(agreed)
        self._record(tx, approval, "approval_agreed", by, None, now)
        self._asker.redraw(tx, approval)
        return Receipt(_("Noted: {have} of {needed} have agreed.").format(have=len(agreed), needed=needed))

    def _record(self, tx: Tx, approval: Approval, action: str, by: Decider, reason: str | None, now: float) -> None:
        about = {"capability": approval.capability_id, "digest": approval.digest, "run": approval.run_id}
        audit.record(tx, now, by.id, action, approval.id, {**about, "reason": reason})

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
        self._asker.close(tx, ended)
        runs.resume(tx, approval.run_id)
        tx.tell("decided", approval.run_id)
        tx.tell("wake", approval.conversation)
        return True

    def _too_late(self, approval: Approval) -> str:
        return _("Too late: {verdict}. Nothing changed.").format(verdict=cards.verdict(approval).lstrip("✓✗ "))
